/** Statements about webhooks that Prisma lacks: notices, new ids for many rows, and aggregates over the change log. */
import type { Sql, Statement } from '../infra/postgres/db.ts';

/** Notices make deliverers look: a webhook is new, or has something to send again. */
export const CHANNEL = 'webhook';

const statements = {
  notify: { name: 'webhook_notify', text: `SELECT pg_notify('${CHANNEL}', '')` },
  renewLetters: {
    name: 'webhook_renew_letters',
    text: `UPDATE webhook_dead_letter SET id = 'msg_' || replace(gen_random_uuid()::text, '-', '') WHERE webhook_id = $1`,
  },
  log: {
    name: 'webhook_log',
    text: `SELECT coalesce(max(position), 0)::float8 AS last, (SELECT count(*) FROM change WHERE position IS NULL)::float8 AS unplaced FROM change`,
  },
} satisfies Record<string, Statement>;

/** Notifies deliverers at the commit. */
export const notifyDeliverers = async (sql: Sql): Promise<void> => void (await sql.rows(statements.notify));

/** Gives each dead letter of a webhook a new id: it will contain other changes than under the old one. */
export const renewLetters = async (sql: Sql, webhookId: string): Promise<void> =>
  void (await sql.rows(statements.renewLetters, [webhookId]));

/** The last position of the log, and how many changes have none yet. */
export const readLog = async (sql: Sql): Promise<{ last: number; unplaced: number }> =>
  (await sql.rows<{ last: number; unplaced: number }>(statements.log))[0]!;
