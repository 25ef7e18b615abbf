/** What `/graphql` refuses before it runs anything. In-process operations have no limits: their documents are ours. */
import { type DocumentNode, Kind, type OperationDefinitionNode, visit } from 'graphql';
import type { Settings } from '../kernel/config.ts';
import { CatalogError } from '../kernel/errors.ts';
import { checkText } from '../kernel/text.ts';
import type { Variables } from './list-size.ts';
import type { Measured } from './measure.ts';

/** Tokens of a document at most: the parser's own limit, so that a longer one is a syntax error and never a crash. */
export const MAX_TOKENS = 3_000;
/** Fields at the root of one operation, by whatever alias. */
export const MAX_ROOT_FIELDS = 50;

/** Refuses an operation for its shape. @throws CatalogError LIMIT; VALIDATION for a subscription, or a text that cannot be stored. */
export function checkShape(
  measured: Measured,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  settings: Settings,
): void {
  if (operation.operation === 'subscription')
    throw new CatalogError('VALIDATION', 'Subscriptions are not offered; ask queries or mutations');
  const deepest = settings['catalog.limits.graphql_depth'];
  if (measured.depth > deepest)
    throw limit(
      `The operation is nested ${measured.depth} levels deep; at most ${deepest} are allowed (catalog.limits.graphql_depth)`,
    );
  if (measured.rootFields > MAX_ROOT_FIELDS)
    throw limit(
      `The operation asks for ${measured.rootFields} fields of ${operation.operation === 'query' ? 'Query' : 'Mutation'}; at most ${MAX_ROOT_FIELDS} are allowed`,
    );
  visit(document, { [Kind.STRING]: (node) => checkText(node.value) });
}

/** Refuses one run of an operation for its variables. @throws CatalogError LIMIT, VALIDATION. */
export function checkRun(measured: Measured, variables: Variables, settings: Settings): void {
  checkText(variables, settings['catalog.limits.json_records']);
  const most = settings['catalog.limits.graphql_cost'];
  const cost = measured.cost(variables);
  if (!(cost <= most))
    throw limit(
      `The operation costs ${cost}; at most ${most} is allowed (catalog.limits.graphql_cost). Ask for fewer fields or shorter lists.`,
    );
}

const limit = (message: string): CatalogError => new CatalogError('LIMIT', message);
