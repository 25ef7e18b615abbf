/** Apollo plugin for the metadata of a response: errors, status, cost and caching headers. */
import type { GraphQLFormattedError } from 'graphql';
import { asRefusal } from '../../infra/postgres/failures.ts';
import type { Call } from '../../kernel/call.ts';
import { CatalogError, type ErrorKind } from '../../kernel/errors.ts';
import type { Settings } from '../../kernel/settings.ts';
import type { Amount } from '../admission/cost.ts';
import { type GraphPlugin, listening } from '../execution/operation.ts';
import type { FormatError } from '../format-error.ts';
import { UnknownDocument } from '../persisted/persisted.ts';

/** The cost of an operation (docs/graphql.md). */
const COST_HEADER = 'graphql-cost';

/** HTTP status of errors that a later retry can solve. */
export const STATUS: Partial<Record<ErrorKind, number>> = { RATE_LIMIT: 429, UNAVAILABLE: 503 };

export interface AnswersOptions {
  readonly metadata: Metadata;
  readonly format: FormatError;
}

/** Headers and extensions of a response: its cost and, if `isCacheable`, its Cache-Control. */
export type Metadata = (
  amount: Amount,
  call: Call,
  isCacheable: boolean,
) => { readonly headers: Readonly<Record<string, string>>; readonly extensions: { readonly cost: object } };

export function createMetadata(settings: Settings): Metadata {
  const maxAge = settings['catalog.graphql.max_age'];
  const visitors = maxAge === 0 ? 'public, no-cache' : `public, max-age=${maxAge}`;
  return ({ cost, nodes }, { actor }, isCacheable) => ({
    headers: {
      [COST_HEADER]: String(cost),
      ...(isCacheable && { 'cache-control': actor.userId === null ? visitors : 'private, no-cache' }),
    },
    extensions: {
      cost: {
        total: cost,
        allowed: settings['catalog.limits.graphql_cost'],
        nodes,
        nodesAllowed: settings['catalog.limits.graphql_nodes'],
      },
    },
  });
}

/** Formats errors, sets the status of responses with errors, and adds the cost. Complete responses to GET are cacheable. */
export const answers = ({ metadata, format }: AnswersOptions): GraphPlugin => ({
  ...listening({
    async willSendResponse({ errors, request, response: { http, body }, contextValue: { call, operation } }) {
      if (body.kind !== 'single') return;
      const { singleResult: result } = body;
      const { admitted, refusal } = operation;
      const isCacheable = !result.errors && request.http?.method === 'GET' && (http.status ?? 200) === 200;
      if (admitted && !refusal) {
        const { headers, extensions } = metadata(admitted.amount, call, isCacheable);
        for (const name in headers) http.headers.set(name, headers[name]!);
        result.extensions = { ...result.extensions, ...extensions };
      }
      if (!result.errors) return;
      const { requestId } = operation.request;
      result.errors = result.errors.map((error, n) => (errors?.[n] ? format(error, errors[n], requestId) : error));
      if (refusal) http.status = statusOf(refusal);
      else if (isDown(result.errors, result.data)) http.status = 503;
      http.headers.delete('allow'); // the endpoint sets the header itself
    },
  }),
  async unexpectedErrorProcessingRequest({ requestContext, error }) {
    requestContext.contextValue.operation.failure = error;
  },
});

function statusOf(refusal: unknown): number {
  if (refusal instanceof UnknownDocument) return refusal.status;
  const thrown = asRefusal(refusal);
  if (!(thrown instanceof CatalogError)) return 500;
  return thrown.kind === 'NOT_AUTHORIZED' ? 403 : (STATUS[thrown.kind] ?? 400);
}

/** Whether an operation has no data because a component is down. The client gets partial data, such as a mutation's, with 200. */
const isDown = (formatted: readonly GraphQLFormattedError[], data: unknown): boolean =>
  formatted.some(({ extensions }) => extensions?.code === 'UNAVAILABLE') &&
  Object.values(data ?? {}).every((value) => value === null);
