/** /datastore/dump?format=xlsx: tables as workbooks. */
import { Readable } from 'node:stream';
import { inflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { xlsxFile } from '../../src/loading/read/xlsx.ts';
import { createTables, type Tables } from '../helpers/tables.ts';
import type { World } from '../helpers/world.ts';

let world: World;
let table: Tables['table'];
beforeAll(async () => {
  ({ world, table } = await createTables());
});
afterAll(() => world.end());

const SHEET = 'xl/worksheets/sheet1.xml';
const fetchOf = (id: string, more = '') => fetch(`${world.base}/datastore/dump/${id}?format=xlsx${more}`);
const bytesOf = async (id: string) => Buffer.from(await (await fetchOf(id)).arrayBuffer());

it('writes a workbook that the loader reads', async () => {
  const id = await table({
    fields: [
      { id: 'title', type: 'text' },
      { id: 'pages', type: 'int' },
      { id: 'price', type: 'numeric' },
      { id: 'read', type: 'bool' },
      { id: 'day', type: 'timestamp' },
      { id: 'tags', type: 'text[]' },
      { id: 'odd <&> name', type: 'text' },
    ],
    records: [
      { title: 'War & Peace, <both>', pages: 1225, price: 12.5, read: true, day: '1969-03-02', tags: ['a'] },
      { title: 'line\r\nbreak\tand \u0001 é', read: false, tags: [], 'odd <&> name': ' x ' },
      { title: '', pages: -1, price: '12345678901234567890', day: '1869-03-02' },
    ],
  });
  const bytes = await bytesOf(id);
  const file = await xlsxFile({
    size: bytes.length,
    open: async ({ start, end } = { start: 0, end: bytes.length - 1 }) =>
      Readable.from([bytes.subarray(start, end + 1)]),
  });
  const csv: Buffer[] = [];
  for await (const chunk of file.open()) csv.push(chunk);
  expect(Buffer.concat(csv).toString()).toBe(`"_id","title","pages","price","read","day","tags","odd <&> name"
1,"War & Peace, <both>",1225,12.5,true,"1969-03-02","[""a""]",
2,"line\r\nbreak\tand \uFFFD é",,,false,,"[]"," x "
3,,-1,"12345678901234567890",,"1869-03-02T00:00:00",,
`);
});

it('writes dates as dates, and numbers that would lose digits as text', async () => {
  const id = await table({
    fields: [
      { id: 'at', type: 'timestamp' },
      { id: 'on', type: 'date' },
      { id: 'big', type: 'int8' },
      { id: 'wide', type: 'float8' },
      { id: 'small', type: 'float8' },
      { id: 'n', type: 'numeric' },
    ],
    records: [
      { at: '2024-02-29T12:30:15', on: '1999-12-31', big: '9007199254740993', wide: 'NaN', small: 1.5e-9 },
      ...['999999999999999', '-12345678901234.5', '9007199254740993', '12345678.90123456', 'NaN'].map((n) => ({ n })),
    ],
  });
  const bytes = await bytesOf(id);
  const sheet = inflateRawSync(bytes.subarray(bytes.indexOf(SHEET) + SHEET.length)).toString();
  expect(sheet).toContain('<c s="2"><v>45351.5210069444</v></c><c s="1"><v>36525.0000000000</v></c>');
  expect(sheet).toContain('<c t="inlineStr"><is><t xml:space="preserve">9007199254740993</t></is></c>');
  expect(sheet).toContain('<c t="inlineStr"><is><t xml:space="preserve">NaN</t></is></c><c><v>1.5e-09</v></c>');
  const last = sheet
    .split('</row>')
    .slice(2, -1)
    .map((row) => row.slice(row.lastIndexOf('<c')));
  const text = (value: string) => `<c t="inlineStr"><is><t xml:space="preserve">${value}</t></is></c>`;
  expect(last).toEqual([
    '<c><v>999999999999999</v></c>',
    '<c><v>-12345678901234.5</v></c>',
    text('9007199254740993'),
    text('12345678.90123456'),
    text('NaN'),
  ]);
});

it('truncates a text that is too long for a cell', async () => {
  const id = await table({ fields: [{ id: 't', type: 'text' }], records: [{ t: 'x'.repeat(32_768) }] });
  const bytes = await bytesOf(id);
  const sheet = inflateRawSync(bytes.subarray(bytes.indexOf(SHEET) + SHEET.length)).toString();
  expect(/>(x+)</.exec(sheet)![1]).toHaveLength(32_767);
});

it('refuses more records than a worksheet can hold', async () => {
  const id = await table({ fields: [{ id: 'n', type: 'int' }], records: [{ n: 1 }] });
  await world.app
    .callAs(world.system)
    .stores.datastore!.write((sql) =>
      sql.rows({ text: `INSERT INTO "${id}" (n) SELECT n FROM generate_series(2, 1048576) n` }),
    );
  const refused = await fetchOf(id);
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('at most 1048575 records')]);
  const whole = await fetchOf(id, '&limit=1048575');
  expect(whole.status).toBe(200);
  await whole.body!.cancel();
}, 120_000);

it('ends the statement when the reader disconnects', async () => {
  const id = await table({ fields: [{ id: 'n', type: 'text' }], records: [{ n: 'x' }] });
  await world.app
    .callAs(world.system)
    .stores.datastore!.write((sql) =>
      sql.rows({ text: `INSERT INTO "${id}" (n) SELECT md5(n::text) FROM generate_series(2, 500000) n` }),
    );
  const answer = await fetchOf(id);
  const reader = answer.body!.getReader();
  await reader.read();
  await reader.cancel();
  await world.app.callAs(world.system).stores.datastore!.write((sql) => sql.rows({ text: `DROP TABLE "${id}"` }));
}, 120_000);
