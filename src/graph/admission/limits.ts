/**
 * Limits of `/graphql`, checked before an operation runs (published in docs/graphql.md). In-process operations have no limits,
 * because their documents are part of the server.
 */
import { type DocumentNode, type GraphQLError, Kind, type OperationDefinitionNode, visit } from 'graphql';
import { CatalogError } from '../../kernel/errors.ts';
import type { Settings } from '../../kernel/settings.ts';
import { checkText } from '../../kernel/text.ts';
import type { Amount, Measured } from './cost.ts';
import type { Variables } from './list-size.ts';

/** Maximum characters of a document. Parsing a much longer one takes half a second, even if it is only a comment. */
export const MAX_LENGTH = 100_000;
/** Maximum tokens of a document. The parser enforces it, so that a longer document cannot crash it. */
export const MAX_TOKENS = 3_000;
/** Maximum aliases and directives in the whole document. */
export const MAX_ALIASES = 100;
export const MAX_DIRECTIVES = 100;
/** Maximum fields at the root of one operation, including aliases. */
export const MAX_ROOT_FIELDS = 50;

/** An exceeded limit: its name, the operation's value, the maximum, and the setting that changes it. */
export interface Limit {
  readonly name: 'length' | 'tokens' | 'aliases' | 'directives' | 'rootFields' | 'depth' | 'page' | 'nodes' | 'cost';
  /** Null when counting stopped at the limit. */
  readonly value: number | null;
  readonly allowed: number;
  readonly setting?: string;
}

/** Error for an exceeded limit of this file. */
export class OverLimit extends CatalogError {
  readonly limit: Limit;
  constructor(limit: Limit, message: string) {
    super('LIMIT', limit.setting === undefined ? message : `${message} (${limit.setting})`);
    this.limit = limit;
  }
}

/** @throws OverLimit */
function atMost(limit: Limit & { value: number }, what: string): void {
  // NaN exceeds every limit.
  if (!(limit.value <= limit.allowed))
    throw new OverLimit(limit, `The operation ${what}; at most ${limit.allowed} are allowed`);
}

/** Checks the length of a document before it is parsed. @throws OverLimit */
export const checkLength = ({ length }: string): void =>
  atMost({ name: 'length', value: length, allowed: MAX_LENGTH }, `has ${length} characters`);

/** Whether the parser stopped at the limit of tokens. Only the error's message shows it. */
export const isOverTokens = ({ path, message }: GraphQLError): boolean =>
  !path && / more tha[nt] \d+ tokens\. Parsing aborted\.$/.test(message);

/** The error for a document with too many tokens. */
export const tooManyTokens = (): OverLimit =>
  new OverLimit(
    { name: 'tokens', value: null, allowed: MAX_TOKENS },
    `The operation has more than ${MAX_TOKENS} tokens; at most ${MAX_TOKENS} are allowed`,
  );

/** Checks a document before the expensive validation. @throws OverLimit; CatalogError VALIDATION for a text that cannot be stored */
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

/** Checks nesting and root fields of an operation. @throws OverLimit */
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

/** Checks one run, and returns its nodes and cost. @throws OverLimit; CatalogError VALIDATION for a text that cannot be stored */
export function checkRun(measured: Measured, variables: Variables, settings: Settings): Amount {
  checkText(variables, settings['catalog.limits.json_records']);
  const page = {
    name: 'page',
    allowed: settings['catalog.limits.graphql_page'],
    setting: 'catalog.limits.graphql_page',
  } as const;
  for (const { field, size } of measured.pages) {
    const value = size.of(variables);
    atMost({ ...page, value }, `requests ${value} nodes of ${field} at once`);
    if (value < 1)
      throw new OverLimit(
        { ...page, value },
        `The operation requests ${value} nodes of ${field}; from 1 to ${page.allowed} are allowed`,
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
