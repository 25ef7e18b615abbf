/**
 * Mutations that make something, at most once for each key of the caller: a client that got no answer asks again with the same
 * `idempotencyKey` and gets what the first request made. The key is written in the transaction that makes the object, so there is no
 * moment in which one is there without the other; of two at once the second waits for the first.
 */
import { type Call, inTransaction } from './call.ts';
import type { Sql, Statement } from './db.ts';
import { invalidField, notFound } from './errors.ts';
import { payload } from './payload.ts';

/** How long a key is remembered. */
const HOURS = 24;
const MAX_LENGTH = 255;

interface Keyed {
  readonly idempotencyKey?: string | null;
}

type ByIds = (call: Call, ids: readonly string[]) => Promise<readonly (unknown | null)[]>;

/** A mutation resolver like `payload`, of a creation that is done once for a key. */
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
 * A creation that is done once for a key. `mutation` is its name; `byIds` reads what it made, by the policy of reads, when it is asked
 * for again. Refusals leave the key free.
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
    const asked = { userId, key: idempotencyKey, mutation, inputHash: hashOf(call, input) };
    return inTransaction(call, async (call) => {
      const earlier = await claim(call.sql, asked);
      if (earlier) return again(call, asked, earlier, byIds as (call: Call, ids: readonly string[]) => Promise<T[]>);
      const made = await make(call);
      await call.sql.rows(MADE, [userId, idempotencyKey, made.id]);
      return made;
    });
  };
}

interface Asked {
  readonly userId: string;
  readonly key: string;
  readonly mutation: string;
  readonly inputHash: string;
}

interface Earlier {
  readonly mutation: string;
  readonly inputHash: string;
  readonly objectId: string;
}

async function again<T>(
  call: Call,
  asked: Asked,
  earlier: Earlier,
  byIds: (call: Call, ids: readonly string[]) => Promise<(T | null)[]>,
): Promise<T> {
  if (earlier.mutation !== asked.mutation || earlier.inputHash !== asked.inputHash)
    throw invalidField(
      'idempotencyKey',
      `The key was used for another request in the last ${HOURS} hours. Use a new key`,
    );
  const [made] = await byIds(call, [earlier.objectId]);
  if (!made) throw notFound('An earlier request with this idempotencyKey created the object, but it no longer exists.');
  return made;
}

/** Takes the key for this transaction: null; or tells what it stands for. Keys of yesterday are free, and a few of them are forgotten. */
async function claim(sql: Sql, { userId, key, mutation, inputHash }: Asked): Promise<Earlier | null> {
  await sql.rows(FORGET);
  const [taken] = await sql.rows(CLAIM, [userId, key, mutation, inputHash]);
  if (taken) return null;
  const [earlier] = await sql.rows<Earlier>(EARLIER, [userId, key]);
  return earlier ?? null;
}

const FORGET: Statement = {
  name: 'idempotency_forget',
  text: `DELETE FROM idempotency_key WHERE (user_id, key) IN (SELECT user_id, key FROM idempotency_key
    WHERE created_at < now() - interval '${HOURS} hours' LIMIT 10 FOR UPDATE SKIP LOCKED)`,
};
const CLAIM: Statement = {
  name: 'idempotency_claim',
  text: `INSERT INTO idempotency_key AS k (user_id, key, mutation, input_hash) VALUES ($1, $2, $3, $4)
    ON CONFLICT (user_id, key) DO UPDATE SET mutation = EXCLUDED.mutation, input_hash = EXCLUDED.input_hash, object_id = NULL,
      created_at = EXCLUDED.created_at
    WHERE k.created_at < now() - interval '${HOURS} hours' RETURNING 1`,
};
const EARLIER: Statement = {
  name: 'idempotency_earlier',
  text: 'SELECT mutation, input_hash AS "inputHash", object_id AS "objectId" FROM idempotency_key WHERE user_id = $1 AND key = $2',
};
const MADE: Statement = {
  name: 'idempotency_made',
  text: 'UPDATE idempotency_key SET object_id = $3 WHERE user_id = $1 AND key = $2',
};

/** The same for the same input, whatever the order of its fields. Keyed: passwords stand in inputs, and nobody shall guess at them by it. */
function hashOf({ vault }: Call, input: object): string {
  const text = JSON.stringify(input, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return vault.sign('idempotency', text);
}
