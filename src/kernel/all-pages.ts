/**
 * All rows of a list, in pages by key: `read` returns the rows after a key (null: from the start), and fewer than
 * `size` at the end. Each page is read after the previous one is processed, so concurrent writes neither hide a row nor
 * repeat one.
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
