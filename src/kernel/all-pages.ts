/**
 * All of a list, page by page in the order of a key: `read` answers the rows after a key, null before the first, and fewer than `size`
 * at the end. Each page is read when the one before it was worked on, so what is written meanwhile neither hides a row nor repeats one.
 */
export async function* walk<Row>(
  size: number,
  read: (after: string | null, size: number) => Promise<Row[]>,
  keyOf: (row: Row) => string,
): AsyncGenerator<Row[]> {
  for (let after: string | null = null; ; ) {
    const page: Row[] = await read(after, size);
    if (page.length > 0) yield page;
    if (page.length < size) return;
    after = keyOf(page.at(-1)!);
  }
}
