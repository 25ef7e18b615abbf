/** DataStore actions: tables are created, filled, searched, changed and deleted by permitted callers. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createTables, type Tables } from '../helpers/tables.ts';
import { until } from '../helpers/until.ts';
import type { World } from '../helpers/world.ts';

let world: World;
let editor: TestUser;
let member: TestUser;
let stranger: TestUser;
let resource: Tables['resource'];
let organization: Tables['organization'];
let table: Tables['table'];
let write: Tables['write'];
let search: Tables['search'];

beforeAll(async () => {
  ({ world, editor, member, stranger, organization, resource, table, write, search } = await createTables(
    {},
    { counts: true },
  ));
});
afterAll(() => world.end());

const FIELDS = [
  { id: 'title', type: 'text', info: { label: 'Title', notes: "it's" } },
  { id: 'pages', type: 'int' },
  { id: 'price', type: 'numeric' },
  { id: 'tags', type: 'text[]' },
  { id: 'meta', type: 'json' },
  { id: 'published', type: 'timestamp' },
];
const BOOKS = [
  {
    title: 'War and Peace',
    pages: 1225,
    price: 12.5,
    tags: ['novel', 'war'],
    meta: { n: [1] },
    published: '1869-03-02',
  },
  { title: 'The Trial', pages: 255, price: null, tags: [], meta: null, published: null },
  { title: 'Say "yes", no', pages: 0, price: 1e20, tags: ['a,b'], meta: [1], published: '2001-12-31T10:00:00' },
];

const books = (isPrivate = false, more: object = {}) => table({ fields: FIELDS, records: BOOKS, ...more }, isPrivate);
const titles = async (params: Record<string, unknown>) =>
  (await search({ fields: ['title'], ...params })).records.map(({ title }: { title: string }) => title);

describe('datastore_create', () => {
  it('creates a table for datastore_search, and sets datastore_active on the resource', async () => {
    const id = await books();
    const found = await search({ resource_id: id });
    expect(found.fields.slice(0, 3)).toEqual([
      { id: '_id', type: 'int4' },
      { id: 'title', type: 'text', info: { label: 'Title', notes: "it's" } },
      { id: 'pages', type: 'int4' },
    ]);
    expect(found.records[0]).toEqual({ _id: 1, ...BOOKS[0], price: '12.5', published: '1869-03-02T00:00:00' });
    expect(found.records[2].price).toBe('100000000000000000000');
    expect(found.total).toBe(3);
    expect(await world.result('resource_show', { id })).toMatchObject({ datastore_active: true });
    await world.result('datastore_delete', { resource_id: id, force: true }, { as: editor });
    expect(await world.result('resource_show', { id })).toMatchObject({ datastore_active: false });
  });

  it('creates a resource together with its table', async () => {
    const { body } = await world.make.dataset({ ownerOrganization: organization.id });
    const { resource_id } = await world.result(
      'datastore_create',
      { resource: { package_id: body.id }, records: [{ a: 1 }] },
      { as: editor },
    );
    expect(await world.result('resource_show', { id: resource_id })).toMatchObject({
      url: `http://catalog.test/datastore/dump/${resource_id}`,
      url_type: 'datastore',
      datastore_active: true,
    });
    const refused = await world.action(
      'datastore_create',
      { resource: { package_id: body.id }, records: [{ a: 1 }, 5] },
      { as: editor },
    );
    expect(refused.body.success).toBe(false);
    expect((await world.result('package_show', { id: body.id })).num_resources).toBe(1);
  });

  it('infers column types', async () => {
    const resource_id = await resource();
    const record = {
      i: 1,
      f: 1.5,
      b: true,
      d: '2012-01-01',
      no: '2012-02-30',
      code: '007',
      t: 'x',
      j: { a: [1] },
      n: null,
      big: '12345678901',
    };
    await write('datastore_create', { resource_id, records: [record, { n: 5 }] });
    const { fields } = await search({ resource_id });
    expect(Object.fromEntries(fields.map(({ id, type }: { id: string; type: string }) => [id, type]))).toEqual({
      _id: 'int4',
      i: 'int4',
      f: 'float8',
      b: 'bool',
      d: 'timestamp',
      no: 'text',
      code: 'text',
      t: 'text',
      j: 'json',
      n: 'int4',
      big: 'numeric',
    });
  });

  it('writes nothing when one record is refused', async () => {
    const resource_id = await resource();
    const refused = await write('datastore_create', {
      resource_id,
      fields: [{ id: 'n', type: 'int' }],
      records: [{ n: 1 }, { n: 'x' }],
    });
    expect(refused.body.error.__type).toBe('Validation Error');
    expect((await world.action('datastore_search', { resource_id })).body.error.__type).toBe('Not Found Error');
  });

  it.each([
    ['int; drop table x'],
    ['regclass'],
    ['record'],
    ['pg_node_tree'],
    ['"int"'],
    ['int primary key'],
    ["text default 'x'"],
    ['pg_catalog.int4'],
    ['int) , (x'],
  ])('refuses the type %s', async (type) => {
    const resource_id = await resource();
    const { body } = await write('datastore_create', { resource_id, fields: [{ id: 'a', type }] });
    expect(body.error).toMatchObject({
      __type: 'Validation Error',
      fields: [expect.stringContaining('is not a valid field type')],
    });
  });

  it('quotes any column name and alias', async () => {
    const resource_id = await resource();
    const record = { "a'; drop table x; --": 1, $1: 2, 'sel ect': 3, 'ü\\': 4 };
    await write('datastore_create', { resource_id, records: [record], aliases: [`odd'; ${world.id()}`] });
    expect((await search({ resource_id, filters: record, sort: '"sel ect" desc' })).records).toEqual([
      { _id: 1, ...record },
    ]);
  });

  it('refuses a response that is too large for memory', async () => {
    const resource_id = await resource();
    const records = Array.from({ length: 9 }, () => ({ t: 'x'.repeat(1_000_000) }));
    for (let round = 0; round < 8; round++)
      await write(round ? 'datastore_upsert' : 'datastore_create', { resource_id, records, method: 'insert' });
    const { body } = await world.action('datastore_search', { resource_id });
    expect(body.error).toMatchObject({
      __type: 'Validation Error',
      message: expect.stringContaining('download the table'),
    });
    expect((await search({ resource_id, limit: 3 })).records).toHaveLength(3);
    const query = `{ resource(id: "${resource_id}") { table { records(first: 100) { totalCount nodes } } } }`;
    expect((await world.graph(query)).body.errors[0].extensions.code).toBe('LIMIT');
    expect(
      (await fetch(`${world.base}/datastore/dump/${resource_id}`).then((answer) => answer.text())).length,
    ).toBeGreaterThan(72_000_000);
  });

  it('creates more tables concurrently than there are connections', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, () => resource()));
    const made = await Promise.all(ids.map((resource_id) => write('datastore_create', { resource_id, records: [] })));
    expect(made.map(({ body }) => body.success)).toEqual(ids.map(() => true));
  });

  it('reserves aliases for their table', async () => {
    const alias = `alias-${world.id()}`;
    const id = await books(false, { aliases: [alias] });
    expect((await search({ resource_id: alias })).resource_id).toBe(id);
    const other = await resource();
    const { body } = await write('datastore_create', { resource_id: other, records: [{ a: 1 }], aliases: [alias] });
    expect(body.error.alias).toEqual([`The alias "${alias}" already exists.`]);
    await write('datastore_create', { resource_id: id, records: [{ more: 1 }] });
    expect((await search({ resource_id: alias, fields: 'more' })).fields).toEqual([{ id: 'more', type: 'int4' }]);
    const taken = await write('datastore_create', { resource_id: other, records: [{ a: 1 }], aliases: [id] });
    const unborn = await resource();
    const squatting = await write('datastore_create', { resource_id: other, records: [{ a: 1 }], aliases: [unborn] });
    expect(squatting.body.error.alias).toEqual([`The alias "${unborn}" already exists.`]);
    expect(taken.body.success).toBe(false);
  });
});

describe('datastore_search', () => {
  let id: string;
  beforeAll(async () => {
    id = await books();
  });

  it.each<[string, object, string[]]>([
    ['a value', { title: 'The Trial' }, ['The Trial']],
    ['a list', { pages: [255, '1225'] }, ['War and Peace', 'The Trial']],
    ['null', { price: null }, ['The Trial']],
    ['a list with null', { price: [null, 12.5] }, ['War and Peace', 'The Trial']],
    ['a range', { pages: { gt: 0, lte: 255 } }, ['The Trial']],
    ['a list that is the value', { tags: ['novel', 'war'] }, ['War and Peace']],
    ['JSON', { meta: { n: [1] } }, ['War and Peace']],
    ['nothing', { pages: 7 }, []],
  ])('filters by %s', async (_what, filters, found) => {
    expect(await titles({ resource_id: id, filters })).toEqual(found);
  });

  it.each<[string, object]>([
    ['a field that is not there', { filters: { nope: 1 } }],
    ['the inner column', { filters: { _full_text: 'x' } }],
    ['a value that does not fit', { filters: { pages: 'many' } }],
    ['an empty list', { filters: { pages: [] } }],
    ['an unknown comparison', { filters: { pages: { like: 1 } } }],
    ['an unknown order', { sort: 'pages sideways' }],
    ['an unknown field', { fields: ['title', 'nope'] }],
    ['an unknown language', { q: 'x', language: "x'y" }],
    ['a text query that cannot be read', { q: '& |', plain: false }],
    ['a text query that is nested too deep', { q: `${'!'.repeat(50)}war`, plain: false }],
    ['a number to look for', { q: 5 }],
    ['a negative limit', { limit: -1 }],
    ['a limit beyond the setting', { limit: 32_001 }],
    ['an unknown form', { records_format: 'xml' }],
  ])('refuses %s', async (_what, params) => {
    const { body } = await world.action('datastore_search', { resource_id: id, ...params });
    expect(body.error?.__type).toBe('Validation Error');
  });

  it('searches for words', async () => {
    const { records, fields } = await search({ resource_id: id, q: 'peace' });
    expect(records).toMatchObject([{ title: 'War and Peace', _full_count: '1', rank: expect.any(Number) }]);
    expect(fields.at(-1)).toEqual({ id: 'rank', type: 'float4' });
    expect(await titles({ resource_id: id, q: { title: 'trial' } })).toEqual(['The Trial']);
    expect(await titles({ resource_id: id, q: 'pea:* & !trial', plain: false })).toEqual(['War and Peace']);
    expect(await titles({ resource_id: id, q: 'the', language: 'simple' })).toEqual(['The Trial']);
  });

  it('returns records in other formats', async () => {
    const params = { resource_id: id, fields: ['title', 'tags', 'price'], limit: 1, offset: 2 };
    expect((await search({ ...params, records_format: 'lists' })).records).toEqual([
      ['Say "yes", no', ['a,b'], '100000000000000000000'],
    ]);
    expect((await search({ ...params, records_format: 'csv' })).records).toBe(
      '"Say ""yes"", no","[""a,b""]",100000000000000000000\r\n',
    );
    expect((await search({ ...params, records_format: 'tsv' })).records).toBe(
      '"Say ""yes"", no"\t"[""a,b""]"\t100000000000000000000\r\n',
    );
  });

  it('sorts, omits the total on request, and returns distinct records', async () => {
    expect(await titles({ resource_id: id, sort: 'price desc nulls last' })).toEqual([
      'Say "yes", no',
      'War and Peace',
      'The Trial',
    ]);
    expect(await search({ resource_id: id, include_total: false })).not.toHaveProperty('total');
    await write('datastore_upsert', { resource_id: id, method: 'insert', records: [{ title: 'The Trial' }] });
    expect(await titles({ resource_id: id, distinct: true })).toEqual(['War and Peace', 'The Trial', 'Say "yes", no']);
  });

  it('sends one statement to the DataStore when the columns are cached', async () => {
    const isSent = (text: string) => text.includes('datastore_search') || text.includes('pg_attribute');
    const sent = async () =>
      (await world.statementsOf(() => search({ resource_id: id, q: 'trial' }))).filter(isSent).length;
    await until(async () => (await sent()) === 1); // a busy machine may take longer than the columns stay cached
  });
});

describe('writing', () => {
  it('upserts by key in order, and preserves omitted fields', async () => {
    const resource_id = await resource();
    const fields = [
      { id: 'k', type: 'text' },
      { id: 'n', type: 'int' },
      { id: 't', type: 'text' },
    ];
    await write('datastore_create', { resource_id, fields, primary_key: 'k', records: [{ k: 'a', n: 1, t: 'one' }] });
    await write('datastore_upsert', {
      resource_id,
      records: [
        { k: 'a', n: 2 },
        { k: 'b', n: 3 },
        { k: 'b', t: 'last' },
        { k: 'b', n: 4 },
      ],
    });
    expect((await search({ resource_id, sort: 'k' })).records).toEqual([
      { _id: 1, k: 'a', n: 2, t: 'one' },
      { _id: 2, k: 'b', n: 4, t: 'last' },
    ]);
    expect((await search({ resource_id, q: 'last' })).total).toBe(1);
    const absent = await write('datastore_upsert', {
      resource_id,
      method: 'update',
      records: [
        { k: 'a', n: 9 },
        { k: 'z', n: 1 },
      ],
    });
    expect(absent.body.error.key).toEqual([`key "['z']" not found`]);
    const twice = await write('datastore_upsert', { resource_id, method: 'insert', records: [{ k: 'c' }, { k: 'a' }] });
    expect(twice.body.error).toHaveProperty('constraints');
    await write('datastore_upsert', { resource_id, dry_run: true, records: [{ k: 'd', n: 1 }] });
    expect((await search({ resource_id, sort: 'k', fields: 'k,n' })).records).toEqual([
      { k: 'a', n: 2 },
      { k: 'b', n: 4 },
    ]);
  });

  it('deletes records by filters, all records, and the table', async () => {
    const resource_id = await books();
    expect(
      await world.result(
        'datastore_records_delete',
        { resource_id, force: true, filters: { pages: { lt: 300 } } },
        { as: editor },
      ),
    ).toMatchObject({ deleted: 2 });
    await write('datastore_delete', { resource_id, filters: {} });
    expect((await search({ resource_id })).total).toBe(0);
    await write('datastore_delete', { resource_id });
    expect((await world.action('datastore_search', { resource_id })).body.error.__type).toBe('Not Found Error');
    expect((await write('datastore_delete', { resource_id })).body.error.__type).toBe('Not Found Error');
  });

  it('allows only editors, and requires force for a read-only resource', async () => {
    const resource_id = await books();
    const calls: [string, Record<string, unknown>][] = [
      ['datastore_create', { resource_id, records: [{ a: 1 }] }],
      ['datastore_upsert', { resource_id, records: [] }],
      ['datastore_delete', { resource_id, filters: {} }],
      ['datastore_records_delete', { resource_id, filters: {} }],
      ['datastore_make_private', { resource_id }],
      ['datastore_make_public', { resource_id }],
    ];
    for (const [name, params] of calls) {
      for (const as of [null, member, stranger])
        expect((await world.action(name, { force: true, ...params }, { as })).body.error.__type).toBe(
          'Authorization Error',
        );
      if (!name.includes('make'))
        expect((await world.action(name, params, { as: editor })).body.error).toHaveProperty('read-only');
    }
    expect((await search({ resource_id })).total).toBe(3);
  });
});
