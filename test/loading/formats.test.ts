import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { startLoading } from '../helpers/loading.ts';
import { workbook, zipOf } from '../helpers/xlsx.ts';

let loading: Awaited<ReturnType<typeof startLoading>>;
beforeAll(async () => {
  loading = await startLoading();
});
afterAll(() => loading?.end());
/** Column types and rows of the table that a file becomes. */
async function table(name: string, bytes: Uint8Array | string) {
  const { types, rows } = await loading.table(name, bytes);
  return { types, rows };
}

const OBJECTS = [
  { n: 1, code: '007', ok: true, at: '2020-01-01T10:00:00Z', deep: { a: [1, '}]"'] } },
  { n: 2.5, code: 'x', ok: false, extra: 'late "one"' },
];
const EXPECTED = {
  types: { n: 'numeric', code: 'text', ok: 'bool', at: 'timestamptz', deep: 'json', extra: 'text' },
  rows: [
    { n: '1', code: '007', ok: true, at: '2020-01-01T10:00:00+00:00', deep: { a: [1, '}]"'] }, extra: null },
    { n: '2.5', code: 'x', ok: false, at: null, deep: null, extra: 'late "one"' },
  ],
};

it.each([
  ['data.json', JSON.stringify(OBJECTS, null, 1)],
  ['mark.json', `\ufeff${JSON.stringify(OBJECTS)}`],
  ['data.ndjson', OBJECTS.map((object) => JSON.stringify(object)).join('\n')],
  ['lines.json', `${OBJECTS.map((object) => JSON.stringify(object)).join('\r\n')}\n`],
])('reads objects of %s', async (name, text) => {
  expect(await table(name, text)).toEqual(EXPECTED);
});

it('keeps numbers with more digits than JavaScript has', async () => {
  const { types, rows } = await table('ids.ndjson', '{"id": 12345678901234567890, "x": 1}\n{"id": 7, "x": 1.25e-3}\n');
  expect(types).toEqual({ id: 'numeric', x: 'numeric' });
  expect(rows).toEqual([
    { id: '12345678901234567890', x: '1' },
    { id: '7', x: '0.00125' },
  ]);
});

it('reads many objects across chunk boundaries', async () => {
  const objects = Array.from({ length: 50_000 }, (_, n) => ({ n, text: 'é{[",'.repeat(n % 40) }));
  const { id, job } = await loading.tools.load(loading.datasetId, 'many.json', JSON.stringify(objects));
  expect(job).toMatchObject({ state: 'DONE' });
  const last = await loading.tools.search(id, { filters: { n: 49_999 } });
  expect(last.records[0].text).toBe(objects.at(-1)!.text);
  expect((await loading.tools.search(id)).total).toBe(50_000);
});

it.each([
  ['list.json', '[1, 2]', /is not an object/],
  ['half.json', '[{"a": 1}, {"a"', /ends unexpectedly/],
  ['bad.json', '[{"a": 1}, {"a": }]', /Object 2 is not JSON/],
  ['text.json', 'hello', /is not an object/],
  ['none.json', '[]', /must be a list of objects/],
  ['data.xlsx', 'a,b\n1,2\n', /not a readable workbook/],
  ['data.parquet', 'a,b\n1,2\n', /not read as Parquet/],
  ['empty.csv', '', /no rows/],
  ['wide.csv', 'a,b\n1,2,3\n1,2\n'.repeat(300).concat('1,2,3,4,5\n'), /has 4 or more values/],
])('explains the fault of %s', async (name, text, error) => {
  const { job } = await loading.tools.load(loading.datasetId, name, text);
  expect(job).toMatchObject({ state: 'FAILED', error: expect.stringMatching(error) });
});

it('reads the first sheet of a workbook', async () => {
  const bytes = workbook(
    `<row r="1"><c r="A1" t="inlineStr"><is><t>Levels of rivers</t></is></c></row>
     <row r="3"><c r="A3" t="s"><v>0</v></c><c r="B3" t="s"><v>1</v></c><c r="C3" t="inlineStr"><is><t>day</t></is></c><c r="D3" t="str"><v>at</v></c><c r="E3" t="str"><v>ok</v></c><c r="F3" t="str"><v>days</v></c></row>
     <row r="4"><c r="A4" t="s"><v>2</v></c><c r="B4"><v>1.5</v></c><c r="C4" s="1"><v>43831</v></c><c r="D4" s="2"><v>43831.5</v></c><c r="E4" t="b"><v>1</v></c><c r="F4" s="3"><v>3</v></c></row>
     <row r="6"><c r="A6" t="str"><v>007</v></c><c r="C6" t="e"><v>#N/A</v></c><c r="F6" s="3"><v>4</v></c></row>`,
    ['station', 'level', 'Bridge &amp; Mill'],
  );
  expect(await table('data.xlsx', bytes)).toEqual({
    types: { station: 'text', level: 'numeric', day: 'timestamp', at: 'timestamp', ok: 'bool', days: 'int4' },
    rows: [
      {
        station: 'Bridge & Mill',
        level: '1.5',
        day: '2020-01-01T00:00:00',
        at: '2020-01-01T12:00:00',
        ok: true,
        days: 3,
      },
      { station: '007', level: null, day: null, at: null, ok: null, days: 4 },
    ],
  });
});

describe('an archive', () => {
  const CSV = 'a,b\n1,x\n2,y\n';
  const ROWS = [
    { a: 1, b: 'x' },
    { a: 2, b: 'y' },
  ];
  it.each([
    ['data.zip', zipOf({ 'data.csv': CSV }, { packed: true })],
    ['folder.zip', zipOf({ 'levels/': '', 'levels/data.CSV': CSV, '__MACOSX/._data.csv': '?', '.DS_Store': '?' })],
    ['named.csv', zipOf({ 'data.txt': CSV }, { packed: true })],
    ['lines.zip', zipOf({ 'data.ndjson': '{"a": 1, "b": "x"}\n{"a": 2, "b": "y"}\n' })],
    ['latin.csv', zipOf({ 'data.csv': `${CSV}3,${'y'.repeat(2 ** 20)}\n4,` })],
  ])('with one file is loaded as that file: %s', async (name, bytes) => {
    expect((await table(name, bytes)).rows.slice(0, 2)).toEqual(ROWS);
  });

  it('with a Parquet file is loaded', async () => {
    const bytes = new Uint8Array(parquetWriteBuffer({ columnData: [{ name: 'n', data: [1, 2], type: 'INT32' }] }));
    expect((await table('data.zip', zipOf({ 'data.parquet': bytes }))).rows).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it.each([
    [
      'two.zip',
      zipOf({ 'a.csv': CSV, 'b.csv': CSV }),
      /contains 2 files \("a.csv", "b.csv"\); it must contain exactly one/,
    ],
    ['shape.zip', zipOf({ 'a.shp': 'x' }), /The format of the file in the archive, "a.shp", is not loaded/],
    ['nested.zip', zipOf({ 'a.zip': 'x' }), /"a.zip", is not loaded/],
    ['nothing.zip', zipOf({}), /archive is empty/],
    ['secret.zip', zipOf({ 'a.csv': CSV }, { encrypted: true }), /encrypted/],
    ['lies.zip', zipOf({ 'a.csv': CSV.repeat(1_000) }, { packed: true, says: 10 }), /not a readable ZIP archive/],
    ['text.zip', CSV, /not a readable ZIP archive/],
    ['cut.csv', zipOf({ 'a.csv': CSV }).subarray(0, 40), /not a readable ZIP archive/],
  ])('explains why it cannot be loaded: %s', async (name, bytes, error) => {
    const { job } = await loading.tools.load(loading.datasetId, name, bytes);
    expect(job).toMatchObject({ state: 'FAILED', error: expect.stringMatching(error) });
  });
});

it('reads Parquet', async () => {
  const bytes = parquetWriteBuffer({
    columnData: [
      { name: 'n', data: [1, 2, null], type: 'INT32' },
      { name: 'big', data: [9007199254740993n, 2n, 3n], type: 'INT64' },
      { name: 'name', data: ['Zürich', 'x "y"', null], type: 'STRING' },
      { name: 'ok', data: [true, false, true], type: 'BOOLEAN' },
      { name: 'x', data: [1.5, -2, 3e-7], type: 'DOUBLE' },
      { name: 'at', data: [new Date('2020-01-01T10:00:00.250Z'), null, null], type: 'TIMESTAMP' },
    ],
  });
  const { types, rows } = await table('data.parquet', new Uint8Array(bytes));
  expect(types).toEqual({
    n: 'int4',
    big: 'numeric',
    name: 'text',
    ok: 'bool',
    x: 'numeric',
    at: expect.stringMatching(/^timestamp/),
  });
  expect(rows[0]).toMatchObject({
    n: 1,
    big: '9007199254740993',
    name: 'Zürich',
    ok: true,
    at: expect.stringContaining('2020-01-01T10:00:00.25'),
  });
  expect(rows[2]).toMatchObject({ n: null, name: null, x: '0.0000003' });
});
