/** Notifies listening processes (listen.ts). In SQL because Prisma has no NOTIFY. */
import type { Sql, Statement } from './db.ts';

const NOTIFY: Statement = { name: 'notify', text: 'SELECT pg_notify($1, $2)::text' };

/** Notifies all processes that listen on the channel; inside a transaction, at its commit. */
export const notify = async (sql: Sql, channel: string, notice = ''): Promise<void> =>
  void (await sql.rows(NOTIFY, [channel, notice]));
