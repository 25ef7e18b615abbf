/** Apollo plugin for what an answer holds beside its data: errors and status, cost, and who may cache it. */
import type { GraphQLFormattedError } from 'graphql';
import { asRefusal } from '../../infra/postgres/failures.ts';
import type { Settings } from '../../kernel/config.ts';
import { CatalogError, type ErrorKind } from '../../kernel/errors.ts';
import type { Amount } from '../admission/cost.ts';
import { type GraphPlugin, listening } from '../execution/operation.ts';
import type { FormatError } from '../format-error.ts';
import { UnknownDocument } from '../persisted/persisted.ts';

/** The cost of an operation (docs/graphql.md). */
const COST_HEADER = 'graphql-cost';

/** HTTP status where the server cannot answer the caller now. */
export const STATUS: Partial<Record<ErrorKind, number>> = { RATE_LIMIT: 429, UNAVAILABLE: 503 };

export interface AnswersOptions {
  readonly settings: Settings;
  readonly format: FormatError;
}

/** Formats errors and sets the status of answers that have some; adds the cost; lets caches keep whole answers to GET. */
export function answers({ settings, format }: AnswersOptions): GraphPlugin {
  const maxAge = settings['catalog.graphql.max_age'];
  const visitors = maxAge === 0 ? 'public, no-cache' : `public, max-age=${maxAge}`;

  return {
    ...listening({
      async willSendResponse({ errors, request, response: { http, body }, contextValue: { call, operation } }) {
        if (body.kind !== 'single') return;
        const { singleResult: result } = body;
        const { admitted, refusal } = operation;
        if (admitted && !refusal) {
          http.headers.set(COST_HEADER, String(admitted.amount.cost));
          result.extensions = { ...result.extensions, cost: costOf(admitted.amount) };
        }
        if (result.errors) {
          const { requestId } = operation.request;
          result.errors = result.errors.map((error, n) => (errors?.[n] ? format(error, errors[n], requestId) : error));
          if (refusal) http.status = statusOf(refusal);
          else if (isDown(result.errors, result.data)) http.status = 503;
          http.headers.delete('allow'); // the endpoint knows its methods
        } else if (request.http?.method === 'GET' && (http.status ?? 200) === 200)
          http.headers.set('cache-control', call.actor.userId === null ? visitors : 'private, no-cache');
      },
    }),
    async unexpectedErrorProcessingRequest({ requestContext, error }) {
      requestContext.contextValue.operation.failure = error;
    },
  };

  function costOf({ cost, nodes }: Amount): object {
    return {
      total: cost,
      allowed: settings['catalog.limits.graphql_cost'],
      nodes,
      nodesAllowed: settings['catalog.limits.graphql_nodes'],
    };
  }
}

function statusOf(refusal: unknown): number {
  if (refusal instanceof UnknownDocument) return refusal.status;
  const thrown = asRefusal(refusal);
  if (!(thrown instanceof CatalogError)) return 500;
  return thrown.kind === 'NOT_AUTHORIZED' ? 403 : (STATUS[thrown.kind] ?? 400);
}

/** Whether an operation has no data because a part is down. Where it has some, of a mutation perhaps, the answer shows it. */
const isDown = (formatted: readonly GraphQLFormattedError[], data: unknown): boolean =>
  formatted.some(({ extensions }) => extensions?.code === 'UNAVAILABLE') &&
  Object.values(data ?? {}).every((value) => value === null);
