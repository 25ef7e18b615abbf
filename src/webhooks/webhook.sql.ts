/** Notifies dispatchers, and gives many dead letters new ids. In SQL because Prisma has no NOTIFY and no expressions in updates. */
import type { Sql, Statement } from '../infra/postgres/db.ts';
import { notify } from '../infra/postgres/notify.sql.ts';

/** Wakes the dispatchers: a webhook is new, or has something to send again. */
export const CHANNEL = 'webhook';

const statements = {
  renewDeadLetters: {
    name: 'webhook_renew_letters',
    text: `UPDATE webhook_dead_letter SET id = 'msg_' || replace(gen_random_uuid()::text, '-', '') WHERE webhook_id = $1`,
  },
} satisfies Record<string, Statement>;

/** Notifies dispatchers at the commit. */
export const notifyDispatchers = (sql: Sql): Promise<void> => notify(sql, CHANNEL);

/** Gives each dead letter of a webhook a new id, because its changes will differ from those under the old one. */
export const renewDeadLetters = async (sql: Sql, webhookId: string): Promise<void> =>
  void (await sql.rows(statements.renewDeadLetters, [webhookId]));
