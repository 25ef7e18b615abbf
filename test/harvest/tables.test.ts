/** Harvests of resource tables: from another catalog of this project, then from older and newer CKAN versions. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { tablesCheck } from '../../src/datastore/tables/sweep.service.ts';
import { harvest } from '../../src/harvest/run/harvest.ts';
import { type SourceRecord, sourceCreate, sourceShow } from '../../src/harvest/source/source.service.ts';
import { catalog, createHarvestScene, type HarvestScene } from '../helpers/harvest.ts';
import type { TestUser } from '../helpers/make.ts';
import { createTables, type Tables } from '../helpers/tables.ts';
import { createWorld, type World } from '../helpers/world.ts';

const ROWS = 33_000;

describe('tables of another catalog', () => {
  let there: Tables;
  let far: World;
  let here: World;
  let source: SourceRecord;
  let admin: TestUser;
  beforeAll(async () => {
    [there, here] = await Promise.all([createTables(), createWorld()]);
    far = there.world;
    await here.datastore();
    admin = await far.make.sysadmin();
    source = await sourceOf({});
  });
  afterAll(() => Promise.all([far.end(), here.end()]));

  const sourceOf = (more: object) =>
    sourceCreate(here.app.callAs(here.system), { url: far.base, kind: 'CKAN', perSecond: 1_000, ...more });

  async function run(how: { full?: boolean } = {}, of = source) {
    const said: string[] = [];
    const call = () => here.app.callAs(here.system);
    const ended = await harvest({
      runner: { run: here.app.run, call },
      source: await sourceShow(call(), of.name),
      databaseUrl: here.database.url,
      mayReachPrivate: true,
      pause: 5,
      onRemark: (line) => said.push(line),
      ...how,
    });
    return { ...ended, said };
  }

  /** Creates a resource that consists of a table only, and returns its id. */
  async function tableOnly(params: object, dataset: object = {}): Promise<string> {
    const { id } = await far.make.dataset({ ownerOrganization: there.organization.id, ...dataset });
    const made = await far.result('datastore_create', { resource: { package_id: id }, ...params }, { as: admin });
    return made.resource_id;
  }

  const info = async (world: World, id: string) => {
    const { meta, fields } = await world.result('datastore_info', { id });
    const { size: _s, idx_size: _i, ...rest } = meta;
    return { ...rest, fields };
  };
  const records = async (world: World, id: string, more: object = {}) =>
    (await world.result('datastore_search', { resource_id: id, limit: 32_000, ...more })).records;
  const changes = async () =>
    (await here.database.pool.query(`SELECT count(*)::int AS n FROM change WHERE object_type = 'table'`)).rows[0].n;
  const check = () => tablesCheck(here.app.callAs(here.system));

  it('are copied with field types, primary key, dictionary, aliases and every value', async () => {
    const id = await tableOnly({
      fields: [
        { id: 'code', type: 'text', info: { label: 'Code', notes: 'of the station' } },
        { id: 'n', type: 'int8' },
        { id: 'x', type: 'numeric' },
        { id: 'at', type: 'timestamp' },
        { id: 'yes', type: 'bool' },
        { id: 'tags', type: '_text' },
        { id: 'more', type: 'json' },
        { id: 'empty', type: 'text' },
      ],
      primary_key: ['code'],
      aliases: ['levels-of-rivers'],
      records: [
        {
          code: 'ä "b", c\n',
          n: '9007199254740993',
          x: '0.1000000000000000000001',
          at: '2020-02-29T12:00:00.123456',
          yes: true,
          tags: ['a,b', '"'],
          more: { a: [1, null, 'x'] },
          empty: '',
        },
        { code: 'none' },
      ],
    });
    const ended = await run();
    expect({ state: ended.state, failed: ended.failed, said: ended.said }).toEqual({
      state: 'done',
      failed: 0,
      said: [],
    });
    expect(await info(here, id)).toEqual(await info(far, id));
    expect(await info(here, id)).toMatchObject({ primary_key: ['code'], aliases: ['levels-of-rivers'], count: 2 });
    expect(await records(here, id)).toEqual(await records(far, id));
    expect(await records(here, 'levels-of-rivers', { q: 'none' })).toMatchObject([{ code: 'none' }]);
    expect(await here.result('resource_show', { id })).toMatchObject({ datastore_active: true });
    expect(await check()).toMatchObject({ elsewhere: [], missing: [], orphans: [] });
  });

  it('are copied over many pages, and not again while unchanged', async () => {
    const id = await tableOnly({ fields: [{ id: 'n', type: 'int4' }] });
    for (let at = 0; at < ROWS; at += 11_000)
      await far.result(
        'datastore_upsert',
        { resource_id: id, method: 'insert', records: Array.from({ length: 11_000 }, (_, n) => ({ n: at + n })) },
        { as: admin },
      );
    expect(await run()).toMatchObject({ state: 'done', failed: 0, said: [] });
    const sum = (world: World) =>
      world.result('datastore_search_sql', {
        sql: `SELECT count(*) AS rows, sum(n) AS total, max(n) AS last FROM "${id}"`,
      });
    expect((await sum(here)).records).toEqual((await sum(far)).records);
    expect((await sum(here)).records).toMatchObject([{ last: ROWS - 1 }]);
    const before = await changes();
    expect(await run()).toMatchObject({ state: 'done', said: [] });
    expect(await run({ full: true })).toMatchObject({ state: 'done', said: [] });
    expect(await changes()).toBe(before);
  });

  it('are updated: new rows and deletions by the next run, changed rows by a full run', async () => {
    const id = await tableOnly({
      fields: [
        { id: 'k', type: 'text' },
        { id: 'v', type: 'text' },
      ],
      primary_key: ['k'],
      records: [{ k: 'a', v: '1' }],
    });
    await run();
    await far.result('datastore_upsert', { resource_id: id, records: [{ k: 'b', v: '2' }] }, { as: admin });
    await run();
    expect(await records(here, id)).toHaveLength(2);
    await far.result('datastore_upsert', { resource_id: id, records: [{ k: 'b', v: '3' }] }, { as: admin });
    await run({ full: true });
    expect(await records(here, id)).toMatchObject([{ v: '1' }, { v: '3' }]);
    // A table that is dropped here is copied again.
    await here.result('datastore_delete', { resource_id: id, force: true }, { as: await here.make.sysadmin() });
    await run();
    expect(await records(here, id)).toHaveLength(2);
    await far.result('datastore_delete', { resource_id: id }, { as: admin });
    await run();
    expect((await here.action('datastore_search', { resource_id: id })).body.success).toBe(false);
    expect(await here.result('resource_show', { id })).toMatchObject({ datastore_active: false });
    expect(await check()).toMatchObject({ elsewhere: [], missing: [], orphans: [] });
  });

  it('stay hidden: they are copied with an API key only, and are hidden here too', async () => {
    const hidden = await tableOnly({ records: [{ secret: 'x' }] });
    const unseen = await tableOnly({ records: [{ secret: 'y' }] }, { private: true });
    await far.result('datastore_make_private', { resource_id: hidden }, { as: admin });
    const without = await run();
    expect(without).toMatchObject({ state: 'done', failed: 1 });
    expect(without.said).toEqual([expect.stringContaining(`resource ${hidden}: its table was not copied: `)]);
    expect(await check()).toMatchObject({ elsewhere: [{ resourceId: hidden, message: expect.any(String) }] });
    await here.result('package_list');
    expect((await here.action('resource_show', { id: unseen })).body.success).toBe(false);
    const keyed = await sourceOf({ name: 'keyed', apiKey: admin.key, adopt: true });
    expect(await run({}, keyed)).toMatchObject({ state: 'done', failed: 0 });
    expect((await here.action('datastore_search', { resource_id: hidden })).body.success).toBe(false);
    const root = await here.make.sysadmin();
    expect((await here.result('datastore_search', { resource_id: hidden }, { as: root })).records).toMatchObject([
      { secret: 'x' },
    ]);
    expect(await check()).toMatchObject({ elsewhere: [] });
  });

  it('are copied without an alias that is taken here, with a remark', async () => {
    const own = await here.make.dataset({});
    const root = await here.make.sysadmin();
    await here.result(
      'datastore_create',
      { resource: { package_id: own.id }, records: [{ a: 1 }], aliases: 'taken-here' },
      { as: root },
    );
    const id = await tableOnly({ records: [{ a: 2 }], aliases: ['taken-here', 'free-here'] });
    const { said } = await run();
    expect(said.filter((line) => line.includes(id))).toEqual([expect.stringContaining('omits the alias taken-here')]);
    expect(await records(here, 'taken-here')).toMatchObject([{ a: 1 }]);
    expect(await records(here, 'free-here')).toMatchObject([{ a: 2 }]);
  });
});

describe('a source', () => {
  let scene: HarvestScene;
  let world: World;
  beforeAll(async () => {
    scene = await createHarvestScene();
    ({ world } = scene);
    await world.datastore();
  });
  beforeEach(() => {
    scene.asked = [];
  });
  afterAll(() => scene.end());

  const withTable = (name: string, more: object = {}) => {
    const id = world.id();
    return {
      id,
      dataset: scene.dataset(name, { resources: [{ id, name: 'T', url: '', url_type: 'datastore', ...more }] }),
    };
  };
  const fields = [
    { id: '_id', type: 'int4' },
    { id: 'a', type: 'text' },
    { id: 'n', type: 'numeric' },
  ];
  const rowsOf = (count: number) => Array.from({ length: count }, (_, n) => ({ _id: n + 1, a: `r${n}`, n: String(n) }));
  const search = (rows: readonly object[], { limit, offset }: Readonly<Record<string, string>>, more: object = {}) => ({
    fields,
    total: rows.length,
    records: rows.slice(Number(offset ?? 0), Number(offset ?? 0) + Number(limit)),
    ...more,
  });

  it('with CKAN 2.4 is harvested with rows, and with aliases from `_table_metadata`', async () => {
    const { id, dataset } = withTable('old-one');
    scene.answers = catalog([dataset], (action, query, res) => {
      if (action === 'datastore_info') return void res.writeHead(400).end('"Bad request - Action name not known"');
      if (action !== 'datastore_search') return undefined;
      if (query.resource_id === '_table_metadata')
        return {
          records: [
            { name: 'old-alias', alias_of: id },
            { name: 'other', alias_of: 'x' },
          ],
        };
      const known = ['resource_id', 'limit', 'offset', 'sort', 'filters'];
      if (Object.keys(query).some((key) => !known.includes(key))) return undefined;
      return search(rowsOf(4_500), query);
    });
    expect(await scene.run(await scene.sourceOf())).toMatchObject({ state: 'done', failed: 0, said: [] });
    const found = await world.result('datastore_search', { resource_id: 'old-alias', limit: 1, sort: '_id desc' });
    expect(found).toMatchObject({ total: 4_500, records: [{ _id: 4_500, a: 'r4499', n: '4499' }] });
    const [resource] = (await world.result('package_show', { id: 'old-one' })).resources;
    expect(resource).toMatchObject({ id, url: `http://catalog.test/datastore/dump/${id}`, datastore_active: true });
  });

  it('with CKAN 2.11 is harvested with aliases, key, dictionary and all digits of numbers', async () => {
    const { id, dataset } = withTable('new-one', { url_type: null, datastore_active: true, format: 'API' });
    const schema = (uniquekey: boolean) => ({ index_name: uniquekey ? 'k' : '', is_index: uniquekey, uniquekey });
    scene.answers = catalog([dataset], (action, query, res) => {
      if (action === 'datastore_info')
        return {
          meta: { id, count: 1, aliases: ['new-alias'], table_type: 'BASE TABLE' },
          fields: [
            { id: 'a', type: 'text', schema: schema(true), info: { label: 'Letter' } },
            { id: 'n', type: 'numeric', schema: schema(false) },
          ],
        };
      if (action !== 'datastore_search') return undefined;
      const text = `{"success": true, "result": {"fields": ${JSON.stringify(fields)}, "total": 1, "records": ${
        query.limit === '0' ? '[]' : '[{"_id": 1, "a": "x 12345678901234567890", "n": 12345678901234567890.5}]'
      }}}`;
      return void res.writeHead(200, { 'content-type': 'application/json' }).end(text);
    });
    expect(await scene.run(await scene.sourceOf())).toMatchObject({ state: 'done', failed: 0, said: [] });
    const { meta } = await world.result('datastore_info', { id });
    expect(meta).toMatchObject({ aliases: ['new-alias'], primary_key: ['a'], count: 1 });
    const found = await world.result('datastore_search', { resource_id: id });
    expect(found.records).toEqual([{ _id: 1, a: 'x 12345678901234567890', n: '12345678901234567890.5' }]);
    expect(found.fields[1]).toMatchObject({ id: 'a', info: { label: 'Letter' } });
  });

  it('that fails midway leaves no partial table, and the next run copies it', async () => {
    const { id, dataset } = withTable('broken-off');
    let isDown = true;
    scene.answers = catalog([dataset], (action, query, res) => {
      if (action !== 'datastore_search') return undefined;
      if (query.resource_id === '_table_metadata') return { records: [] };
      if (isDown && Number(query.offset ?? 0) >= 2_000) return void res.writeHead(502).end('<h1>down</h1>');
      return search(rowsOf(5_000), query);
    });
    const source = await scene.sourceOf();
    const first = await scene.run(source);
    expect(first).toMatchObject({ state: 'done', created: 1, failed: 1 });
    expect(first.said).toEqual([expect.stringContaining(`resource ${id}: its table was not copied`)]);
    expect((await world.action('datastore_search', { resource_id: id })).body.success).toBe(false);
    expect((await tablesCheck(scene.call())).elsewhere.map(({ resourceId }) => resourceId)).toEqual([id]);
    isDown = false;
    expect(await scene.run(source)).toMatchObject({ state: 'done', failed: 0, said: [] });
    expect((await world.result('datastore_search', { resource_id: id })).total).toBe(5_000);
    expect((await tablesCheck(scene.call())).elsewhere).toEqual([]);
  });

  it('with an inconsistent or invalid table gets a remark, and the table is not copied', async () => {
    const { id, dataset } = withTable('moving');
    const odd: object[] = [
      { total: 5_001 },
      { records: [] },
      { records: rowsOf(2_000) },
      { records: 'none' },
      { fields: [{ id: 'a', type: 'no such type' }] },
      { fields: [{ id: '"; DROP TABLE x', type: 'text' }] },
    ];
    let more: object = {};
    scene.answers = catalog([dataset], (action, query) =>
      action !== 'datastore_search'
        ? undefined
        : query.resource_id === '_table_metadata'
          ? { records: [] }
          : search(rowsOf(5_000), query, 'fields' in more || Number(query.offset ?? 0) > 0 ? more : {}),
    );
    const source = await scene.sourceOf();
    for (more of odd) {
      const { failed, said } = await scene.run(source);
      expect([failed, said]).toEqual([1, [expect.stringContaining(`resource ${id}: its table was not copied`)]]);
      expect((await world.action('datastore_search', { resource_id: id })).body.success).toBe(false);
    }
    more = {};
    expect(await scene.run(source)).toMatchObject({ failed: 0, said: [] });
  });

  it('with a table beyond the maximum size gets a remark', async () => {
    const small = await createHarvestScene({ 'catalog.loading.max_size': 50_000 });
    try {
      await small.world.datastore();
      const { id, dataset } = withTable('too-large');
      small.answers = catalog([dataset], (action, query) =>
        action === 'datastore_search' && query.resource_id === id ? search(rowsOf(5_000), query) : undefined,
      );
      const { said } = await small.run(await small.sourceOf());
      expect(said).toEqual([expect.stringContaining('larger than 50000 bytes (catalog.loading.max_size)')]);
    } finally {
      await small.end();
    }
  });

  it('with an upload without a URL gets a link to its download', async () => {
    const file = { id: world.id(), url: '', url_type: 'upload', name: 'F' };
    const dataset = scene.dataset('with-upload', { resources: [file] });
    scene.answers = catalog([dataset]);
    expect(await scene.run(await scene.sourceOf())).toMatchObject({ created: 1, failed: 0, said: [] });
    const [resource] = (await world.result('package_show', { id: 'with-upload' })).resources;
    expect(resource.url).toBe(`${scene.base}/dataset/${dataset.id}/resource/${file.id}/download`);
  });
});
