/** Writes a workbook of one worksheet as a ZIP archive, as a stream: only one piece of the rows is in memory. */
import { Readable } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const SHEET = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** All parts but the worksheet. */
const PARTS: Readonly<Record<string, string>> = {
  '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${SHEET}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${SHEET}.styles+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${SHEET}.worksheet+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook ${MAIN} xmlns:r="${RELATIONS}"><sheets><sheet name="Table" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${RELATIONS}/styles" Target="styles.xml"/></Relationships>`,
  'xl/styles.xml': `<styleSheet ${MAIN}><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf/><xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="165" applyNumberFormat="1"/></cellXfs></styleSheet>`,
};
const SHEET_PATH = 'xl/worksheets/sheet1.xml';

/** Sizes of the archive are 32-bit numbers. */
const MAX_SIZE = 2 ** 32 - 1;

/** The workbook. `rows` are elements `row` of the worksheet, `head` is the first of them. `rows` ends with the workbook. */
export function xlsxOf(rows: Readable, head: string): Readable {
  const workbook = Readable.from(archive(rows, head), { objectMode: false });
  return workbook.once('close', () => rows.destroy());
}

interface Entry {
  readonly name: string;
  readonly offset: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
}

async function* archive(rows: Readable, head: string): AsyncGenerator<Buffer> {
  const entries: Entry[] = [];
  let offset = 0;
  for (const [name, text] of [...Object.entries(PARTS), [SHEET_PATH, null] as const]) {
    const local = localHeader(name);
    yield local;
    const entry = { name, offset, crc: 0, packed: 0, size: 0 };
    const content = text === null ? worksheet(rows, head) : [Buffer.from(XML + text)];
    for await (const piece of packed(content, entry)) yield piece;
    if (Math.max(entry.size, offset + entry.packed) > MAX_SIZE) throw new Error('the workbook is larger than 4 GiB');
    yield descriptor(entry);
    offset += local.length + entry.packed + DESCRIPTOR;
    entries.push(entry);
  }
  const directory = Buffer.concat(entries.map(directoryEntry));
  yield directory;
  yield endOf(entries.length, directory.length, offset);
}

async function* worksheet(rows: Readable, head: string): AsyncGenerator<Buffer> {
  yield Buffer.from(`${XML}<worksheet ${MAIN}><sheetData>${head}`);
  for await (const piece of rows) yield piece as Buffer;
  yield Buffer.from('</sheetData></worksheet>');
}

/** Compresses the content, and counts it in the entry. */
async function* packed(
  content: AsyncIterable<Buffer> | Iterable<Buffer>,
  entry: { crc: number; packed: number; size: number },
): AsyncGenerator<Buffer> {
  const source = Readable.from(counted(content, entry), { objectMode: false });
  const deflate = createDeflateRaw();
  source.once('error', (failure) => deflate.destroy(failure));
  try {
    for await (const piece of source.pipe(deflate)) {
      entry.packed += (piece as Buffer).length;
      yield piece as Buffer;
    }
  } finally {
    source.destroy();
  }
}

async function* counted(
  content: AsyncIterable<Buffer> | Iterable<Buffer>,
  entry: { crc: number; size: number },
): AsyncGenerator<Buffer> {
  for await (const piece of content) {
    entry.crc = crc32(piece, entry.crc);
    entry.size += piece.length;
    yield piece;
  }
}

/** General-purpose flags: sizes follow the content, names are UTF-8. */
const FLAGS = 0x0808;
const DEFLATE = 8;
/** 1 January 1980, the first day of the format: files of the same table are equal. */
const DATE = 0x21;
const DESCRIPTOR = 16;

function localHeader(name: string): Buffer {
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x04034b50, 0);
  head.writeUInt16LE(20, 4);
  head.writeUInt16LE(FLAGS, 6);
  head.writeUInt16LE(DEFLATE, 8);
  head.writeUInt16LE(DATE, 12);
  head.writeUInt16LE(name.length, 26);
  return Buffer.concat([head, Buffer.from(name)]);
}

function descriptor({ crc, packed, size }: Entry): Buffer {
  const after = Buffer.alloc(DESCRIPTOR);
  for (const [index, value] of [0x08074b50, crc, packed, size].entries()) after.writeUInt32LE(value, 4 * index);
  return after;
}

function directoryEntry({ name, offset, crc, packed, size }: Entry): Buffer {
  const head = Buffer.alloc(46);
  head.writeUInt32LE(0x02014b50, 0);
  head.writeUInt16LE(20, 4);
  head.writeUInt16LE(20, 6);
  head.writeUInt16LE(FLAGS, 8);
  head.writeUInt16LE(DEFLATE, 10);
  head.writeUInt16LE(DATE, 14);
  for (const [index, value] of [crc, packed, size].entries()) head.writeUInt32LE(value, 16 + 4 * index);
  head.writeUInt16LE(name.length, 28);
  head.writeUInt32LE(offset, 42);
  return Buffer.concat([head, Buffer.from(name)]);
}

function endOf(count: number, length: number, offset: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(length, 12);
  end.writeUInt32LE(offset, 16);
  return end;
}
