/** Claims idempotency keys. In SQL because Prisma has no ON CONFLICT … WHERE and no SKIP LOCKED. */
import type { RowOf, Sql, Statement } from '../infra/postgres/db.ts';

/** Hours for which a key is remembered. */
export const HOURS = 24;

const OLD = `created_at < now() - interval '${HOURS} hours'`;

/** Also deletes a few old keys. */
const CLAIM: Statement = {
  name: 'idempotency_claim',
  text: `WITH old AS (DELETE FROM idempotency_key WHERE (user_id, key) IN (SELECT user_id, key FROM idempotency_key
      WHERE ${OLD} AND (user_id, key) <> ($1, $2) LIMIT 10 FOR UPDATE SKIP LOCKED))
    INSERT INTO idempotency_key AS k (user_id, key, mutation, input_hash) VALUES ($1, $2, $3, $4)
    ON CONFLICT (user_id, key) DO UPDATE SET mutation = EXCLUDED.mutation, input_hash = EXCLUDED.input_hash, object_id = NULL,
      created_at = EXCLUDED.created_at WHERE k.${OLD} RETURNING 1`,
};

/** A request under a key. */
export type KeyedRequest = RowOf<'IdempotencyKey', 'userId' | 'key' | 'mutation' | 'inputHash'>;

/** Claims the key for this transaction. False if an earlier request has it. Also deletes a few old keys. */
export const claimKey = async (sql: Sql, { userId, key, mutation, inputHash }: KeyedRequest): Promise<boolean> =>
  (await sql.rows(CLAIM, [userId, key, mutation, inputHash])).length > 0;
