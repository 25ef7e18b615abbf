/** Counts operations of clients by kind and result, and their cost. */
import { getOperationAST } from 'graphql';
import type { ErrorKind } from '../kernel/errors.ts';
import type { Meter } from '../kernel/meter.ts';
import type { GraphAnswer, OperationState } from './execution/operation.ts';

/** Codes of errors. Plugins of the site can add others, which count as `other`. */
const CODES: ReadonlySet<unknown> = new Set([
  ...([
    'NOT_FOUND',
    'NOT_AUTHORIZED',
    'VALIDATION',
    'CONFLICT',
    'GONE',
    'LIMIT',
    'SEARCH',
    'UNAVAILABLE',
    'RATE_LIMIT',
  ] satisfies ErrorKind[]),
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
  'BAD_USER_INPUT',
  'BAD_REQUEST',
  'PERSISTED_QUERY_NOT_FOUND',
  'PERSISTED_DOCUMENT_NOT_FOUND',
  'INTERNAL_SERVER_ERROR',
]);

/** The result of an answer: `ok`, or the code of the first error. */
function resultOf({ errors }: GraphAnswer['result']): string {
  if (!errors?.[0]) return 'ok';
  const { code } = errors[0].extensions ?? {};
  return CODES.has(code) ? (code as string) : 'other';
}

/** Counts an answer. `result` is null for the start of a stream. */
export function measureAnswer(
  meter: Meter,
  { admitted, refusal }: Pick<OperationState, 'admitted' | 'refusal'>,
  result: GraphAnswer['result'] | null,
): void {
  const kind = admitted?.kind ?? 'none';
  meter.add('catalog_graphql_operations_total', [kind, result === null ? 'ok' : resultOf(result)]);
  if (admitted && !refusal) meter.observe('catalog_graphql_cost', [kind], admitted.amount.cost);
}

/** The name of an operation that the operator has listed in a manifest; null for an operation of a client's own. */
export function trustedName({ found, opened, request }: OperationState): string | null {
  if (!found?.isTrusted || !opened) return null;
  return getOperationAST(opened.document, request.parameters.operationName)?.name?.value ?? null;
}
