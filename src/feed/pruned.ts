/** Pruned changes. The catalog never prunes its log, but operators can; readers that missed the pruned part must get an error. */

import type { Sql } from '../infra/postgres/db.ts';
import { cursorOf } from '../kernel/connection.ts';
import { Gone } from '../kernel/errors.ts';
import { endsOfLog } from './feed.sql.ts';

/** Whether the changes after a position have gaps up to the last one: positions have no gaps. */
export const lacksAny = (start: number, changes: readonly { readonly position: number }[]): boolean =>
  (changes.at(-1)?.position ?? start) !== start + changes.length;

/** The cursor before the first change in the log. */
export const firstCursor = async (sql: Sql): Promise<string> => cursorOf([(await endsOfLog(sql)).first - 1]);

/** Error for cursors older than the retained log. */
export async function prunedError(sql: Sql, argument: 'after' | 'since' = 'after'): Promise<Gone> {
  const oldest = await firstCursor(sql);
  const how = `Read the catalog again, then continue with after: "${oldest}"`;
  const start = argument === 'after' ? 'this cursor' : 'this time';
  return new Gone(argument, `Changes after ${start} were pruned from the log. ${how}`, oldest);
}
