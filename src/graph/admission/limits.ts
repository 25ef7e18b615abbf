/**
 * What `/graphql` refuses before it runs anything; docs/graphql.md publishes all of it. In-process operations have no limits: their
 * documents are ours.
 */
import { type DocumentNode, type GraphQLError, Kind, type OperationDefinitionNode, visit } from 'graphql';
import type { Settings } from '../../kernel/config.ts';
import { CatalogError } from '../../kernel/errors.ts';
import { checkText } from '../../kernel/text.ts';
import type { Amount, Measured } from './cost.ts';
import type { Variables } from './list-size.ts';

/** Characters of a document at most: much longer ones take the parser half a second, were they all comment. */
export const MAX_LENGTH = 100_000;
/** Tokens of a document at most: the parser's own limit, so that a longer one is never a crash. */
export const MAX_TOKENS = 3_000;
/** Aliases and directives that a document may have, wherever. */
export const MAX_ALIASES = 100;
export const MAX_DIRECTIVES = 100;
/** Fields at the root of one operation, by whatever alias. */
export const MAX_ROOT_FIELDS = 50;

/** Which limit, what the operation comes to, what is allowed, and the setting that moves it. */
export interface Limit {
  readonly name: 'length' | 'tokens' | 'aliases' | 'directives' | 'rootFields' | 'depth' | 'page' | 'nodes' | 'cost';
  /** Null where counting was given up. */
  readonly value: number | null;
  readonly allowed: number;
  readonly setting?: string;
}

/** A refusal by one of the limits here. */
export class OverLimit extends CatalogError {
  readonly limit: Limit;
  constructor(limit: Limit, message: string) {
    super('LIMIT', limit.setting === undefined ? message : `${message} (${limit.setting})`);
    this.limit = limit;
  }
}

/** @throws OverLimit */
function atMost(limit: Limit & { value: number }, what: string): void {
  // NaN is over every limit.
  if (!(limit.value <= limit.allowed))
    throw new OverLimit(limit, `The operation ${what}; at most ${limit.allowed} are allowed`);
}

/** Refuses a text before it is parsed. @throws OverLimit */
export const checkLength = ({ length }: string): void =>
  atMost({ name: 'length', value: length, allowed: MAX_LENGTH }, `has ${length} characters`);

/** Whether the parser has given up. It has no other sign of it than its words. */
export const isOverTokens = ({ path, message }: GraphQLError): boolean =>
  !path && / more tha[nt] \d+ tokens\. Parsing aborted\.$/.test(message);

/** The refusal of a text that the parser has given up. */
export const tooManyTokens = (): OverLimit =>
  new OverLimit(
    { name: 'tokens', value: null, allowed: MAX_TOKENS },
    `The operation has more than ${MAX_TOKENS} tokens; at most ${MAX_TOKENS} are allowed`,
  );

/** Refuses a document before it is validated, which takes time. @throws OverLimit; CatalogError VALIDATION for a text that cannot be stored. */
export function checkDocument(document: DocumentNode): void {
  let aliases = 0;
  let directives = 0;
  visit(document, {
    [Kind.FIELD]: (node) => {
      if (node.alias) aliases += 1;
    },
    [Kind.DIRECTIVE]: () => {
      directives += 1;
    },
    [Kind.STRING]: (node) => checkText(node.value),
  });
  atMost({ name: 'aliases', value: aliases, allowed: MAX_ALIASES }, `has ${aliases} aliases`);
  atMost({ name: 'directives', value: directives, allowed: MAX_DIRECTIVES }, `has ${directives} directives`);
}

/** Refuses an operation for its shape. @throws OverLimit */
export function checkShape(measured: Measured, operation: OperationDefinitionNode, settings: Settings): void {
  atMost(
    {
      name: 'depth',
      value: measured.depth,
      allowed: settings['catalog.limits.graphql_depth'],
      setting: 'catalog.limits.graphql_depth',
    },
    `is nested ${measured.depth} levels deep`,
  );
  const root = { query: 'Query', mutation: 'Mutation', subscription: 'Subscription' }[operation.operation];
  atMost(
    { name: 'rootFields', value: measured.rootFields, allowed: MAX_ROOT_FIELDS },
    `requests ${measured.rootFields} fields of ${root}`,
  );
}

/** What one run comes to. @throws OverLimit for its variables; CatalogError VALIDATION for a text that cannot be stored. */
export function checkRun(measured: Measured, variables: Variables, settings: Settings): Amount {
  checkText(variables, settings['catalog.limits.json_records']);
  const page = {
    name: 'page',
    allowed: settings['catalog.limits.graphql_page'],
    setting: 'catalog.limits.graphql_page',
  } as const;
  for (const { place, size } of measured.pages) {
    const value = size.of(variables);
    atMost({ ...page, value }, `requests ${value} nodes of ${place} at once`);
    if (value < 1)
      throw new OverLimit(
        { ...page, value },
        `The operation requests ${value} nodes of ${place}; from 1 to ${page.allowed} are allowed`,
      );
  }
  const amount = measured.amount(variables);
  atMost(
    {
      name: 'nodes',
      value: amount.nodes,
      allowed: settings['catalog.limits.graphql_nodes'],
      setting: 'catalog.limits.graphql_nodes',
    },
    `could return ${amount.nodes} nodes`,
  );
  atMost(
    {
      name: 'cost',
      value: amount.cost,
      allowed: settings['catalog.limits.graphql_cost'],
      setting: 'catalog.limits.graphql_cost',
    },
    `costs ${amount.cost}`,
  );
  return amount;
}
