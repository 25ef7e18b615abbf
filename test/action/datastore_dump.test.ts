/** /datastore/dump: whole tables as files, in every format, for permitted readers. */
import http from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parquetReadObjects } from 'hyparquet';
import type { Sql } from '../../src/infra/postgres/db.ts';
import type { TestUser } from '../helpers/make.ts';
import { createTables, type Tables } from '../helpers/tables.ts';
import { until } from '../helpers/until.ts';
import type { World } from '../helpers/world.ts';

let world: World;
let editor: TestUser;
let id: string;
let table: Tables['table'];
const alias = `dump é ${crypto.randomUUID()}`;

beforeAll(async () => {
  ({ world, editor, table } = await createTables());
  id = await table({
    aliases: [alias],
    fields: [
      { id: 'title', type: 'text', info: { label: 'Title' } },
      { id: 'pages', type: 'int' },
      { id: 'price', type: 'numeric' },
      { id: 'read', type: 'bool' },
      { id: 'day', type: 'timestamp' },
      { id: 'tags', type: 'text[]' },
      { id: 'meta', type: 'json' },
      { id: 'odd <&> name', type: 'text' },
    ],
    records: [
      {
        title: 'War & "Peace", <both>',
        pages: 1225,
        price: 12.5,
        read: true,
        day: '1869-03-02',
        tags: ['a', 'b"'],
        meta: { a: [1] },
      },
      { title: 'line\r\nbreak\tand \u0001 é', pages: null, read: false, tags: [], 'odd <&> name': 'x' },
      { title: '', pages: -1, price: '12345678901234567890' },
    ],
  });
});
afterAll(() => world.end());

/** Waits until a statement waits for a lock on a table. */
const isWaitedFor = (sql: Sql, name: string) =>
  until(async () => {
    const text = `SELECT FROM pg_locks WHERE NOT granted AND relation = to_regclass('"${name}"')`;
    return (await sql.rows({ text })).length > 0;
  });
const get = (path: string, init: RequestInit = {}) => world.request(`/datastore/dump/${path}`, init);

describe('/datastore/dump', () => {
  it('writes CSV', async () => {
    const { status, headers, text } = await get(id);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toContain(`attachment; filename="${id}.csv"`);
    expect(text).toBe(
      [
        '_id,title,pages,price,read,day,tags,meta,odd <&> name',
        '1,"War & ""Peace"", <both>",1225,12.5,True,1869-03-02T00:00:00,"[""a"", ""b\\""""]","{""a"": [1]}",',
        '2,"line\r\nbreak\tand \u0001 é",,,False,,[],,x',
        '3,"",-1,12345678901234567890,,,,,',
        '',
      ].join('\n'),
    );
    expect((await get(`${id}?bom=true&limit=0`)).text.replace('\uFEFF', '')).toMatch(/^_id,title/);
    const bytes = await fetch(`${world.base}/datastore/dump/${id}?bom=true`).then((answer) => answer.arrayBuffer());
    expect(Buffer.from(bytes).subarray(0, 3).toString('hex')).toBe('efbbbf');
    expect((await get(`${id}?format=tsv&limit=1&fields=title,pages`)).text).toBe(
      'title\tpages\n"War & ""Peace"", <both>"\t1225\n',
    );
  });

  it('writes JSON, NDJSON and XML', async () => {
    const { body, headers } = await get(`${id}?format=json`);
    expect(headers.get('content-type')).toContain('json');
    expect(body.fields.slice(0, 2)).toEqual([
      { id: '_id', type: 'int4' },
      { id: 'title', type: 'text', info: { label: 'Title' } },
    ]);
    expect(body.records[0]).toEqual([
      1,
      'War & "Peace", <both>',
      1225,
      '12.5',
      true,
      '1869-03-02T00:00:00',
      ['a', 'b"'],
      { a: [1] },
      null,
    ]);
    expect(body.records).toHaveLength(3);
    expect((await get(`${id}?format=json&limit=0`)).body.records).toEqual([]);
    const answer = await fetch(`${world.base}/datastore/dump/${id}?format=ndjson&fields=title,meta`);
    const lines = (await answer.text()).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { title: 'War & "Peace", <both>', meta: { a: [1] } },
      { title: 'line\r\nbreak\tand \u0001 é', meta: null },
      { title: '', meta: null },
    ]);
    const xml = (await get(`${id}?format=xml&fields=_id,title,pages,odd <%26> name`)).text;
    expect(xml.split('\n').slice(2, 5)).toEqual([
      '<row _id="1"><title>War &amp; "Peace", &lt;both&gt;</title><pages>1225</pages><value name="odd &#60;&#38;&#62; name" xsi:nil="true"/></row>',
      '<row _id="2"><title>line&#13;&#10;break\tand \uFFFD é</title><pages xsi:nil="true"/><value name="odd &#60;&#38;&#62; name">x</value></row>',
      '<row _id="3"><title></title><pages>-1</pages><value name="odd &#60;&#38;&#62; name" xsi:nil="true"/></row>',
    ]);
    expect(xml.endsWith('</data>\n')).toBe(true);
  });

  it('accepts the parameters of a search', async () => {
    const titles = async (query: string) => (await get(`${id}?fields=pages&${query}`)).text.trim().split('\n').slice(1);
    expect(await titles('sort=pages desc nulls last')).toEqual(['1225', '-1']);
    expect(await titles('limit=1&offset=2')).toEqual(['-1']);
    expect(await titles('q=peace')).toEqual(['1225']);
    expect(await titles(`filters=${encodeURIComponent('{"pages": {"gt": 0}}')}`)).toEqual(['1225']);
    expect(await titles(`filters=${encodeURIComponent('{"pages": [-1, 1225]}')}`)).toEqual(['1225', '-1']);
    const odd = JSON.stringify({ title: `'; DROP TABLE "${id}"; --\\` });
    expect(await titles(`filters=${encodeURIComponent(odd)}`)).toEqual([]);
    const list = JSON.stringify({ title: ["'\\", '"},{"', 'NULL', '', null] });
    expect(await titles(`filters=${encodeURIComponent(list)}`)).toEqual(['-1']);
    expect((await get(encodeURIComponent(alias), { method: 'POST' })).text).toBe((await get(id)).text);
  });

  it('refuses invalid requests before it sends anything', async () => {
    for (const query of [
      'limit=x',
      'limit=-1',
      'format=exe',
      'fields=nope',
      'sort=nope',
      'filters={',
      'filters={"pages":"x"}',
      'q=%26&plain=false',
      'language=klingon&q=x',
    ])
      expect([query, (await get(`${id}?${query}`)).status]).toEqual([query, 400]);
    expect((await get('nope')).status).toBe(404);
    expect((await get('')).status).toBe(404);
    expect((await get("x'; DROP TABLE y")).status).toBe(404);
    const head = await get(id, { method: 'HEAD' });
    expect([head.status, head.text, head.headers.get('content-type')]).toEqual([200, '', 'text/csv; charset=utf-8']);
  });

  it.each([
    ['the id', '%00', 'resourceId'],
    ['words', `ID?q=a%00`, 'q'],
    ['words of a field', `ID?q=${encodeURIComponent('{"title":"\\ud800"}')}`, 'q.title'],
    ['a filter', `ID?filters=${encodeURIComponent('{"title":["\\u0000"]}')}`, 'filters.title.0'],
    ['a Parquet file', 'ID?format=parquet&q=a%00', 'q'],
  ])('refuses characters that cannot be stored, in %s', async (_where, path, place) => {
    const answers = [await get(path.replace('ID', id)), await get('%00', { method: 'HEAD' })];
    expect(answers.map(({ status, text }) => [path, status, text])).toEqual([
      [path, 400, expect.stringMatching(new RegExp(`<p>${place}: .* not allowed`))],
      [path, 400, ''],
    ]);
  });

  it('allows only callers who may read the table', async () => {
    const secret = await table({ records: [{ a: 'secret' }], aliases: [`s ${world.id()}`] }, true);
    const stranger = await world.make.user();
    expect((await get(secret)).status).toBe(403);
    expect((await get(secret, { method: 'HEAD' })).status).toBe(403);
    expect((await get(secret, { headers: { authorization: stranger.key } })).status).toBe(403);
    expect((await get(secret, { headers: { authorization: editor.key } })).text).toBe('_id,a\n1,secret\n');
    const listed = (await get('_table_metadata')).text;
    expect(listed.includes(id) && !listed.includes(secret)).toBe(true);
  });

  it('waits for a slow reader, and stops when the reader disconnects', async () => {
    const records = Array.from({ length: 20_000 }, (_, n) => ({ n, text: 'x'.repeat(500) }));
    const big = await table({ records });
    const waiting = await Promise.all(
      Array.from(
        { length: 3 },
        () =>
          new Promise<http.IncomingMessage>((resolve, reject) => {
            http.get(`${world.base}/datastore/dump/${big}`, resolve).on('error', reject);
          }),
      ),
    );
    /** Wait events of running dumps in PostgreSQL: `ClientWrite` once all buffers on the way are full. */
    const sending = async () =>
      (
        await world.app.callAs(world.system).stores.datastore!.sql.rows<{ waits: string | null }>({
          text: `SELECT wait_event AS waits FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%datastore_dump%' AND state = 'active' AND pid <> pg_backend_pid()`,
        })
      ).map(({ waits }) => waits);
    await until(async () => (await sending()).join() === 'ClientWrite,ClientWrite,ClientWrite', sending);
    for (const answer of waiting) answer.destroy();
    await until(async () => (await sending()).length === 0, sending);
    const { text } = await get(`${big}?fields=n`);
    expect(text.length).toBe('n\n'.length + records.reduce((sum, { n }) => sum + `${n}\n`.length, 0));
  });

  it('blocks changes of the table, but not readers', async () => {
    const busy = await table({ records: [{ n: 1 }], indexes: ['n'] });
    const writes = [
      [
        'datastore_create',
        {
          resource_id: busy,
          fields: [
            { id: 'n', type: 'int' },
            { id: 'more', type: 'text' },
          ],
        },
      ],
      ['datastore_create', { resource_id: busy, indexes: ['more'] }],
      ['datastore_delete', { resource_id: busy }],
    ] as const;
    for (const [action, params] of writes) {
      let isOver = false;
      let writing: Promise<unknown>;
      await world.app.callAs(world.system).stores.datastore!.write(async (sql) => {
        await sql.rows({ text: `LOCK TABLE "${busy}" IN ACCESS SHARE MODE` }); // held by a dump until it is read to its end
        writing = world.result(action, { force: true, ...params }, { as: editor }).finally(() => (isOver = true));
        await isWaitedFor(sql, busy);
        const { total } = await world.result('datastore_search', { resource_id: busy });
        expect([action, total, isOver]).toEqual([action, 1, false]);
      });
      await writing!;
    }
  }, 240_000);

  describe('while the table is replaced', () => {
    const store = () => world.app.callAs(world.system).stores.datastore!;
    /** Swaps the table in a transaction that ends once a dump waits for it. Returns the response to the dump. */
    async function dumpBehind(name: string, format: string, swap: (sql: Sql) => Promise<unknown>) {
      let dump: Promise<Response>;
      await store().write(async (sql) => {
        await sql.rows({ text: `LOCK TABLE "${name}" IN ACCESS EXCLUSIVE MODE` });
        dump = fetch(`${world.base}/datastore/dump/${name}?format=${format}`);
        await isWaitedFor(sql, name);
        await swap(sql);
      });
      const answer = await dump!;
      return { status: answer.status, file: await answer.arrayBuffer() };
    }
    const swapFor = (name: string, columns: string, rows: string) => async (sql: Sql) => {
      await sql.rows({ text: `CREATE TABLE "new ${name}" (_id serial PRIMARY KEY, _full_text tsvector, ${columns})` });
      await sql.rows({ text: `INSERT INTO "new ${name}" ${rows}` });
      await sql.rows({ text: `DROP TABLE "${name}"` });
      await sql.rows({ text: `ALTER TABLE "new ${name}" RENAME TO "${name}"` });
    };
    const records = [{ n: 1 }];

    it('returns all rows of the new table with its columns', async () => {
      const name = await table({ records });
      const rows = 'SELECT n, NULL, n FROM generate_series(1, 1000) n';
      const { status, file } = await dumpBehind(name, 'csv', swapFor(name, 'n int', rows));
      const lines = Array.from({ length: 1000 }, (_, n) => `${n + 1},${n + 1}\n`).join('');
      expect([status, Buffer.from(file).toString()]).toEqual([200, `_id,n\n${lines}`]);
      const again = swapFor(name, 'word text, at timestamp', "VALUES (1, NULL, 'x', timestamp '2024-02-29')");
      const other = await dumpBehind(name, 'csv', again);
      expect(Buffer.from(other.file).toString()).toBe('_id,word,at\n1,x,2024-02-29T00:00:00\n');
    });

    it('returns the new table as Parquet', async () => {
      const name = await table({ records });
      const swap = swapFor(name, 'n text, x numeric', "SELECT n, NULL, 'é' || n, n / 4.0 FROM generate_series(1, 3) n");
      const { file } = await dumpBehind(name, 'parquet', swap);
      expect(await parquetReadObjects({ file })).toEqual([
        { _id: 1, n: 'é1', x: 0.25 },
        { _id: 2, n: 'é2', x: 0.5 },
        { _id: 3, n: 'é3', x: 0.75 },
      ]);
    });

    it.each(['csv', 'parquet'])('returns 404 for a table that is dropped in the meantime, as %s', async (format) => {
      const name = await table({ records });
      const { status, file } = await dumpBehind(name, format, (sql) => sql.rows({ text: `DROP TABLE "${name}"` }));
      expect([status, Buffer.from(file).toString()]).toEqual([404, expect.stringContaining('not found')]);
      expect((await get(id)).status).toBe(200);
    });
  });
});
