/** datastore_search_sql: results, errors and limits of statements, and data that no statement may read. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createTables, type Tables } from '../helpers/tables.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let tables: Tables;
let editor: TestUser;
let member: TestUser;
let open: string;
let closed: string;
const alias = `books ${crypto.randomUUID()}`;
const SECRET = 'the secret itself';

beforeAll(async () => {
  tables = await createTables({ 'catalog.datastore.max_rows': 50 }, { counts: true });
  ({ world, editor, member } = tables);
  const records = [
    { title: 'War and Peace', pages: 1225, price: '12.5', read: true, day: '1869-03-02', tags: ['a'] },
    { title: 'The Trial', pages: 255, price: null, read: false, day: null, tags: [] },
  ];
  open = await tables.table({ records, aliases: [alias], fields: [{ id: 'title' }, { id: 'tags', type: 'text[]' }] });
  closed = await tables.table({ records: [{ word: SECRET }], aliases: ['closed'] }, true);
});
afterAll(() => world.end());

const ask = (sql: string, as: TestUser | null = null) => world.action('datastore_search_sql', { sql }, { as });
const rows = async (sql: string, as: TestUser | null = null) =>
  (await world.result('datastore_search_sql', { sql }, { as })).records;
const error = async (sql: string, as: TestUser | null = null) => (await ask(sql, as)).body.error;

describe('a statement that is repeated', () => {
  const change = (name: string, params: object) => tables.change(name, params);
  const result = async (sql: string) => {
    const { fields, records } = await world.result('datastore_search_sql', { sql });
    return [fields.map(({ id, type }: { id: string; type: string }) => `${id} ${type}`).join(), records];
  };

  it('returns the current columns of its table', async () => {
    const resource_id = await tables.table({ fields: [{ id: 'a', type: 'int' }], records: [{ a: 1 }] });
    const sql = `SELECT * FROM "${resource_id}"`;
    const first = await result(sql);
    for (let time = 0; time < 2; time += 1) expect(await result(sql)).toEqual(first);
    await change('datastore_create', {
      resource_id,
      fields: [
        { id: 'a', type: 'int' },
        { id: 'b', type: 'text' },
      ],
    });
    for (let time = 0; time < 2; time += 1) {
      const [fields, [record]] = await result(sql);
      expect(fields).toMatch(/a int4.*,b text$/);
      expect(record).toMatchObject({ a: 1, b: null });
    }
    await change('datastore_delete', { resource_id });
    expect((await ask(sql)).body.success).toBe(false);
    await change('datastore_create', {
      resource_id,
      fields: [{ id: 'a', type: 'numeric' }],
      records: [{ a: '12345678901234567890' }],
    });
    for (let time = 0; time < 2; time += 1) {
      const [fields, [record]] = await result(sql);
      expect(fields).toMatch(/a numeric$/);
      expect(record.a).toBe('12345678901234567890');
    }
  });

  it('fails with the same error each time, and works once its rows are corrected', async () => {
    const resource_id = await tables.table({ primary_key: 'k', records: [{ k: 1, a: 0 }] });
    const sql = `SELECT k, 10 / a AS x FROM "${resource_id}"`;
    await change('datastore_upsert', { resource_id, records: [{ k: 1, a: 5 }] });
    expect((await result(sql))[1]).toEqual([{ k: 1, x: 2 }]);
    await change('datastore_upsert', { resource_id, records: [{ k: 1, a: 0 }] });
    const first = await error(sql);
    expect(JSON.stringify(first)).toContain('division by zero');
    for (let time = 0; time < 5; time += 1) expect(await error(sql)).toEqual(first);
    await change('datastore_delete', { resource_id });
    const fields = [
      { id: 'k', type: 'int' },
      { id: 'a', type: 'float8' },
    ];
    await change('datastore_create', { resource_id, fields, records: [{ k: 1, a: 0 }] });
    for (let time = 0; time < 5; time += 1) expect(JSON.stringify(await error(sql))).toContain('division by zero');
    await change('datastore_records_delete', { resource_id, filters: {} });
    await change('datastore_upsert', { resource_id, method: 'insert', records: [{ k: 2, a: 4 }] });
    expect((await result(sql))[1]).toEqual([{ k: 2, x: 2.5 }]);
  });

  it('returns other column types and names for other values', async () => {
    const columns = [
      [(n: number) => `${n}`, 'int4', Number],
      [(n: number) => `300000000${n}`, 'int8', (n: number) => `300000000${n}`],
      [(n: number) => `1.${n}`, 'numeric', (n: number) => `1.${n}`],
      [(n: number) => `'${n}'`, 'text', String],
      [(n: number) => `DATE '2026-01-0${n}'`, 'date', (n: number) => `2026-01-0${n}`],
      [(n: number) => `ARRAY[${n}]`, '_int4', (n: number) => [n]],
    ] as const;
    for (const n of [1, 2, 3])
      for (const [value, type, shown] of n === 2 ? columns.toReversed() : columns)
        expect(await result(`SELECT ${value(n)} AS x`)).toEqual([`x ${type}`, [{ x: shown(n) }]]);
    for (const name of ['x1', 'x2', 'x 1', 'x 2', "it's 1", "it's 2", 'a"b'])
      expect(await result(`SELECT 1 AS "${name.replace('"', '""')}"`)).toEqual([`${name} int4`, [{ [name]: 1 }]]);
  });

  it('is described and run in parallel if it differs only in values, until that fails', async () => {
    const resource_id = await tables.table({ primary_key: 'k', records: [{ k: 1, a: 5 }] });
    const sqlOf = (k: number) => `SELECT k, a FROM "${resource_id}" WHERE k = ${k}`;
    const sent = async (sql: string) => (await world.statementsOf(() => ask(sql))).join();
    const [fields, records] = await result(sqlOf(1));
    expect(records).toEqual([{ k: 1, a: 5 }]);
    expect(await result(sqlOf(2))).toEqual([fields, []]);
    await change('datastore_delete', { resource_id });
    await change('datastore_create', { resource_id, fields: [{ id: 'k', type: 'int' }] });
    const first = await sent(sqlOf(3));
    expect(first).toContain('datastore_describe');
    expect(first).toContain('datastore_search_sql'); // sent before the description has failed
    const second = await sent(sqlOf(4));
    expect(second).toContain('datastore_describe');
    expect(second).not.toContain('datastore_search_sql');
    expect(await error(sqlOf(3))).toEqual(await error(sqlOf(4)));
  });

  it('reports an error at the same position as a new statement', async () => {
    const resource_id = await tables.table({
      fields: [
        { id: 'a', type: 'int' },
        { id: 'b', type: 'int' },
      ],
    });
    const sql = `SELECT a, b FROM "${resource_id}"`;
    await result(sql);
    await change('datastore_delete', { resource_id });
    await change('datastore_create', { resource_id, fields: [{ id: 'a', type: 'int' }] });
    const body = await world.graph('query ($sql: String!) { tableQuery(sql: $sql) { records } }', { sql });
    const again = await world.graph('query ($sql: String!) { tableQuery(sql: $sql) { records } }', { sql: `${sql} ` });
    expect(body.body.errors[0].message).toContain('column "b" does not exist');
    expect(body.body.errors).toEqual(again.body.errors); // the second text was never run before
  });
});

describe('datastore_search_sql', () => {
  it('returns rows with their fields, in the formats of datastore_search', async () => {
    const sql = `SELECT title, pages, price, read, tags, day, count(*) OVER () AS n FROM "${open}" ORDER BY pages DESC`;
    expect(await world.result('datastore_search_sql', { sql })).toEqual({
      fields: [
        { id: 'title', type: 'text' },
        { id: 'pages', type: 'int4' },
        { id: 'price', type: 'numeric' },
        { id: 'read', type: 'bool' },
        { id: 'tags', type: '_text' },
        { id: 'day', type: 'timestamp' },
        { id: 'n', type: 'int8' },
      ],
      records: [
        {
          title: 'War and Peace',
          pages: 1225,
          price: '12.5',
          read: true,
          tags: ['a'],
          day: '1869-03-02T00:00:00',
          n: '2',
        },
        { title: 'The Trial', pages: 255, price: null, read: false, tags: [], day: null, n: '2' },
      ],
      sql,
    });
  });

  it('joins tables by id and alias, and returns empty results, unusual names and duplicate names', async () => {
    expect(await rows(`SELECT b.title FROM "${alias}" a JOIN "${open}" b USING (_id) WHERE a.pages < 1000`)).toEqual([
      { title: 'The Trial' },
    ]);
    expect(await rows(`SELECT * FROM "${open}" WHERE false`)).toEqual([]);
    expect(await rows('SELECT 1 AS "a""b", 2 AS "Ä", 3 AS x, 4 AS x -- so')).toEqual([{ 'a"b': 1, Ä: 2, x: 4 }]);
    expect(await rows("WITH q AS (SELECT '✓' AS a) SELECT * FROM q;")).toEqual([{ a: '✓' }]);
    expect(await rows(`SELECT t FROM "${open}" t WHERE _id = 2`)).toEqual([
      { t: expect.objectContaining({ title: 'The Trial' }) },
    ]);
  });

  it('checks columns and access again when a statement is repeated', async () => {
    const id = await tables.table({ records: [{ a: 1 }] });
    const sql = `SELECT * FROM "${id}"`;
    expect(await rows(sql)).toEqual([{ _id: 1, _full_text: "'1':1", a: 1 }]);
    await tables.write('datastore_create', { resource_id: id, fields: [{ id: 'a' }, { id: 'b', type: 'int8' }] });
    expect(await rows(sql)).toEqual([{ _id: 1, _full_text: "'1':1", a: 1, b: null }]);
    await tables.write('datastore_make_private', { resource_id: id });
    expect((await error(sql)).__type).toBe('Authorization Error');
    expect(await rows(sql, member)).toHaveLength(1);
    await tables.write('datastore_delete', { resource_id: id });
    expect((await error(sql, member)).query).toEqual([expect.stringContaining('does not exist')]);
  });

  it('leaves no transaction open, also after an error', async () => {
    const { hasReader, pools } = world.app.callAs(world.system).stores.datastore!;
    expect(hasReader).toBe(true);
    for (const sql of ['SELECT 1 AS a', 'SELECT 1/0 AS a', 'SELECT nothing AS a']) await ask(sql);
    const { rows: open } = await pools.datastore_search!.query(
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND usename = current_user AND state LIKE 'idle in%'",
    );
    expect(open).toEqual([]);
  });

  it('refuses invalid statements with a message', async () => {
    for (const sql of [
      'SELEC 1',
      'SELECT 1; SELECT 2',
      'SELECT nope()',
      `SELECT nope FROM "${open}"`,
      'SELECT 1/0',
      'SELECT * FROM nope',
      'SELECT',
      `SELECT q.* FROM "${open}" x, (SELECT) q`,
      "SELECT 'x'::int",
    ])
      expect([sql, await error(sql)]).toEqual([
        sql,
        expect.objectContaining({ __type: 'Validation Error', message: expect.stringMatching(/\w/) }),
      ]);
    expect(await error('')).toMatchObject({ __type: 'Validation Error', sql: ['Missing value'] });
    expect((await world.action('datastore_search_sql', { sql: 5 })).body.success).toBe(false);
  });

  it('lets only members read private tables, in every form of statement', async () => {
    expect(await rows(`SELECT word FROM "${closed}"`, member)).toEqual([{ word: SECRET }]);
    expect(await rows('SELECT word FROM closed', member)).toEqual([{ word: SECRET }]);
    const stranger = await world.make.user();
    const doors = [
      `SELECT * FROM "${closed}"`,
      'SELECT * FROM closed',
      'SELECT * FROM public.closed',
      'TABLE closed',
      'SELECT (SELECT word FROM closed)',
      `SELECT * FROM "${open}" WHERE EXISTS (SELECT 1 FROM closed WHERE word LIKE 'the%')`,
      'SELECT 1 UNION SELECT count(*) FROM closed',
      'WITH closed AS (SELECT * FROM closed) SELECT * FROM closed',
      `WITH "${closed}" AS (SELECT 1 AS word) SELECT * FROM "${closed}"`,
      'SELECT b.* FROM (WITH closed AS (SELECT 1) SELECT * FROM closed) a, closed b',
      'SELECT * FROM (SELECT 1) x, LATERAL (SELECT * FROM closed) y',
      'SELECT array(SELECT word FROM closed)',
      'SELECT * FROM unnest((SELECT array_agg(word) FROM closed)) x',
      'SELECT 1 LIMIT (SELECT length(word) FROM closed)',
      'SELECT to_json(c) FROM closed c',
      'SELECT count(*) FILTER (WHERE EXISTS (TABLE closed))',
      'VALUES ((SELECT word FROM closed))',
      "SELECT f.ts_stat FROM unnest(ARRAY['SELECT to_tsvector(''simple'', word) FROM closed']) AS f",
    ];
    for (const sql of doors)
      for (const as of [null, stranger]) {
        const { text, body } = await ask(sql, as);
        expect([sql, body.success, text.includes(SECRET)]).toEqual([sql, false, false]);
      }
    await world.result('datastore_make_private', { resource_id: open }, { as: editor });
    expect(await error(`SELECT 1 FROM "${open}"`)).toMatchObject({ __type: 'Authorization Error' });
    expect(await error(`SELECT 1 FROM "${alias}"`)).toMatchObject({ __type: 'Authorization Error' });
    expect(await rows(`SELECT 1 AS a FROM "${open}" LIMIT 1`, member)).toEqual([{ a: 1 }]);
    await world.result('datastore_make_public', { resource_id: open }, { as: editor });
  });

  it('reads only tables of resources', async () => {
    const hides = 'WITH "_row_counts" AS (SELECT 1)';
    for (const sql of [
      'SELECT * FROM "_row_counts"',
      `SELECT b.* FROM (${hides} SELECT * FROM "_row_counts") a, "_row_counts" b`,
      `${hides} SELECT * FROM public."_row_counts"`,
      "SELECT f.current_setting FROM unnest(ARRAY['data_directory']) AS f",
    ])
      for (const as of [null, member]) {
        const { text, body } = await ask(sql, as);
        expect([sql, body.success, text.includes(closed)]).toEqual([sql, false, false]);
      }
  });

  it('reports an exceeded limit of rows or bytes', async () => {
    const eight = `(VALUES (1), (2), (3), (4), (5), (6), (7), (8))`;
    expect(await rows(`SELECT 1 FROM ${eight} a, ${eight} b LIMIT 50`)).toHaveLength(50);
    expect((await error(`SELECT 1 FROM ${eight} a, ${eight} b`)).message).toContain('catalog.datastore.max_rows');
    const grown = Array.from({ length: 13 }, (_, n) => `x${n + 1} AS (SELECT replace(a, 'a', 'aaa') AS a FROM x${n})`);
    const wide = `WITH x0 AS (SELECT 'a' AS a), ${grown.join(', ')} SELECT a FROM x13, ${eight} a, (VALUES (1), (2), (3), (4), (5), (6)) b`;
    expect((await error(wide)).message).toContain('too long');
    expect(await rows('SELECT 1 AS a')).toEqual([{ a: 1 }]);
  });

  it('returns series with literal bounds, and checks the size of values while it runs', async () => {
    expect(
      await rows("SELECT d::date AS day FROM generate_series('2024-02-28'::date, '2024-03-01', '1 day') d"),
    ).toEqual([{ day: '2024-02-28' }, { day: '2024-02-29' }, { day: '2024-03-01' }]);
    expect((await error('SELECT * FROM generate_series(1, 51)')).message).toContain('catalog.datastore.max_rows');
    const found = `SELECT a.title, replace(a.title, b.title, b.title || '!') AS called, strpos(a.title, b.title) AS at,
        string_to_array(a.title, left(b.title, 0) || ' ') @> string_to_array(b.title, NULL) AS has
      FROM "${open}" a JOIN "${open}" b ON a.title LIKE '%' || b.title || '%' ORDER BY a._id`;
    expect(await rows(found)).toEqual([
      { title: 'War and Peace', called: 'War and Peace!', at: 1, has: false },
      { title: 'The Trial', called: 'The Trial!', at: 1, has: false },
    ]);
    const grown = Array.from(
      { length: 9 },
      (_, n) => `x${n + 1} AS (SELECT replace(a, 'a', 'aaaaaaaaaa') AS a FROM x${n})`,
    );
    const great = `WITH x0 AS (SELECT 'a' AS a), ${grown.join(', ')} SELECT length(a) FROM x9`;
    expect((await error(great)).message).toMatch(/too long for this function: replace/);
  });

  it('checks every overload of a function while it runs, also with NULL arguments', async () => {
    const eights = Array.from({ length: 5 }, (_, n) => `(VALUES (1), (2), (3), (4), (5), (6), (7), (8)) t${n}`);
    const great = `(SELECT string_agg('1', ',') AS x FROM ${eights.join(', ')}) t`;
    const { records } = await world.result('datastore_search_sql', {
      sql: `SELECT "position"(a.title, b.title) AS at, btrim(a.title::bytea, b.title::bytea) AS trimmed, array_to_string(a.tags, b.title, NULL) AS one,
        array_to_string(a.tags, NULL, b.title) AS none, array_replace(a.tags, 'a', b.title) AS tags, string_to_array(left(b.title, 2), left(b.price::text, 0)) AS parts,
        jsonb_build_object('a', a.title, 'b', 2) - a.tags AS less FROM "${open}" a JOIN "${open}" b USING (_id) WHERE _id = 1`,
    });
    expect(records).toEqual([
      { at: 1, trimmed: '\\x', one: 'a', none: null, tags: ['War and Peace'], parts: ['Wa'], less: { b: 2 } },
    ]);
    for (const call of [
      "array_to_string(string_to_array(x, ','), x, NULL)",
      "cardinality(array_replace(string_to_array(x, ','), '1', x))",
    ])
      expect([call, (await error(`SELECT length(${call}::text) FROM ${great}`)).message]).toEqual([
        call,
        expect.stringMatching(/too long for this function: array_/),
      ]);
  });

  it('has a check for every overload of a checked function', async () => {
    const { sql } = world.app.callAs(world.system).stores.datastore!;
    const missing = await sql.rows({
      text: `/* test */ SELECT p.oid::regprocedure::text AS form FROM pg_proc p WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.pronargs > 1
        AND EXISTS (SELECT 1 FROM pg_proc c WHERE c.pronamespace = 'catalog_checked'::regnamespace AND c.proname = p.proname)
        AND NOT EXISTS (SELECT 1 FROM pg_proc c WHERE c.pronamespace = 'catalog_checked'::regnamespace AND c.proname = p.proname AND c.proargtypes = p.proargtypes)`,
    });
    expect(missing).toEqual([]);
  });

  it('names the memory limit, and the connection stays usable', async () => {
    if (process.platform !== 'linux') return;
    const eights = Array.from({ length: 8 }, (_, n) => `(VALUES (1), (2), (3), (4), (5), (6), (7), (8)) t${n}`);
    const { message } = await error(`SELECT string_agg('${'x'.repeat(900)}', '') FROM ${eights.join(', ')}`);
    expect(message).toContain('catalog.datastore.sql_memory');
    expect(await rows('SELECT 1 AS a')).toEqual([{ a: 1 }]);
  });

  it('runs as a role without write access, in case the allow list has a gap', async () => {
    const { statementRun } = await import('../../src/datastore/statement/statement.service.ts');
    const { runStatement } = await import('../../src/datastore/statement/statement.store.ts');
    const call = world.app.callAs(world.system);
    const bounds = { timeout: 1000, rows: 10, bytes: 1000, checked: false };
    for (const text of [
      "SELECT pg_read_file('/etc/passwd')",
      "SELECT * FROM pg_ls_dir('.')",
      'SELECT rolpassword FROM pg_authid',
      "SELECT lo_import('/etc/passwd')",
      "SELECT lo_from_bytea(0, 'x')",
      "SELECT nextval('nope')",
      'SELECT pg_sleep(5)',
      'SELECT pg_reload_conf()',
    ])
      await expect(runStatement(call.stores.datastore!, 'test', text, bounds)).rejects.toThrow();
    await expect(
      call.stores.datastore!.read('test', { timeout: 1000, checked: false }, (reading) =>
        reading.rows('CREATE TEMP TABLE x (a int)', [], () => {}),
      ),
    ).rejects.toMatchObject({ cause: { message: expect.stringContaining('read-only') } });
    expect(await statementRun(call, 'SELECT 1')).toMatchObject({ fields: [{ id: '?column?' }] });
  });

  it('is available in the graph', async () => {
    const { body } = await world.graph(
      'query ($sql: String!) { tableQuery(sql: $sql) { fields { id type } records } }',
      { sql: `SELECT sum(pages) AS pages FROM "${open}"` },
    );
    expect(body.data).toEqual({
      tableQuery: { fields: [{ id: 'pages', type: 'int8' }], records: [{ pages: '1480' }] },
    });
  });
});

it('is an unknown action in legacy mode', async () => {
  const legacy = await createWorld({ 'catalog.datastore.read_url': null });
  try {
    const { status, text } = await legacy.request('/api/3/action/datastore_search_sql?sql=SELECT+1');
    expect([status, text]).toEqual([400, '"Bad request - Action name not known: datastore_search_sql"']);
  } finally {
    await legacy.end();
  }
});
