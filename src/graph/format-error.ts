/** What callers of `/graphql` see of an error. Refusals tell their kind; defects are logged once and masked. */
import { randomUUID } from 'node:crypto';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { CatalogError } from '../kernel/errors.ts';
import type { Logger } from '../kernel/log.ts';
import { wordsOf } from '../kernel/payload.ts';

/**
 * A function for Apollo's `formatError`. Syntax, validation and variable errors pass as they are; a CatalogError gets
 * `extensions.code` (its kind) and `extensions.problems`; anything else becomes "Internal error" with the id it is logged under.
 */
export function createFormatError(log: Logger) {
  const logged = new WeakMap<object, string>();

  function idOf(defect: unknown): string {
    const key = typeof defect === 'object' && defect !== null ? defect : {};
    let id = logged.get(key);
    if (id === undefined) {
      logged.set(key, (id = randomUUID()));
      log.error({ err: defect, id }, 'graph operation failed');
    }
    return id;
  }

  return function formatError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
    const thrown = originalOf(error);
    const { locations, path } = formatted;
    const place = { ...(locations && { locations }), ...(path && { path }) };
    if (thrown instanceof CatalogError) {
      const message = wordsOf(thrown);
      const problems = thrown.problems.map(({ path: at, message: what }) => ({ path: at.map(String), message: what }));
      return { message, ...place, extensions: { code: thrown.kind, ...(problems.length > 0 && { problems }) } };
    }
    if (thrown === null) return formatted;
    return { message: `Internal error, id ${idOf(thrown)}`, ...place, extensions: { code: 'INTERNAL_SERVER_ERROR' } };
  };
}

/** What a resolver threw, under GraphQL's wrapping; null when the caller's own document or variables are at fault. */
function originalOf(error: unknown): unknown {
  let inner = error;
  while (inner instanceof GraphQLError && inner.originalError) inner = inner.originalError;
  return inner instanceof GraphQLError && isCallers(error as GraphQLError) ? null : inner;
}

/** GraphQL's own errors while fields are resolved are ours (a null where none may be), but for values that do not fit arguments. */
const isCallers = ({ path, message }: GraphQLError): boolean => !path || /^(Argument|Variable) "/.test(message);
