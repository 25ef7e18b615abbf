/** Streams the first sheet of an XLSX workbook. Holds only the shared strings in memory, up to a limit. */
import { CatalogError } from '../../kernel/errors.ts';
import { badFile, rowTooLong } from './problem.ts';
import { type Rows, rowsFile } from './rows.ts';
import { MAX_RECORD_BYTES } from './scan.ts';
import { headerOf } from './sniff.ts';
import type { Source, TextFile } from './text-file.ts';
import { dateStyles, momentOf } from './xlsx.dates.ts';
import { elements, walk } from './xlsx.xml.ts';
import { zipEntries } from './zip.ts';

/** Maximum characters of shared strings. Each string adds a fixed amount, so the number of empty ones is bounded too. */
const MAX_SHARED = 100_000_000;
const SHARED_TEXT = 16;
/** Maximum characters of a cell. */
const MAX_IN_CELL = 10_000_000;
/** Maximum unpacked bytes of a workbook part; a small file can expand without end. */
const MAX_UNPACKED_BYTES = 8 * 2 ** 30;
const MAX_COLUMNS = 1_500;
/** Rows used to find the header, and characters used of each of their cells: more than a column name has. */
const LOOKED_AT = 200;
const LOOKED_AT_OF_CELL = 1_000;

/** @throws CatalogError VALIDATION */
export async function xlsxFile(source: Source): Promise<TextFile> {
  const parts = await partsOf(source);
  const book = { sheet: '', from1904: false };
  await walk(parts('xl/workbook.xml'), (name, attributes) => {
    if (name === 'sheet' && book.sheet === '') book.sheet = attributes['r:id'] ?? attributes.id ?? '';
    if (name === 'workbookPr') book.from1904 = ['1', 'true'].includes(attributes.date1904 ?? '');
  });
  let sheet = '';
  await walk(parts('xl/_rels/workbook.xml.rels'), (_name, attributes) => {
    if (attributes.Id === book.sheet) sheet = attributes.Target ?? '';
  });
  if (sheet === '') throw badFile('The workbook has no sheet');
  const path = sheet.startsWith('/') ? sheet.slice(1) : `xl/${sheet}`;
  const shared = await sharedTexts(parts);
  const isDate = await dateStyles(parts('xl/styles.xml', true));
  const rows = (): Rows => rowsOf(parts(path), shared, isDate, book.from1904);
  const first: string[][] = [];
  for await (const batch of rows()) {
    for (const row of batch)
      first.push(Array.from(row, (value) => (value == null ? '' : String(value).slice(0, LOOKED_AT_OF_CELL))));
    if (first.length >= LOOKED_AT) break;
  }
  if (first.length === 0) throw badFile('The first sheet has no rows');
  const { skip, names } = headerOf(first.slice(0, LOOKED_AT));
  return rowsFile(names, rows, skip);
}

/** A part of the workbook by name; empty when it is optional and missing. @throws CatalogError VALIDATION */
export type Parts = (name: string, optional?: boolean) => AsyncIterable<Buffer>;

async function partsOf(source: Source): Promise<Parts> {
  const entries = new Map((await zipEntries(source, 'workbook')).map((entry) => [entry.name, entry]));
  return async function* part(name, optional = false) {
    const entry = entries.get(name);
    if (!entry) {
      if (optional) return;
      throw badFile(`The workbook has no part ${name}`);
    }
    let size = 0;
    for await (const chunk of entry.open()) {
      size += chunk.length;
      if (size > MAX_UNPACKED_BYTES) throw badFile(`${name} is longer than ${MAX_UNPACKED_BYTES} bytes`);
      yield chunk;
    }
  };
}

/** Shared strings by index, without phonetic hints (`rPh`). */
async function sharedTexts(parts: Parts): Promise<string[]> {
  const texts: string[] = [];
  let current = '';
  let size = 0;
  let inText = false;
  let spoken = 0;
  await walk(
    parts('xl/sharedStrings.xml', true),
    (name) => {
      if (name === 'si') current = '';
      else if (name === 'rPh') spoken += 1;
      else inText = name === 't' && spoken === 0;
    },
    (name) => {
      if (name === 't') inText = false;
      if (name === 'rPh') spoken -= 1;
      if (name !== 'si') return;
      size += current.length + SHARED_TEXT;
      if (size > MAX_SHARED) throw badFile(`The shared strings of the workbook exceed ${MAX_SHARED} characters`);
      texts.push(current);
    },
    (text) => {
      if (inText) current = joined(current, text);
    },
  );
  return texts;
}

/** Non-empty rows, unchanged. */
async function* rowsOf(
  chunks: AsyncIterable<Buffer>,
  shared: readonly string[],
  isDate: (style: string | undefined) => boolean,
  from1904: boolean,
): Rows {
  let batch: unknown[][] = [];
  let row: unknown[] = [];
  let column = 0;
  let cell: Record<string, string> = {};
  let text = '';
  let inValue = false;
  let length = 0; // total length of texts in the row
  let count = 0;
  const feed = elements(
    (name, attributes) => {
      if (name === 'row') {
        row = [];
        column = 0;
        length = 0;
        count += 1;
      } else if (name === 'c') {
        cell = attributes;
        text = '';
        column = attributes.r === undefined ? column + 1 : columnOf(attributes.r);
        if (column > MAX_COLUMNS) throw badFile(`The sheet has more than ${MAX_COLUMNS} columns`);
      } else inValue = name === 'v' || name === 't';
    },
    (name) => {
      if (name === 'v' || name === 't') inValue = false;
      else if (name === 'c') row[column - 1] = cellValue(cell, text, shared, isDate, from1904);
      else if (name === 'row' && row.some((value) => value != null && value !== '')) batch.push(row);
    },
    (more) => {
      if (!inValue) return;
      text = joined(text, more);
      length += more.length;
      if (length > MAX_RECORD_BYTES) throw rowTooLong(count, MAX_RECORD_BYTES);
    },
  );
  for await (const chunk of chunks) {
    feed(chunk);
    if (batch.length === 0) continue;
    yield batch;
    batch = [];
  }
}

/** @throws CatalogError VALIDATION above the maximum cell length */
function joined(text: string, more: string): string {
  if (text.length + more.length > MAX_IN_CELL)
    throw badFile(`A cell of the workbook is longer than ${MAX_IN_CELL} characters`);
  return text + more;
}

/** Column number, from 1, of a cell reference such as AB12. */
function columnOf(place: string): number {
  let column = 0;
  for (let at = 0; at < place.length && place.charCodeAt(at) > 64; at += 1)
    column = column * 26 + (place.charCodeAt(at) & 31);
  return column;
}

function cellValue(
  { t: type, s: style }: Record<string, string>,
  text: string,
  shared: readonly string[],
  isDate: (style: string | undefined) => boolean,
  from1904: boolean,
): unknown {
  if (text === '' || type === 'e') return null;
  if (type === 's') return shared[Number(text)] ?? null;
  if (type === 'b') return text === '1';
  if (type === 'str' || type === 'inlineStr' || type === 'd') return text;
  const number = Number(text);
  if (Number.isNaN(number))
    throw new CatalogError('VALIDATION', `A numeric cell of the sheet contains "${text}", which is not a number`);
  return isDate(style) ? momentOf(number, from1904) : number;
}
