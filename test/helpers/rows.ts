/** Counts rows, to show that what was refused has written nothing. */
import type { World } from './world.ts';

/**
 * A function that gives the rows of every table as one text. It counts again only when the server has sent a statement that may write since
 * the last time, or when told to: the position of the log would also move by what other tests write.
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
    await app.settle(); // mails and sweeps of the requests before write a little later
    const writes = writesSent();
    if (!isAnew && counted?.writes === writes) return counted.counts;
    statement ??= await countStatement();
    const counts: string = (await database.pool.query(statement)).rows[0].counts;
    counted = { writes, counts };
    return counts;
  };
}

/** The tables whose rows became more or fewer, with both counts. */
export function changed(before: string, after: string): string {
  const now = after.split(', ');
  return before
    .split(', ')
    .flatMap((count, at) => (count === now[at] ? [] : [`${count} → ${now[at]}`]))
    .join(', ');
}
