/**
 * Idempotency keys: a creating mutation runs at most once per key of the caller. A client without an answer repeats the
 * request with the same `idempotencyKey` and gets the result of the first one. The key is written in the transaction
 * that creates the object, so neither exists without the other. Of two concurrent requests the second waits for the
 * first.
 */
import { type Call, inTransaction } from './call.ts';
import { invalidField, notFound } from './errors.ts';
import { claimKey, HOURS, type KeyedRequest } from './idempotency.sql.ts';
import { noteObject, readKey } from './idempotency.store.ts';
import { isObject } from './json.ts';
import { payload } from './mutation.ts';

const MAX_LENGTH = 255;

interface Keyed {
  readonly idempotencyKey?: string | null;
}

type ByIds = (call: Call, ids: readonly string[]) => Promise<readonly (unknown | null)[]>;

/** A mutation resolver like `payload`, for a creation that runs once per key. */
export function created<Field extends string, Input extends object, T extends { id: string }>(
  mutation: string,
  field: Field,
  work: (call: Call, input: Input) => Promise<T>,
  byIds: ByIds,
) {
  const make = once(mutation, work, byIds);
  return payload(field, (call, { input }: { input: Input & Keyed }) => make(call, input));
}

/**
 * A creation that runs once per key. `mutation` is its name; `byIds` reads the created object for a repeated request,
 * under the read policy. Refusals release the key.
 */
export function once<Input extends object, T extends { id: string }>(
  mutation: string,
  work: (call: Call, input: Input) => Promise<T>,
  byIds: ByIds,
): (call: Call, input: Input & Keyed) => Promise<T> {
  return async (call, { idempotencyKey, ...input }) => {
    const make = (call: Call) => work(call, input as unknown as Input);
    if (idempotencyKey == null) return make(call);
    const { userId } = call.actor;
    if (userId === null) throw invalidField('idempotencyKey', 'Idempotency keys require a signed-in user');
    if (!/\S/.test(idempotencyKey) || idempotencyKey.length > MAX_LENGTH)
      throw invalidField('idempotencyKey', `Must have 1 to ${MAX_LENGTH} characters, not only spaces`);
    const request = { userId, key: idempotencyKey, mutation, inputHash: hashOf(call, input) };
    return inTransaction(call, async (call) => {
      if (!(await claimKey(call.sql, request)))
        return again(call, request, byIds as (call: Call, ids: readonly string[]) => Promise<T[]>);
      const made = await make(call);
      await noteObject(call.db, request, made.id);
      return made;
    });
  };
}

async function again<T>(
  call: Call,
  request: KeyedRequest,
  byIds: (call: Call, ids: readonly string[]) => Promise<(T | null)[]>,
): Promise<T> {
  const earlier = await readKey(call.db, request);
  if (earlier.mutation !== request.mutation || earlier.inputHash !== request.inputHash)
    throw invalidField(
      'idempotencyKey',
      `The key was used for another request in the last ${HOURS} hours. Use a new key`,
    );
  const [made] = await byIds(call, [earlier.objectId!]);
  if (!made) throw notFound('An earlier request with this idempotencyKey created the object, but it no longer exists.');
  return made;
}

/**
 * A hash of the input, independent of the order of its fields. Keyed, because inputs contain passwords that must not be
 * guessable from it.
 */
function hashOf({ secrets: { secretBox } }: Call, input: object): string {
  const text = JSON.stringify(input, (_key, value: unknown) =>
    isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
  return secretBox.sign('idempotency', text);
}
