/** Recognizes workbook styles that show numbers as dates or times. */
import { expect, it } from '@jest/globals';
import { dateStyles } from '../../../src/loading/read/xlsx.dates.ts';

async function shown(formats: readonly string[]): Promise<boolean[]> {
  const numFmts = formats.map((code, place) => `<numFmt numFmtId="${200 + place}" formatCode="${code}"/>`).join('');
  const xfs = formats.map((_code, place) => `<xf numFmtId="${200 + place}"/>`).join('');
  const xml = `<styleSheet><numFmts>${numFmts}</numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/>${xfs}</cellXfs></styleSheet>`;
  async function* chunks() {
    yield Buffer.from(xml);
  }
  const isDate = await dateStyles(chunks());
  return [isDate('0'), isDate('1'), ...formats.map((_code, place) => isDate(String(place + 2)))];
}

it('recognizes formats with visible letters for dates and times', async () => {
  const formats = ['yyyy-mm-dd', '0.00', '[h]:mm', '[Red]0', '&quot;day&quot; 0', 'General'];
  expect(await shown(formats)).toEqual([false, true, true, false, true, false, false, false]);
});

it('reads a very long format in linear time', async () => {
  expect(await shown(['['.repeat(400_000)])).toEqual([false, true, false]);
});
