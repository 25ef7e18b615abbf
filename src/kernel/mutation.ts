import { asRefusal, isDown } from '../infra/postgres/failures.ts';
import type { Actor, Call } from './call.ts';
import { allow, CatalogError, limitAt } from './errors.ts';

/** One error in a mutation payload of the graph. */
export interface PayloadError {
  code: CatalogError['kind'];
  message: string;
  path: string[];
  currentVersion: number | null;
}

/** A mutation's payload: the object, or its errors. */
type Payload<Field extends string, T> = { [F in Field]: T | null } & { errors: PayloadError[] };

interface Context {
  readonly call: Call;
  readonly caller: 'facade' | 'client';
}

/** Why the caller's token may not write; null if it may. */
export const mayWrite = ({ limitedTo }: Actor): string | null =>
  limitedTo === 'read' ? 'this token is read-only' : null;

/** Why the caller may not send a file; null if they may. Asked before a file is received: only users may use disk space. */
export const maySendFile = (actor: Actor): string | null =>
  actor.userId === null ? 'You must be logged in to upload files' : mayWrite(actor);

/**
 * A mutation resolver: calls the service and returns its result under `field` of the payload. Every mutation is one of
 * these, and every facade writes by mutations, so read-only tokens are refused here. Expected errors become `errors` of
 * the payload, or are thrown if the caller requires it (facades). UNAVAILABLE is an error of the operation, so that the
 * response is 503.
 */
export function payload<Field extends string, Args, T>(field: Field, work: (call: Call, args: Args) => Promise<T>) {
  return async (_root: unknown, args: Args, context: Context): Promise<Payload<Field, T>> => {
    try {
      allow(mayWrite(context.call.actor));
      return { [field]: await work(context.call, args), errors: [] } as Payload<Field, T>;
    } catch (thrown) {
      if (context.caller === 'facade' || !(thrown instanceof CatalogError) || isDown(thrown)) throw thrown;
      return { [field]: null, errors: payloadErrors(thrown) } as Payload<Field, T>;
    }
  };
}

/** Maximum number of items in a batch. */
export const MAX_ITEMS = 100;

/**
 * A mutation resolver for batches: writes or refuses each item separately, in order, with its payload at the same index
 * of `results`. A refused item does not stop the others. If a component fails after some writes, the answer says which
 * items were written.
 */
export function payloads<Field extends string, Item, T>(field: Field, work: (call: Call, item: Item) => Promise<T>) {
  return payload('results', async (call, { input: { items } }: { input: { items: readonly Item[] } }) => {
    if (items.length > MAX_ITEMS) throw limitAt('items', `At most ${MAX_ITEMS} items (got ${items.length})`);
    const one = payload(field, work);
    const results: Payload<Field, T>[] = [];
    let isAnyWritten = false;
    for (const item of items) {
      try {
        const result = await one(null, item, { call, caller: 'client' });
        isAnyWritten ||= result[field] !== null;
        results.push(result);
      } catch (thrown) {
        const refusal = asRefusal(thrown);
        if (!isAnyWritten || !(refusal instanceof CatalogError)) throw thrown;
        results.push({ [field]: null, errors: payloadErrors(refusal) } as Payload<Field, T>);
      }
    }
    return results;
  });
}

/** Prefixes of kinds whose messages only complete a sentence. */
const BEGINS: Partial<Record<CatalogError['kind'], string>> = {
  NOT_FOUND: 'Not found',
  NOT_AUTHORIZED: 'Access denied',
};

/** The message for people: a whole sentence, never empty. */
export function wordsOf({ kind, message }: CatalogError): string {
  const begin = BEGINS[kind];
  return begin ? (message ? `${begin}: ${message}` : begin) : message;
}

/** The payload of a refused mutation. */
export const refusal = (error: CatalogError) => ({ errors: payloadErrors(error) });

/** One entry per problem; an error without problems is one entry with an empty path. */
function payloadErrors(error: CatalogError): PayloadError[] {
  const facts = { code: error.kind, currentVersion: error.currentVersion ?? null };
  if (error.problems.length === 0) return [{ ...facts, message: wordsOf(error), path: [] }];
  return error.problems.map(({ path, message }) => ({ ...facts, message, path: path.map(String) }));
}
