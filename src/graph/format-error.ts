/** Formats errors for callers of `/graphql`. Expected errors show their kind. Defects are logged once and masked. */
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import type { Logger } from '../infra/log/log.ts';
import { asRefusal } from '../infra/postgres/failures.ts';
import { CatalogError, Gone } from '../kernel/errors.ts';
import { wordsOf } from '../kernel/mutation.ts';
import { isOverTokens, OverLimit, tooManyTokens } from './admission/limits.ts';

export type FormatError = (
  formatted: GraphQLFormattedError,
  error: unknown,
  requestId: string,
) => GraphQLFormattedError;

/**
 * Returns a function from Apollo's formatted errors to ours. Syntax, validation and variable errors are unchanged. A CatalogError
 * gets `extensions.code` (its kind) and `extensions.problems`. Other errors become "Internal error" with the request id. They are
 * logged once, with the same id.
 */
export function createFormatError(log: Logger): FormatError {
  const logged = new WeakMap<object, string>();

  function report(defect: unknown, requestId: string): void {
    const key = typeof defect === 'object' && defect !== null ? defect : {};
    if (logged.get(key) === requestId) return;
    logged.set(key, requestId);
    log.error({ err: defect, requestId }, 'GraphQL operation failed');
  }

  return function formatError(
    formatted: GraphQLFormattedError,
    error: unknown,
    requestId: string,
  ): GraphQLFormattedError {
    const thrown = asRefusal(causeOf(error), log.child({ requestId }));
    const { locations, path } = formatted;
    const code = formatted.extensions?.code;
    const isUnread = code === 'GRAPHQL_PARSE_FAILED';
    const source = isUnread ? {} : { ...(locations && { locations }), ...(path && { path }) };
    if (thrown instanceof CatalogError) {
      const message = wordsOf(thrown);
      const problems = thrown.problems.map(({ path: at, message: what }) => ({ path: at.map(String), message: what }));
      const { kind, currentVersion } = thrown;
      const details = {
        ...(problems.length > 0 && { problems }),
        ...(currentVersion !== undefined && { currentVersion }),
        ...(thrown instanceof Gone && { oldest: thrown.oldest }),
        ...(thrown instanceof OverLimit && { limit: thrown.limit }),
      };
      return { message, ...source, extensions: { code: kind, ...details } };
    }
    if (thrown === null) return formatted;
    if (thrown instanceof RangeError && isUnread)
      return { message: 'Syntax Error: The document is nested too deep.', extensions: { code } };
    report(thrown, requestId);
    return {
      message: `Internal error, id ${requestId}`,
      ...source,
      extensions: { code: 'INTERNAL_SERVER_ERROR', requestId },
    };
  };
}

/** The error that a resolver threw, unwrapped from GraphQLError. Null for a fault of the caller's document or variables. */
function causeOf(error: unknown): unknown {
  let inner = error;
  while (inner instanceof GraphQLError && inner.originalError) inner = inner.originalError;
  if (inner instanceof GraphQLError && isOverTokens(inner)) return tooManyTokens();
  return inner instanceof GraphQLError && isCallers(error as GraphQLError) ? null : inner;
}

/** GraphQL's own errors during execution are defects of ours (null for a non-null field), except argument values of the wrong type. */
const isCallers = ({ path, message }: GraphQLError): boolean => !path || /^(Argument|Variable) "/.test(message);
