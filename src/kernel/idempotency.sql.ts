/** Claims of idempotency keys. In SQL because Prisma has neither ON CONFLICT … WHERE nor SKIP LOCKED. */
import type { Sql, Statement } from '../infra/postgres/db.ts';

/** How long a key is remembered. */
export const HOURS = 24;

const OLD = `created_at < now() - interval '${HOURS} hours'`;

const statements = {
  claim: {
    name: 'idempotency_claim',
    text: `INSERT INTO idempotency_key AS k (user_id, key, mutation, input_hash) VALUES ($1, $2, $3, $4)
      ON CONFLICT (user_id, key) DO UPDATE SET mutation = EXCLUDED.mutation, input_hash = EXCLUDED.input_hash, object_id = NULL,
        created_at = EXCLUDED.created_at WHERE k.${OLD} RETURNING 1`,
  },
  deleteOld: {
    name: 'idempotency_delete_old',
    text: `DELETE FROM idempotency_key WHERE (user_id, key) IN
      (SELECT user_id, key FROM idempotency_key WHERE ${OLD} LIMIT 10 FOR UPDATE SKIP LOCKED)`,
  },
} satisfies Record<string, Statement>;

/** A request under a key. */
export interface KeyedRequest {
  readonly userId: string;
  readonly key: string;
  readonly mutation: string;
  readonly inputHash: string;
}

/** Takes the key for this transaction. False when it stands for an earlier request. Also deletes a few old keys. */
export async function claimKey(sql: Sql, { userId, key, mutation, inputHash }: KeyedRequest): Promise<boolean> {
  await sql.rows(statements.deleteOld);
  return (await sql.rows(statements.claim, [userId, key, mutation, inputHash])).length > 0;
}
