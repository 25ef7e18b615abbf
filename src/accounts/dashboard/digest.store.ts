/** Who wants e-mails about activities, and until where in the change log they have been told. */
import type { Sql, Statement } from '../../kernel/db.ts';
import { SINCE_ACCOUNT } from './dashboard.store.ts';

export interface Recipient {
  readonly id: string;
  readonly displayName: string;
  readonly name: string;
  readonly email: string;
  /** Until where activities were seen or sent. */
  readonly told: number;
  /** Until where they were sent; null when none ever were. */
  readonly mailed: number | null;
}

const statements = {
  // Whoever is still writing may have an older place in the log than what is there to see: nothing after that is told yet.
  horizon: {
    name: 'digest_horizon',
    text: `SELECT coalesce(max(sequence), 0)::float8 AS sequence FROM change WHERE transaction_id < pg_snapshot_xmin(pg_current_snapshot())`,
  },
  recipients: {
    name: 'digest_recipients',
    text: `SELECT u.id, u.name, coalesce(nullif(btrim(u.full_name), ''), u.name) AS "displayName", u.email,
        greatest(coalesce(d.seen_sequence, ${SINCE_ACCOUNT}), d.mailed_sequence, 0)::float8 AS told, d.mailed_sequence::float8 AS mailed
      FROM user_account u LEFT JOIN dashboard d ON d.user_id = u.id
      WHERE u.email_notifications AND u.state = 'active' AND u.email IS NOT NULL AND ($1::text IS NULL OR u.id > $1)
        AND ($2::text[] IS NULL OR u.id = ANY ($2) OR u.name = ANY ($2)) ORDER BY u.id LIMIT $3::int`,
  },
  move: {
    name: 'digest_move',
    text: `INSERT INTO dashboard AS d (user_id, mailed_sequence) VALUES ($1, $3)
      ON CONFLICT (user_id) DO UPDATE SET mailed_sequence = $3 WHERE d.mailed_sequence IS NOT DISTINCT FROM $2::bigint RETURNING user_id`,
  },
} satisfies Record<string, Statement>;

/** The newest place in the log before which nothing can come in any more. */
export const findHorizon = async (sql: Sql): Promise<number> =>
  (await sql.rows<{ sequence: number }>(statements.horizon))[0]!.sequence;

/** Up to `limit` of those who want e-mails after an id (null: from the first), by id; among these ids or names, or (null) all. */
export const listRecipients = (
  sql: Sql,
  after: string | null,
  among: readonly string[] | null,
  limit: number,
): Promise<Recipient[]> => sql.rows(statements.recipients, [after, among, limit]);

/** Notes until where was sent; false when somebody else did meanwhile. */
export const moveMailed = async (sql: Sql, userId: string, from: number | null, to: number | null): Promise<boolean> =>
  (await sql.rows(statements.move, [userId, from, to])).length > 0;
