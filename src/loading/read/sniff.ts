/** Detects delimiter, header position and column names from the start of a CSV file. Pure. */
import { badFile } from './problem.ts';
import { fieldsOf } from './scan.ts';

const DELIMITERS = [',', ';', '\t', '|'] as const;
/** Records examined. */
const LOOKED_AT = 200;
/** Maximum rows before the header. */
const MAX_TITLES = 20;

export interface Sniffed {
  readonly delimiter: string;
  /** Records before the first table record. */
  readonly skip: number;
  readonly names: readonly string[];
}

/** `text` is the start of the file; `isWhole` when it is the entire file. @throws CatalogError VALIDATION */
export function sniffCsv(text: string, isWhole: boolean, tabs: boolean): Sniffed {
  const rowsBy = (delimiter: string) =>
    recordsOf(text, delimiter, isWhole).map((record) => fieldsOf(record, delimiter));
  const tries = (tabs ? (['\t', ...DELIMITERS] as const) : DELIMITERS).map((delimiter) => {
    const rows = rowsBy(delimiter);
    const width = usual(rows.map((row) => row.length));
    const alike = rows.filter((row) => row.length === width).length / Math.max(rows.length, 1);
    return { delimiter, rows, score: width > 1 ? alike * (1 + Math.log2(width) / 100) : 0 };
  });
  const best = tries.reduce((a, b) => (b.score > a.score ? b : a));
  if (best.rows.length === 0) throw badFile('The file has no rows');
  const { skip, names } = headerOf(best.rows);
  return { delimiter: best.delimiter, skip, names };
}

/** Finds the header and its names: the first row with a value for nearly every column. */
export function headerOf(rows: readonly (readonly string[])[]): { skip: number; names: string[] } {
  const filled = (row: readonly string[]) => row.filter((value) => value.trim() !== '').length;
  const width = usual(rows.map((row) => row.length));
  const at = rows.slice(0, MAX_TITLES).findIndex((row) => row.length >= width && filled(row) >= width - 1);
  const header = Math.max(at, 0);
  const widest = Math.max(...rows.slice(header).map((row) => row.length));
  const names = [...rows[header]!];
  while (names.length < widest) names.push('');
  return { skip: header + 1, names: columnNames(names) };
}

/** The most frequent number; the greatest one on a tie. */
function usual(counts: readonly number[]): number {
  const times = new Map<number, number>();
  for (const count of counts) times.set(count, (times.get(count) ?? 0) + 1);
  return [...times].sort(([a, n], [b, m]) => m - n || b - a)[0]?.[0] ?? 0;
}

/** First records of a text, without empty lines. Omits the last one unless the text is complete. */
function recordsOf(text: string, delimiter: string, isWhole: boolean): string[] {
  const records: string[] = [];
  let from = 0;
  let quoted = false;
  for (let at = 0; at < text.length && records.length < LOOKED_AT; at += 1) {
    const sign = text[at];
    if (quoted) {
      if (sign !== '"') continue;
      if (text[at + 1] === '"') at += 1;
      else quoted = false;
    } else if (sign === '"') quoted = at === from || text[at - 1] === delimiter;
    else if (sign === '\n' || sign === '\r') {
      if (at > from) records.push(text.slice(from, at));
      from = at + 1;
    }
  }
  if (records.length < LOOKED_AT && from < text.length && (isWhole || records.length === 0))
    records.push(text.slice(from));
  return records;
}

const MAX_NAME_LENGTH = 63;
/** PostgreSQL's limit, minus the columns that every table has. */
const MAX_COLUMNS = 1_590;
/** Maximum characters of a name that are processed; the final name is shorter. */
const LOOKED_AT_OF_NAME = 1_000;

/** System columns that every table of PostgreSQL has. */
const SYSTEM = ['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'];

/** Unique column names. Columns without a name are named by position. */
export function columnNames(given: readonly string[]): string[] {
  if (given.length > MAX_COLUMNS)
    throw badFile(`The file has ${given.length} columns; a table can have at most ${MAX_COLUMNS}`);
  const taken = new Set<string>(SYSTEM);
  const next = new Map<string, number>(); // next number to append per name
  return given.map((name, index) => {
    const plain =
      cut(
        name
          .slice(0, LOOKED_AT_OF_NAME)
          .replace(/[\p{Cc}"\s]+/gu, ' ')
          .trim()
          .replace(/^[_\s]+/, ''),
        MAX_NAME_LENGTH,
      ) || `column_${index + 1}`;
    let unique = plain;
    let n = next.get(plain) ?? 2;
    for (; taken.has(unique); n += 1) unique = `${cut(plain, MAX_NAME_LENGTH - `_${n}`.length)}_${n}`;
    next.set(plain, n);
    taken.add(unique);
    return unique;
  });
}

/** At most `bytes` bytes, without splitting a character. */
function cut(text: string, bytes: number): string {
  const signs = [...text.slice(0, bytes)]; // a character has at least one byte
  while (Buffer.byteLength(signs.join('')) > bytes) signs.pop();
  return signs.join('').trim();
}
