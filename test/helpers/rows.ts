/** Counts rows, to show that what was refused has written nothing. */
import type { World } from './world.ts';

/** A function that gives the rows of every table as one text. It counts again only when the database has written anything since the last time. */
export function rowCounter({ app, database }: World): () => Promise<string> {
  let statement: { name: string; text: string } | undefined;
  let counted: { position: string; counts: string } | undefined;

  async function countStatement() {
    const { rows } = await database.pool.query(
      "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1",
    );
    const counts = rows.map(({ relname }) => `'${relname} ' || (SELECT count(*) FROM "${relname}")`);
    return { name: 'count_rows', text: `SELECT ${counts.join(` || ', ' || `)} AS counts` };
  }

  return async () => {
    await app.settle(); // mails and sweeps of the requests before write a little later
    const { rows } = await database.pool.query({
      name: 'position',
      text: 'SELECT pg_current_wal_insert_lsn()::text AS position',
    });
    if (counted?.position === rows[0].position) return counted!.counts;
    statement ??= await countStatement();
    const counts: string = (await database.pool.query(statement)).rows[0].counts;
    counted = { position: rows[0].position, counts };
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
