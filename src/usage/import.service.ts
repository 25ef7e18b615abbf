/** Imports the table `tracking_summary` of CKAN: views of dataset pages, and downloads by the URL of resources. */

import { type Call, inTransaction } from '../kernel/call.ts';
import { DAY, dayOf } from '../kernel/time.ts';
import { USE } from '../kernel/usage.ts';
import { currentDay } from './fold.service.ts';
import { type Imported, lockUsage, raiseDays } from './fold.sql.ts';

const BATCH = 5_000;
/** Maximum distinct objects and days of a file, which are summed in memory. */
const MAX_DAYS = 2_000_000;
const COLUMNS = ['url', 'package_id', 'tracking_type', 'count', 'tracking_date'] as const;

/** The file is not an export of `tracking_summary`. */
export class ImportFault extends Error {}

/** Raises the counts of this catalog to those in CSV lines, the first of which names the columns. @throws ImportFault */
export async function usageImport(
  callNow: () => Call,
  lines: AsyncIterable<string>,
): Promise<{ rows: number; known: number }> {
  let columns: Record<(typeof COLUMNS)[number], number> | null = null;
  const sums = new Map<string, number>();
  let [number, rows, known] = [0, 0, 0];
  for await (const line of lines) {
    number += 1;
    if (line.trim() === '') continue;
    const cells = cellsOf(line);
    if (!columns) {
      columns = columnsOf(cells);
      continue;
    }
    const read = countOf(cells, columns);
    if (read === 'invalid')
      throw new ImportFault(
        `Line ${number}: count must be an integer of at most 9 digits, and tracking_date a date from 1990 to tomorrow: ${line.slice(0, 200)}`,
      );
    rows += 1;
    if (!read) continue;
    const { count, ...key } = read;
    const text = JSON.stringify(key);
    sums.set(text, (sums.get(text) ?? 0) + count);
    if (sums.size > MAX_DAYS)
      throw new ImportFault(`The file has more than ${MAX_DAYS} combinations of object and day. Split it by date`);
  }
  if (!columns) throw new ImportFault('The file is empty');
  const all = [...sums];
  for (let from = 0; from < all.length; from += BATCH) {
    const batch = all.slice(from, from + BATCH).map(([text, count]) => ({ ...(JSON.parse(text) as Key), count }));
    known += await raise(callNow(), batch);
  }
  return { rows, known };
}

type Key = Omit<Imported, 'count'>;

/** Each count is compared with what is stored, so a file has one sum for each object and day. */
const raise = (call: Call, batch: readonly Imported[]): Promise<number> =>
  inTransaction(call, async ({ sql, request }) => {
    await lockUsage(sql);
    return raiseDays(sql, await currentDay(sql, dayOf(request.now.getTime())), batch);
  });

function columnsOf(cells: readonly string[]): Record<(typeof COLUMNS)[number], number> {
  const missing = COLUMNS.filter((name) => !cells.includes(name));
  if (missing.length > 0) throw new ImportFault(`Line 1: columns are missing: ${missing.join(', ')}`);
  return Object.fromEntries(COLUMNS.map((name) => [name, cells.indexOf(name)])) as Record<
    (typeof COLUMNS)[number],
    number
  >;
}

const DATE = /^(\d{4}-\d\d-\d\d)(?:[T ].*)?$/;
const FILE = /\/resource\/([^/?#]+)\/download(?:[/?#]|$)/;

/** Whether a day of the calendar can have uses: from 1990, and not in the future of any time zone. */
function isDay(day: string): boolean {
  const ms = Date.parse(`${day}T00:00:00Z`);
  return ms >= Date.UTC(1990, 0, 1) && ms <= Date.now() + DAY && dayOf(ms) === day;
}

/** A row as a count; null for pages other than those of datasets. */
function countOf(
  cells: readonly string[],
  columns: Record<(typeof COLUMNS)[number], number>,
): Imported | 'invalid' | null {
  const cell = (name: (typeof COLUMNS)[number]) => cells[columns[name]] ?? '';
  const [, day] = DATE.exec(cell('tracking_date')) ?? [];
  const count = cell('count');
  if (day === undefined || !isDay(day) || !/^\d{1,9}$/.test(count)) return 'invalid';
  if (cells.some((it) => it.includes('\0'))) return 'invalid';
  const url = cell('url');
  if (cell('tracking_type') === 'resource') {
    const [, id] = FILE.exec(url) ?? [];
    const key = id === undefined ? ({ type: 'u', key: url } as const) : ({ type: 'r', key: id } as const);
    return { ...key, kind: USE.download, day, count: Number(count) };
  }
  const id = cell('package_id');
  return cell('tracking_type') === 'page' && id !== '' && id !== '~~not~found~~'
    ? { type: 'd', key: id, kind: USE.view, day, count: Number(count) }
    : null;
}

const CELL = /,(?:"((?:[^"]|"")*)"|([^,]*))/g;

/** The cells of a line of CSV. Values of this table have no line breaks. */
const cellsOf = (line: string): string[] =>
  [...`,${line.replace(/^\uFEFF/, '')}`.matchAll(CELL)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  );
