/** Rows of values, of formats that are no text, as the CSV text that a table is read from. */
import { rowTooLong } from './problem.ts';
import { MAX_RECORD_BYTES } from './scan.ts';
import type { TextFile } from './text-file.ts';

/** Rows in batches: each row has a value for each column; null and undefined are none. */
export type Rows = AsyncIterable<Iterable<readonly unknown[]>>;

/** Characters of text that are handed on at a time. One row more is the most that is held. */
const PIECE = 256 * 1024;

/** Such a file: no header, since the names are known, unless some rows at the beginning are to be left out. */
export const rowsFile = (names: readonly string[], open: () => Rows, skip = 0): TextFile => ({
  names,
  layout: { delimiter: 44, width: names.length, skip, nested: true },
  open: () => textOf(open(), names.length),
});

async function* textOf(batches: Rows, width: number): AsyncGenerator<Buffer> {
  let text = '';
  let row = 0;
  for await (const batch of batches)
    for (const values of batch) {
      row += 1;
      text += lineOf(values, width, row);
      if (text.length < PIECE) continue;
      yield Buffer.from(text, 'utf8');
      text = '';
    }
  yield Buffer.from(text, 'utf8');
}

/** @throws CatalogError VALIDATION before a line is longer than a record may be: a few values can be shared by many cells */
function lineOf(row: readonly unknown[], width: number, number: number): string {
  const cells: string[] = [];
  let length = 0;
  for (let at = 0; at < width; at += 1) {
    const cell = cellOf(row[at]);
    length += cell.length + 1;
    if (length > MAX_RECORD_BYTES + 1) throw rowTooLong(number, MAX_RECORD_BYTES);
    cells.push(cell);
  }
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
