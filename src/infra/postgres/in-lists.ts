/** Maximum values of one `in` list: PostgreSQL takes 65,535 parameters per statement, Prisma half as many. */
export const MAX_IN_LIST = 10_000;

/** Rows that `read` returns for all values, in batches that fit one statement. */
export async function inBatches<Row>(
  values: readonly string[],
  read: (batch: string[]) => Promise<Row[]>,
): Promise<Row[]> {
  const found: Row[][] = [];
  for (let at = 0; at < values.length; at += MAX_IN_LIST) found.push(await read(values.slice(at, at + MAX_IN_LIST)));
  return found.flat();
}
