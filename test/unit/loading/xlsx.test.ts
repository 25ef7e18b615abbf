/** Workbooks that are small as files and huge when unpacked are refused before they fill the memory. */
import { expect, it } from '@jest/globals';
import { xlsxFile } from '../../../src/loading/read/xlsx.ts';
import { zipOf } from '../../helpers/xlsx.ts';

const PARTS = {
  'xl/workbook.xml': '<workbook><sheets><sheet name="a" id="1"/></sheets></workbook>',
  'xl/_rels/workbook.xml.rels': '<Relationships><Relationship Id="1" Target="sheet.xml"/></Relationships>',
};
const HEADER = '<row><c t="inlineStr"><is><t>a</t></is></c></row>';
const sheet = (rows: string) => ({ 'xl/sheet.xml': `<worksheet><sheetData>${HEADER}${rows}</sheetData></worksheet>` });

/** Number of bytes read from a workbook of these parts. */
async function readAll(parts: Record<string, string>): Promise<number> {
  const bytes = zipOf({ ...PARTS, ...parts });
  const file = await xlsxFile({
    size: bytes.length,
    async open({ start, end } = { start: 0, end: bytes.length - 1 }) {
      return pieces(bytes.subarray(start, end + 1));
    },
  });
  let size = 0;
  for await (const chunk of file.open()) size += chunk.length;
  return size;
}

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

const cell = (length: number) => `<row><c t="inlineStr"><is><t>${'x'.repeat(length)}</t></is></c></row>`;

it('reads a cell of a million characters', async () => {
  expect(await readAll(sheet(cell(1_000_000)))).toBeGreaterThan(1_000_000);
});

it.each([
  ['a text that does not end', sheet(cell(10_200_000)), /has 10000000 characters without/],
  ['an attribute that does not end', sheet(`<row r="${'1'.repeat(10_200_000)}"/>`), /has 10000000 characters without/],
  [
    'a cell of many texts',
    sheet(`<row><c t="inlineStr"><is>${`<t>${'x'.repeat(1_000_000)}</t>`.repeat(11)}</is></c></row>`),
    /longer than 10000000/,
  ],
  [
    'a shared text of many',
    { ...sheet(''), 'xl/sharedStrings.xml': `<sst><si>${`<t>${'x'.repeat(1_000_000)}</t>`.repeat(11)}</si></sst>` },
    /longer than 10000000/,
  ],
  [
    'endless empty texts',
    { ...sheet(''), 'xl/sharedStrings.xml': `<sst>${'<si/>'.repeat(6_250_001)}</sst>` },
    /exceed 100000000/,
  ],
])('refuses %s', async (_name, parts, fault) => {
  await expect(readAll(parts)).rejects.toThrow(fault);
});
