import type { Call } from './call.ts';
import { CatalogError, notAuthorized } from './errors.ts';

/** One refusal as the graph's payloads carry it. */
export interface PayloadError {
  code: CatalogError['kind'];
  message: string;
  path: string[];
}

interface Context {
  readonly call: Call;
  readonly refusals: 'throw' | 'payload';
}

/**
 * A mutation resolver: calls the service and puts what comes back under `field` of the payload. Every mutation is one of these,
 * and every surface writes by mutations, so this is where a token that may only read is held back.
 * Expected refusals become `errors` of the payload, or are thrown where the caller asked for that (facades).
 */
export function payload<Field extends string, Args, T>(field: Field, work: (call: Call, args: Args) => Promise<T>) {
  return async (_root: unknown, args: Args, context: Context) => {
    try {
      if (context.call.actor.limitedTo === 'read') throw notAuthorized('this token may only read');
      return { [field]: await work(context.call, args), errors: [] } as { [F in Field]: T | null } & {
        errors: PayloadError[];
      };
    } catch (thrown) {
      if (context.refusals === 'throw' || !(thrown instanceof CatalogError)) throw thrown;
      return { [field]: null, errors: payloadErrors(thrown) } as { [F in Field]: T | null } & {
        errors: PayloadError[];
      };
    }
  };
}

/** How the kinds whose messages only complete a sentence begin. */
const BEGINS: Partial<Record<CatalogError['kind'], string>> = {
  NOT_FOUND: 'Not found',
  NOT_AUTHORIZED: 'Access denied',
};

/** The message for people: a whole sentence, never empty. */
export function wordsOf({ kind, message }: CatalogError): string {
  const begin = BEGINS[kind];
  return begin ? (message ? `${begin}: ${message}` : begin) : message;
}

/** One entry per problem; a refusal without problems is one entry with an empty path. */
export function payloadErrors(error: CatalogError): PayloadError[] {
  if (error.problems.length === 0) return [{ code: error.kind, message: wordsOf(error), path: [] }];
  return error.problems.map(({ path, message }) => ({ code: error.kind, message, path: path.map(String) }));
}
