/** Converts rows of values from non-text formats into CSV text. */
import { rowTooLong } from './problem.ts';
import { MAX_RECORD_BYTES } from './scan.ts';
import type { TextFile } from './text-file.ts';

/** Batches of rows. Each row has a value per column; null and undefined mean no value. */
export type Rows = AsyncIterable<Iterable<readonly unknown[]>>;

/** Characters per output chunk. The buffer exceeds it by no more than one row. */
const PIECE = 256 * 1024;

/** CSV file made of such rows. It has no header because the names are known, unless `skip` omits rows at the start. */
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

/** @throws CatalogError VALIDATION before a line exceeds the maximum record length: many cells can share a few values */
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

/** Replaces values that JSON cannot represent. */
const plain = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);
