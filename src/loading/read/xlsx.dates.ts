/** Converts date numbers of workbooks to ISO 8601. The cell's style marks a number as a date. */
import { DAY } from '../../kernel/time.ts';
import { walk } from './xlsx.xml.ts';

/** Built-in format ids for dates and times. */
const BUILT_IN = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 58 && id !== 48 && id !== 49);

/** Maximum characters of a format: Excel's own limit. Matching a longer one would take very long. */
const MAX_LENGTH = 255;

const showsTime = (code: string): boolean =>
  /[dmyhs]/i.test(code.slice(0, MAX_LENGTH).replace(/"[^"]*"|\[(?!h|m|s)[^\]]*\]|\\.|_.|\*.|General/gi, ''));

/** Returns whether a style shows numbers as dates or times. */
export async function dateStyles(styles: AsyncIterable<Buffer>): Promise<(style: string | undefined) => boolean> {
  const formats = new Map<string, boolean>();
  const cells: string[] = [];
  let inCells = false;
  await walk(
    styles,
    (name, attributes) => {
      if (name === 'numFmt') formats.set(attributes.numFmtId ?? '', showsTime(attributes.formatCode ?? ''));
      else if (name === 'cellXfs') inCells = true;
      else if (name === 'xf' && inCells) cells.push(attributes.numFmtId ?? '0');
    },
    (name) => {
      if (name === 'cellXfs') inCells = false;
    },
  );
  const dates = cells.map((id) => formats.get(id) ?? BUILT_IN(Number(id)));
  return (style) => dates[Number(style ?? 0)] ?? false;
}

/** ISO 8601 form of a number of days: a date, a timestamp, or (below one day) a time. */
export function momentOf(days: number, from1904: boolean): string | number {
  const shifted = from1904 ? days + 1_462 : days;
  if (shifted < 0 || shifted > 2_958_466) return days; // Excel does not show it as a date either
  const millis = Math.round(shifted * DAY);
  const iso = new Date(Date.UTC(1899, 11, 30) + millis + (shifted < 60 && shifted >= 1 ? DAY : 0)).toISOString();
  if (millis < DAY && !from1904) return iso.slice(11, 19);
  if (millis % DAY === 0) return iso.slice(0, 10);
  return iso.endsWith('.000Z') ? iso.slice(0, 19) : iso.slice(0, 23);
}
