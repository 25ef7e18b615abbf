/** Counts rows, to show that refused requests have written nothing. */
import type { World } from './world.ts';

/**
 * A function that returns the row counts of all tables as one text. It counts again only if the server has sent a statement that may write
 * since the last call, or on request. The position of the log would not work, since writes of other tests move it too.
 */
export function rowCounter({ app, database, writesSent }: World): (isAnew?: boolean) => Promise<string> {
  let statement: { name: string; text: string } | undefined;
  let counted: { writes: number; counts: string } | undefined;

  async function countStatement() {
    const { rows } = await database.pool.query(
      "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1",
    );
    const counts = rows.map(({ relname }) => `'${relname} ' || (SELECT count(*) FROM "${relname}")`);
    return { name: 'count_rows', text: `SELECT ${counts.join(` || ', ' || `)} AS counts` };
  }

  return async (isAnew = false) => {
    await app.settle(); // mails and sweeps of earlier requests write with a delay
    const writes = writesSent();
    if (!isAnew && counted?.writes === writes) return counted.counts;
    statement ??= await countStatement();
    const counts: string = (await database.pool.query(statement)).rows[0].counts;
    counted = { writes, counts };
    return counts;
  };
}

/** The tables whose row counts differ, with both counts. */
export function changed(before: string, after: string): string {
  const now = after.split(', ');
  return before
    .split(', ')
    .flatMap((count, at) => (count === now[at] ? [] : [`${count} → ${now[at]}`]))
    .join(', ');
}
