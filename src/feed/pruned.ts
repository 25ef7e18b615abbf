/** What is no longer in the log. The catalog takes nothing out of it, but somebody may; whoever has not read it by then must be told. */

import type { Sql } from '../infra/postgres/db.ts';
import { cursorOf } from '../kernel/connection.ts';
import { Gone } from '../kernel/errors.ts';
import { endsOfLog } from './feed.sql.ts';

/** Whether changes that were read behind a place lack some up to the last of them: places have no gaps. */
export const lacksAny = (place: number, changes: readonly { readonly position: number }[]): boolean =>
  (changes.at(-1)?.position ?? place) !== place + changes.length;

/** The cursor before the first change that the log holds. */
export const firstCursor = async (sql: Sql): Promise<string> => cursorOf([(await endsOfLog(sql)).first - 1]);

/** For readers at a place behind which some is lost. */
export async function goneFrom(sql: Sql): Promise<Gone> {
  const oldest = await firstCursor(sql);
  const how = `Read the catalog again, then continue with after: "${oldest}"`;
  return new Gone('after', `Changes after this cursor were pruned from the log. ${how}`, oldest);
}
