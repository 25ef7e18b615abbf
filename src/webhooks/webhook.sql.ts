/** Notices to deliverers, and new ids for many letters: Prisma has neither NOTIFY nor expressions in updates. */
import type { Sql, Statement } from '../infra/postgres/db.ts';
import { notify } from '../infra/postgres/notify.sql.ts';

/** Notices make deliverers look: a webhook is new, or has something to send again. */
export const CHANNEL = 'webhook';

const statements = {
  renewLetters: {
    name: 'webhook_renew_letters',
    text: `UPDATE webhook_dead_letter SET id = 'msg_' || replace(gen_random_uuid()::text, '-', '') WHERE webhook_id = $1`,
  },
} satisfies Record<string, Statement>;

/** Notifies deliverers at the commit. */
export const notifyDeliverers = (sql: Sql): Promise<void> => notify(sql, CHANNEL);

/** Gives each dead letter of a webhook a new id: it will contain other changes than under the old one. */
export const renewLetters = async (sql: Sql, webhookId: string): Promise<void> =>
  void (await sql.rows(statements.renewLetters, [webhookId]));
