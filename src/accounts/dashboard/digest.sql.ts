/** Recipients of digests, and how far to send. In SQL because both depend on positions in the change log and on PostgreSQL's snapshots. */
import type { Sql, Statement } from '../../infra/postgres/db.ts';
import { SINCE_ACCOUNT } from './dashboard.sql.ts';

export interface Recipient {
  readonly id: string;
  readonly displayName: string;
  readonly name: string;
  readonly email: string;
  /** Position up to which activities were seen or sent. */
  readonly told: number;
  /** Position up to which they were sent; null if none were. */
  readonly mailed: number | null;
}

const statements = {
  // An open transaction may hold a lower position than the newest visible one; digests stop before it.
  horizon: {
    name: 'digest_horizon',
    text: `SELECT coalesce(max(sequence), 0)::float8 AS sequence FROM change WHERE transaction_id < pg_snapshot_xmin(pg_current_snapshot())`,
  },
  recipients: {
    name: 'digest_recipients',
    text: `SELECT u.id, u.name, u.display_name AS "displayName", u.email,
        greatest(coalesce(d.seen_sequence, ${SINCE_ACCOUNT}), d.mailed_sequence, 0)::float8 AS told, d.mailed_sequence::float8 AS mailed
      FROM user_account u LEFT JOIN dashboard d ON d.user_id = u.id
      WHERE u.email_notifications AND u.state = 'active' AND u.email IS NOT NULL AND ($1::text IS NULL OR u.id > $1)
        AND ($2::text[] IS NULL OR u.id = ANY ($2) OR u.name = ANY ($2)) ORDER BY u.id LIMIT $3::int`,
  },
} satisfies Record<string, Statement>;

/** The newest position in the log before which no transaction can write. */
export const findHorizon = async (sql: Sql): Promise<number> =>
  (await sql.rows<{ sequence: number }>(statements.horizon))[0]!.sequence;

/** Up to `limit` users with e-mail notifications after an id (null: from the first), by id; among these ids or names, or (null) all. */
export const listRecipients = (
  sql: Sql,
  after: string | null,
  among: readonly string[] | null,
  limit: number,
): Promise<Recipient[]> => sql.rows(statements.recipients, [after, among, limit]);
