/** ZIP archives and workbooks for tests. */
import { crc32, deflateRawSync } from 'node:zlib';

/** An archive of these files. `says` is a false size that it declares for each file. */
export function zipOf(
  parts: Readonly<Record<string, string | Uint8Array>>,
  { packed = false, encrypted = false, says = null as number | null } = {},
): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(parts)) {
    const [path, whole] = [Buffer.from(name), Buffer.from(text as string)];
    const stored = packed ? deflateRawSync(whole) : whole;
    const data = encrypted ? Buffer.concat([Buffer.alloc(12), stored]) : stored;
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE(encrypted ? 1 : 0, 2);
    head.writeUInt16LE(packed ? 8 : 0, 4);
    head.writeUInt32LE(crc32(whole), 10);
    head.writeUInt32LE(data.length, 14);
    head.writeUInt32LE(says ?? whole.length, 18);
    head.writeUInt16LE(path.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), head, path, data]);
    const more = Buffer.alloc(14);
    more.writeUInt32LE(offset, 10);
    central.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), head, more, path]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(central.length, 4);
  end.writeUInt16LE(central.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, directory, Buffer.from('PK\x05\x06', 'latin1'), end]);
}

/** A workbook of one sheet; `rows` are its rows as XML. */
export const workbook = (rows: string, shared: readonly string[] = []): Buffer =>
  zipOf({
    'xl/workbook.xml': `<workbook xmlns:r="r"><sheets><sheet name="a" sheetId="1" r:id="rId7"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="rId7" Target="worksheets/sheet1.xml"/></Relationships>`,
    'xl/styles.xml': `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="yyyy\\-mm\\-dd&quot;m&quot;"/><numFmt numFmtId="171" formatCode="0.0&quot;days&quot;"/></numFmts>
      <cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="171"/></cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `<sst>${shared.map((text) => `<si><t>${text}</t></si>`).join('')}</sst>`,
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
  });
