/** Rows of values, of formats that are no text, as the CSV text that a table is read from. */
import { SAMPLE, type TextFile } from './text-file.ts';

/** Rows in batches: each row has a value for each column; null and undefined are none. */
export type Rows = AsyncIterable<readonly (readonly unknown[])[]>;

/** Such a file: no header, since the names are known, unless some rows at the beginning are to be left out. */
export const rowsFile = (names: readonly string[], open: () => Rows, skip = 0): TextFile => ({
  names,
  layout: { delimiter: 44, width: names.length, skip, nested: true },
  open: () => textOf(open(), names.length),
});

async function* textOf(batches: Rows, width: number): AsyncGenerator<Buffer> {
  let text = '';
  for await (const batch of batches) {
    for (const row of batch) text += lineOf(row, width);
    if (text.length < SAMPLE / 4) continue;
    yield Buffer.from(text, 'utf8');
    text = '';
  }
  yield Buffer.from(text, 'utf8');
}

function lineOf(row: readonly unknown[], width: number): string {
  const cells: string[] = [];
  for (let at = 0; at < width; at += 1) cells.push(cellOf(row[at]));
  return width === 1 && cells[0] === '' ? '""\n' : `${cells.join(',')}\n`;
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return '';
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : (JSON.stringify(value, plain) ?? '');
  return `"${text.replaceAll('"', '""')}"`;
}

/** What JSON has no word for. */
const plain = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);
