import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type loadingIn, startLoading } from '../helpers/loading.ts';
import type { TestUser } from '../helpers/make.ts';
import { until } from '../helpers/until.ts';
import type { World } from '../helpers/world.ts';

let loading: Awaited<ReturnType<typeof startLoading>>;
let world: World;
let boss: TestUser;
let datasetId: string;
let tools: ReturnType<typeof loadingIn>;
beforeAll(async () => {
  loading = await startLoading();
  ({ world, boss, datasetId, tools } = loading);
});
afterAll(() => loading?.end());

const DONE = { state: 'DONE', error: null };
const table = (bytes: Uint8Array | string, name = 'data.csv') => loading.table(name, bytes);

it('loads an uploaded file into a table and reports it', async () => {
  const { id, job } = await tools.load(datasetId, 'levels.csv', 'station,level\nBridge,12.5\nMill,9\n');
  expect(job).toMatchObject({ ...DONE, attempts: 1 });
  expect(job.progressDone).toBe(job.progressTotal);
  expect(await tools.search(id)).toMatchObject({
    total: 2,
    fields: [{ id: '_id' }, { id: 'station', type: 'text' }, { id: 'level', type: 'numeric' }],
  });
  expect(await world.result('resource_show', { id })).toMatchObject({ datastore_active: true });
  expect(await world.result('resource_status_show', { id })).toMatchObject([
    { task_type: 'datapusher', key: 'datapusher', state: 'complete', error: '{}' },
  ]);
  const loading = `{ resource(id: "${id}") { loading { state kind } table { size { count } } } }`;
  expect((await world.graph(loading, {}, { as: boss })).body.data.resource).toEqual({
    loading: { state: 'DONE', kind: 'load' },
    table: { size: { count: 2 } },
  });
  expect((await world.graph(loading)).body.data.resource.loading).toBeNull();
});

it('detects types from all values: codes, days, times and booleans', async () => {
  const { types, rows } = await table(
    [
      'code,n,big,x,day,at,zoned,yes,mixed,none',
      '007,1,3000000000,1.50,2020-02-29,2020-01-01T10:00:00,2020-01-01T10:00:00Z,true,1,',
      '10,-2,5,-.5,2020-01-01,2020-01-01 11:00:00.5,2020-01-01T10:00:00+02:00,False,a,',
    ].join('\n'),
  );
  expect(types).toEqual({
    code: 'text',
    n: 'int4',
    big: 'numeric',
    x: 'numeric',
    day: 'timestamp',
    at: 'timestamp',
    zoned: 'timestamptz',
    yes: 'bool',
    mixed: 'text',
    none: 'text',
  });
  expect(rows[0]).toMatchObject({ code: '007', n: 1, x: '1.50', yes: true, none: null });
  expect(rows[1]).toMatchObject({ x: '-0.5', zoned: expect.stringContaining('08:00:00') });
});

it('considers late values as much as early ones', async () => {
  const lines = Array.from({ length: 400_000 }, (_, n) => `${n},${n + 10_000},2020-01-01`);
  const { types } = await table(['a,zip,day', ...lines, 'x,00501,2020-02-30'].join('\n'));
  expect(types).toEqual({ a: 'text', zip: 'text', day: 'text' });
});

it.each([
  ['semicolons', 'a;b\n1,5;x\n2,5;y\n', { a: '1,5', b: 'x' }],
  ['tabs', 'a\tb\n1\tx, y\n', { a: 1, b: 'x, y' }],
  ['bars', 'a|b\n1|x\n', { a: 1, b: 'x' }],
  ['line ends of Windows', 'a,b\r\n1,x\r\n', { a: 1, b: 'x' }],
  ['line ends of old', 'a,b\r1,x\r', { a: 1, b: 'x' }],
  ['line ends of all kinds', 'a,b\r\n1,x\n2,y\r3,z', { a: 1, b: 'x' }],
  ['quotes, commas and line ends in quotes', 'a,b\n1,"x ""q"", \nnext"\n', { a: 1, b: 'x "q", \nnext' }],
  ['quotes inside a value', 'a,b\n1,5" pipe\n2,6" pipe\n', { a: 1, b: '5" pipe' }],
  ['text after a quoted value', 'a,b\n1,"x"y\n', { a: 1, b: 'xy' }],
  ['short rows', 'a,b,c\n1\n2,x,y\n', { a: 1, b: null, c: null }],
  ['empty values beyond the last column', 'a,b\n1,x,,\n2,y,,\n', { a: 1, b: 'x' }],
  ['empty lines', '\n\na,b\n\n1,x\n\n\n', { a: 1, b: 'x' }],
  ['a title before the header', 'Levels of rivers\n\na,b,c\n1,x,y\n2,x,y\n', { a: 1, b: 'x', c: 'y' }],
  ['no value, quoted or not', 'a,b,c\n,"",1\n', { a: null, b: null, c: 1 }],
  ['names twice, without, with an id', 'a,a,,_id,"x""y"\n1,2,3,4,5\n', { a: 1, a_2: 2, column_3: 3, id: 4, 'x y': 5 }],
  ['the end mark of COPY', 'a,b\n\\.,x\n\\.\n', { a: '\\.', b: 'x' }],
  ['one column', 'a\n1\n2\n', { a: 1 }],
  ['names that PostgreSQL has for itself', 'xmin,ymin,ctid\n1,2,x\n', { xmin_2: 1, ymin: 2, ctid_2: 'x' }],
  ['a mark', '\ufeffa,b\n1,x\n', { a: 1, b: 'x' }],
])('reads %s', async (_what, text, first) => {
  expect((await table(text)).rows[0]).toMatchObject(first);
});

it.each([
  ['UTF-16', Buffer.from('\ufeffname,n\nZürich,1\n東京,2\n', 'utf16le'), 'Zürich'],
  [
    'windows-1252',
    Buffer.from('name,n\nZürich – “x”,1\n'.replace('–', '\x96').replace('“', '\x93').replace('”', '\x94'), 'latin1'),
    'Zürich – “x”',
  ],
])('reads the encoding %s', async (_what, bytes, name) => {
  expect((await table(bytes)).rows[0]).toMatchObject({ name, n: 1 });
});

it('reads Shift_JIS and EUC-JP', async () => {
  const { default: iconv } = await import('iconv-lite');
  const text = `市区町村,人口\n${['札幌市', '東京都千代田区', '横浜市', 'さいたま市', '京都市'].map((name, n) => `${name},${n}`).join('\n')}\n`;
  for (const encoding of ['shift_jis', 'euc-jp'])
    expect((await table(iconv.encode(text, encoding))).rows[1]).toEqual({ 市区町村: '東京都千代田区', 人口: 1 });
});

it('detects an encoding from late bytes', async () => {
  const lines = Array.from({ length: 150_000 }, (_, n) => `${n},plain text`);
  const { id } = await table(Buffer.from(['n,name', ...lines, '1,Zürich'].join('\n'), 'latin1'));
  expect((await tools.search(id, { filters: { name: 'Zürich' } })).total).toBe(1);
});

describe('a file that changes', () => {
  it('is loaded again only if its content changed', async () => {
    const { id } = await table('a,b\n1,x\n');
    const statements = async (bytes: string) => {
      await tools.upload('resource_update', { id }, 'data.csv', bytes);
      return tools.settled(id);
    };
    const made = async () => (await world.database.db.tableLoad.findUnique({ where: { resourceId: id } }))!.loadedAt;
    const first = await made();
    expect(await statements('a,b\n1,x\n')).toMatchObject(DONE);
    expect(await made()).toEqual(first);
    expect(await statements('a,c\n5,y\n6,z\n')).toMatchObject(DONE);
    expect(await tools.search(id)).toMatchObject({ total: 2, fields: [{}, { id: 'a' }, { id: 'c' }] });
    await world.result('resource_patch', { id, description: 'x' }, { as: boss });
    expect(await world.database.db.job.count({ where: { subjectId: id, kind: 'load' } })).toBe(3);
  });

  it('leaves the table unchanged if it is invalid, and reports why', async () => {
    const { id } = await table('a,b\n1,x\n');
    await tools.upload('resource_update', { id }, 'data.csv', 'a,b\n1,"x\n');
    const job = await tools.settled(id);
    expect(job).toMatchObject({ state: 'FAILED', error: 'Row 1: a quoted value is not closed' });
    expect((await tools.search(id)).records).toMatchObject([{ a: 1, b: 'x' }]);
    const [status] = await world.result('resource_status_show', { id });
    expect(status).toMatchObject({ state: 'error', error: '{"message":"Row 1: a quoted value is not closed"}' });
  });

  it('keeps aliases, indexes and the data dictionary with its type overrides', async () => {
    const { id } = await table('code,n,day\n1,2,01/02/2020\n');
    await world.result(
      'datastore_create',
      {
        resource_id: id,
        force: true,
        aliases: 'levels',
        indexes: ['n', 'day'],
        fields: [
          { id: 'code', type: 'int4', info: { label: 'Code', type_override: 'text' } },
          { id: 'n', type: 'int4', info: { type_override: 'numeric' } },
          { id: 'day', type: 'text', info: { type_override: 'timestamp' } },
        ],
      },
      { as: boss },
    );
    const load = `mutation { loadResource(input: { resourceId: "${id}" }) { job { state } errors { message } } }`;
    expect((await world.graph(load, {}, { as: boss })).body.data.loadResource).toMatchObject({ errors: [] });
    expect(await tools.settled(id)).toMatchObject(DONE);
    expect(await tools.search('levels')).toMatchObject({
      fields: [
        {},
        { id: 'code', type: 'text', info: { label: 'Code', type_override: 'text' } },
        { id: 'n', type: 'numeric' },
        { id: 'day', type: 'timestamp' },
      ],
      records: [{ code: '1', n: '2', day: '2020-01-02T00:00:00' }],
    });
    await tools.upload('resource_update', { id }, 'data.csv', 'code,n,day\n1,2,soon\n');
    expect((await tools.settled(id)).error).toMatch(/^Column "day" has a value that is not of type timestamp/);
  });
});

it('finds full text before and after the words are indexed', async () => {
  const { id } = await table('a,b\n1,bridge\n2,mill\n');
  expect(await tools.search(id, { q: 'bridge' })).toMatchObject({ total: 1, records: [{ a: 1 }] });
  expect(await tools.settled(id, 'words')).toMatchObject(DONE);
  expect(await tools.search(id, { q: 'bridge' })).toMatchObject({ total: 1, records: [{ a: 1 }] });
  await world.result(
    'datastore_upsert',
    { resource_id: id, force: true, method: 'insert', records: [{ a: 3, b: 'bridge' }] },
    { as: boss },
  );
  expect(await tools.search(id, { q: 'bridge' })).toMatchObject({ total: 2, records: [{ _id: 1 }, { _id: 3 }] });
});

it('refuses a load without permission, and explains why a resource cannot be loaded', async () => {
  const other = await world.make.user({ name: 'other' });
  const { id } = await table('a\n1\n');
  const pdf = await world.result(
    'resource_create',
    { package_id: datasetId, url: 'http://x.test/a.pdf' },
    { as: boss },
  );
  const send = async (resourceId: string, as: TestUser) =>
    (
      await world.graph(
        'mutation ($id: ID!) { loadResource(input: { resourceId: $id }) { job { id } errors { code message } } }',
        { id: resourceId },
        { as },
      )
    ).body.data.loadResource;
  const office = await world.make.organization({});
  await world.result('package_owner_org_update', { id: datasetId, organization_id: office.id }, { as: boss });
  expect(await send(id, other)).toMatchObject({ job: null, errors: [{ code: 'NOT_AUTHORIZED' }] });
  expect(await send(pdf.id, boss)).toMatchObject({ job: null, errors: [{ code: 'VALIDATION' }] });
  expect(await send('nothing', boss)).toMatchObject({ job: null, errors: [{ code: 'NOT_FOUND' }] });
});

it('aborts and rolls back DataStore work by its signal', async () => {
  const store = world.app.callAs(world.system).stores.datastore!;
  const stopping = new AbortController();
  const work = store.write(async (sql) => {
    await sql.rows({ text: 'CREATE TABLE _never (a int)' });
    const sleeping = sql.rows({ text: 'SELECT pg_advisory_xact_lock(4711), pg_sleep(600)' });
    const isAsleep = `SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
      WHERE d.datname = current_database() AND l.locktype = 'advisory' AND l.objid = 4711`;
    await until(async () => (await store.sql.rows({ text: isAsleep })).length > 0);
    stopping.abort();
    await sleeping;
  }, stopping.signal);
  await expect(work).rejects.toMatchObject({ code: '57014' });
  expect(await store.sql.rows({ text: "SELECT FROM pg_class WHERE relname = '_never'" })).toEqual([]);
});
