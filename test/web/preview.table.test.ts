/** The table preview: search, conditions, sort order, columns and pages, without JavaScript. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { statementOf } from '../../src/datastore/fragment.ts';
import { pageSql } from '../../src/datastore/rows/rows.sql.ts';
import { planSearch } from '../../src/datastore/rows/search.plan.ts';
import { tableSource } from '../../src/datastore/rows/search.sql.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

const LONG = `<script>alert(1)</script>${'long '.repeat(1_000)}end`;
const RECORDS = Array.from({ length: 120 }, (_, n) => ({
  station: n % 3 === 0 ? 'Kew' : `Station ${n % 7}`,
  level: n % 10 === 9 ? null : (n * 37) % 120,
  at: `2026-01-${String((n % 28) + 1).padStart(2, '0')}T0${n % 10}:00:00`,
  notes: n === 0 ? LONG : n === 1 ? 'http://town.example/a?b=1' : `note w${n}`,
  meta: { n },
}));
/** Records of the large table. */
const MANY = 300_000;

let world: World;
let editor: TestUser;
let id: string;
let hidden: string;
let organization: string;
let path: string;
let large: string;
beforeAll(async () => {
  world = await createWorld({ 'catalog.views.embedding': ['https://news.example'] });
  await world.datastore();
  editor = await world.make.user({ name: 'ann' });
  const as = editor;
  organization = (await world.make.organization({ members: { [editor.id]: 'editor' } })).id;
  const create = (name: string, more: object = {}) =>
    world.result(
      'package_create',
      {
        name,
        title: 'Levels of rivers',
        owner_org: organization,
        resources: [{ url: 'http://town.example/levels.csv', name: 'Levels', format: 'CSV' }],
        ...more,
      },
      { as },
    );
  const fields = [
    { id: 'station', type: 'text', info: { label: 'Station <x>', notes: 'Where' } },
    { id: 'level', type: 'numeric' },
    { id: 'at', type: 'timestamp' },
    { id: 'notes', type: 'text' },
    { id: 'meta', type: 'json' },
  ];
  const fill = (resource_id: string) =>
    world.result('datastore_create', { resource_id, force: true, fields, records: RECORDS }, { as });
  id = (await create('rivers')).resources[0].id;
  hidden = (await create('secret', { private: true })).resources[0].id;
  large = (await create('large')).resources[0].id;
  await fill(id);
  await fill(hidden);
  await world.result(
    'datastore_create',
    {
      resource_id: large,
      force: true,
      fields: [
        { id: 'n', type: 'int' },
        { id: 'word', type: 'text' },
      ],
      records: [],
    },
    { as },
  );
  path = `/dataset/rivers/resource/${id}`;
});
afterAll(() => world.end());

const get = (at: string, as?: TestUser) =>
  world.request(at, { redirect: 'manual', headers: { accept: 'text/html', ...(as && { authorization: as.key }) } });
const textOf = (html: string) => html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
/** Numbers of the records of a page, in their order. */
const recordsOf = (html: string) =>
  [...html.matchAll(/<th scope="row"><a href="[^"]+\/record\/(\d+)"/g)].map(([, n]) => Number(n));
const linkOf = (html: string, rel: string) =>
  new RegExp(`href="([^"]+)" rel="${rel} nofollow"`).exec(html)?.[1]?.replaceAll('&amp;', '&');

describe('a table', () => {
  it('is shown page by page, forward and back, each record once', async () => {
    const pages: number[][] = [];
    let next: string | undefined = path;
    let last = '';
    while (next) {
      const { status, text }: { status: number; text: string } = await get(next);
      expect(status).toBe(200);
      expect(textOf(text)).toContain('120 records');
      pages.push(recordsOf(text));
      next = linkOf(text, 'next');
      last = text;
    }
    expect(pages.map(({ length }) => length)).toEqual([50, 50, 20]);
    expect(pages.flat()).toEqual(RECORDS.map((_, at) => at + 1));
    const back = await get(linkOf(last, 'prev')!);
    expect(recordsOf(back.text)).toEqual(pages[1]);
    expect(recordsOf((await get(linkOf(back.text, 'prev')!)).text)).toEqual(pages[0]);
  });

  it('is sorted by the links of its column headings: ascending, descending, unsorted', async () => {
    const heading = (html: string) => /<th scope="col" class="number"( aria-sort="\w+")?><a href="([^"]+)"/.exec(html)!;
    const orders = [];
    let at = path;
    for (let step = 0; step < 3; step++) {
      const [, order, href] = heading((await get(at)).text);
      orders.push(order);
      at = href!.replaceAll('&amp;', '&');
    }
    expect(orders).toEqual([undefined, ' aria-sort="ascending"', ' aria-sort="descending"']);
    expect(at).toBe(path);
    const level = (n: number) => RECORDS[n - 1]!.level ?? 1_000;
    const up = recordsOf((await get(`${path}?sort=level`)).text).map(level);
    expect(up).toEqual([...up].sort((a, b) => a - b));
    const second = await get(linkOf((await get(`${path}?sort=level+desc`)).text, 'next')!);
    const down = recordsOf(second.text).map(level);
    expect(down).toEqual([...down].sort((a, b) => b - a));
    expect(second.text).toContain('aria-sort="descending"');
  });

  it('shows the records that match all conditions, and their number', async () => {
    const { text } = await get(`${path}?column=station&is=eq&value=Kew&column=level&is=gte&value=60`);
    const expected = RECORDS.flatMap(({ station, level }, at) =>
      station === 'Kew' && (level ?? -1) >= 60 ? [at + 1] : [],
    );
    expect(recordsOf(text)).toEqual(expected);
    expect(textOf(text)).toContain(`${expected.length} records of 120`);
    const without = /aria-label="Conditions"><li><a href="([^"]+)"/.exec(text)![1]!.replaceAll('&amp;', '&');
    expect(without).toBe(`${path}?column=level&is=gte&value=60`);
    const empty = await get(`${path}?column=level&is=empty`);
    expect(recordsOf(empty.text)).toHaveLength(12);
    expect(recordsOf((await get(`${path}?column=station&is=eq&value=`)).text)).toEqual([]);
    expect(recordsOf((await get(`${path}?filters=station:Kew%7Clevel:0`)).text)).toEqual([1]);
    expect(recordsOf((await get(`${path}?q=w17`)).text)).toEqual([18]);
  });

  it('preserves conditions from page to page', async () => {
    const first = await get(`${path}?column=level&is=gte&value=0&sort=level`);
    const second = await get(linkOf(first.text, 'next')!);
    expect(recordsOf(second.text)).toHaveLength(50);
    expect(second.text).toContain('50 records on this page');
    expect(second.text).toContain('<input type="hidden" name="value" value="0"/>');
    expect(linkOf(second.text, 'prev')).toContain('column=level&is=gte&value=0');
  });

  it('shows the chosen columns', async () => {
    const { text } = await get(`${path}?show=notes&show=station&show=nothing`);
    const [head] = /<thead>.*?<\/thead>/s.exec(text)!;
    expect(textOf(head)).toBe(' Record notes Station &lt;x> ');
    expect(text).toContain('Columns: 2 of 5');
  });

  it('shows errors beside the form, and leaves the page unchanged', async () => {
    for (const [query, said] of [
      ['column=level&is=gt&value=abc', 'numeric'],
      ['column=nothing&is=eq&value=1', 'Unknown field: nothing'],
      ['sort=nothing', 'nothing'],
      ['after=nonsense', 'cursor'],
      ['column=meta&is=gt&value=1', 'meta'],
    ]) {
      const { status, text } = await get(`${path}?${query}`);
      expect([query, status]).toEqual([query, query!.includes('meta') ? status : 422]);
      expect(status).toBeLessThan(500);
      expect(textOf(text)).toContain(said!);
      expect(text).toContain('Data dictionary');
      expect(text).toContain('name="value"');
    }
  });

  it('limits the number of conditions in a URL', async () => {
    const many = Array.from({ length: 11 }, () => 'column=level&is=gte&value=0').join('&');
    const { status, text } = await get(`${path}?${many}`);
    expect(status).toBe(200);
    expect(text.match(/level is at least 0/g)).toHaveLength(10);
  });

  it('has fewer records on a page, the more columns it shows', async () => {
    const wide = { name: 'wide', private: true, owner_org: organization, resources: [{ url: 'http://a.example' }] };
    const { resources } = await world.result('package_create', wide, { as: editor });
    const names = Array.from({ length: 40 }, (_, n) => `c${n}`);
    const record = Object.fromEntries(names.map((name) => [name, 'x']));
    await world.result(
      'datastore_create',
      { resource_id: resources[0].id, force: true, records: Array(60).fill(record) },
      { as: editor },
    );
    const pages = { 0: [20, 30], 1: [1, 50], 30: [30, 20], 40: [30, 20] }; // requested columns: shown columns, records
    for (const [columns, [shown, records]] of Object.entries(pages)) {
      const query = names.slice(0, Number(columns)).map((name) => `show=${name}`);
      const { text } = await get(`/dataset/wide/resource/${resources[0].id}?${query.join('&')}`, editor);
      expect([columns, recordsOf(text).length]).toEqual([columns, records]);
      expect(text).toContain(`Columns: ${shown} of 40`);
      expect(linkOf(text, 'next')).toBeDefined();
    }
  });

  it('cuts and escapes large values, and links to the whole record', async () => {
    const { text } = await get(path);
    expect(text).not.toContain('<script>alert');
    expect(text).toContain('&lt;script>alert(1)');
    expect(text).not.toContain('end</td>');
    expect(text).toContain(`<a href="${path}/record/1" rel="nofollow" aria-label="… whole value of notes">`);
    expect(text).toContain('<a href="http://town.example/a?b=1" rel="nofollow ugc">');
    const record = await get(`${path}/record/1`);
    expect(record.status).toBe(200);
    expect(record.text).toContain('&lt;script>alert(1)');
    expect(record.text).toContain('long end</span>');
    for (const other of ['121', 'x', '99999999999', '-1'])
      expect((await get(`${path}/record/${other}`)).status).toBe(404);
  });

  it('has pages for existing records only', async () => {
    for (const [record, status] of [
      ['1', 200],
      ['2147483647', 404],
      ['9999999999', 404],
      ['x', 404],
    ] as const)
      expect([record, (await get(`${path}/record/${record}`)).status]).toEqual([record, status]);
  });

  it('asks search engines not to index sorted or filtered pages', async () => {
    expect((await get(path)).text).not.toContain('noindex');
    expect((await get(`${path}?sort=level`)).text).toContain('noindex, follow');
  });

  it('is shown to authorized readers of the dataset only', async () => {
    const secret = `/dataset/secret/resource/${hidden}`;
    for (const end of ['', '/embed', '/record/1', '?as=chart']) {
      const refused = await get(secret + end);
      expect([end, refused.status]).toEqual([end, 303]);
      expect([end, (await get(secret + end, editor)).status]).toEqual([end, 200]);
    }
    expect((await get(`/dataset/rivers/resource/${hidden}/embed`)).headers.get('location')).not.toContain('secret');
  });
});

describe('a SQL statement', () => {
  const ask = (sql: string, at = path) => get(`${at}?as=sql&sql=${encodeURIComponent(sql)}`);
  const rowsOf = (html: string) => [...html.matchAll(/<tr>(<td.*?)<\/tr>/g)].map(([, row]) => textOf(row!).trim());
  const spotOf = (html: string) => [
    textOf(/<p class="hint">(Line.*?)<\/p>/.exec(html)?.[1] ?? ''),
    /<mark>(.*?)<\/mark>/.exec(html)?.[1],
  ];

  it('returns its first rows', async () => {
    const { status, text } = await ask(`SELECT station, count(*) AS n FROM "${id}" GROUP BY 1 ORDER BY 2 DESC LIMIT 2`);
    expect(status).toBe(200);
    expect(rowsOf(text)[0]).toBe('Kew 40');
    expect(textOf(text)).toContain('2 rows');
    const many = await ask(`SELECT a._id FROM "${id}" a, "${id}" b ORDER BY 1, b._id`);
    expect(rowsOf(many.text)).toHaveLength(100);
    expect(many.text).toContain('The first 100 rows');
    expect((await get(`${path}?as=sql`)).text).toContain(`FROM &quot;${id}&quot; LIMIT 20`);
  });

  it('shows errors at their position', async () => {
    const syntax = await ask(`SELECT 1\nFROM "${id}" WHER x`);
    expect(syntax.status).toBe(422);
    expect(spotOf(syntax.text)).toEqual([`Line 2, column ${`FROM "${id}" WHER x`.length}`, 'x']);
    const forbidden = await ask(`SELECT 'é', pg_sleep(1) FROM "${id}"`);
    expect([forbidden.status, textOf(forbidden.text)]).toEqual([
      403,
      expect.stringContaining('functions of the system'),
    ]);
    const unknown = await ask(`SELECT 'é', dblink('x') FROM "${id}"`);
    expect(textOf(unknown.text)).toContain('Not allowed in a query: function dblink');
    expect(spotOf(unknown.text)).toEqual(['Line 1, column 13', 'dblink']);
    const column = await ask(`SELECT\n  station,\n  nothing FROM "${id}"`);
    expect(spotOf(column.text)).toEqual(['Line 3, column 3', 'nothing']);
  });

  it('reads only tables that its reader may read', async () => {
    expect((await ask(`SELECT * FROM "${hidden}"`)).status).toBe(403);
    expect((await ask(`DELETE FROM "${id}"`)).status).toBe(403);
    expect(recordsOf((await get(path)).text)).toHaveLength(50);
  });

  it('has its result escaped', async () => {
    const { text } = await ask(`SELECT '<script>1</script></textarea>' AS "<i>"`);
    expect(text).not.toContain('<script>1');
    expect(text).toContain('&lt;i>');
  });
});

describe('views', () => {
  it('are tabs of the page, and unknown ones redirect to the resource', async () => {
    const as = editor;
    const view = await world.result(
      'resource_view_create',
      { resource_id: id, view_type: 'recline_view', title: 'All <levels>', description: 'A view' },
      { as },
    );
    const { status, text } = await get(`${path}/view/${view.id}`);
    expect(status).toBe(200);
    expect(text).toContain('All &lt;levels>');
    expect(recordsOf(text)).toHaveLength(50);
    expect(linkOf(text, 'next')).toContain(`${path}/view/${view.id}?after=`);
    const unknown = await get(`${path}/view/nothing`);
    expect([unknown.status, unknown.headers.get('location')]).toEqual([303, path]);
  });

  it('allow frames on the sites of the setting, unlike other pages', async () => {
    const embed = await get(`${path}/embed`);
    expect(embed.headers.get('content-security-policy')).toContain('frame-ancestors https://news.example');
    expect(embed.text).not.toContain('<header');
    expect(recordsOf(embed.text)).toHaveLength(50);
    expect(linkOf(embed.text, 'next')).toContain(`${path}/embed?after=`);
    expect(embed.text).toContain(`href="${path}/record/1" rel="nofollow" target="_blank"`);
    expect((await get(path)).headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });

  it('show only the preview under their own URL in frames, as CKAN does', async () => {
    const [view] = await world.result('resource_view_list', { id });
    const framed = await world.request(`${path}/view/${view.id}`, { headers: { 'sec-fetch-dest': 'iframe' } });
    expect(framed.text).not.toContain('<header');
    expect(framed.headers.get('content-security-policy')).toContain('frame-ancestors https://news.example');
    expect(framed.headers.get('vary')).toContain('Sec-Fetch-Dest');
    const whole = await get(`${path}/view/${view.id}`);
    expect(whole.text).toContain('<header');
    expect(whole.headers.get('vary')).toContain('Sec-Fetch-Dest');
  });
});

describe('a large table', () => {
  const cursor = (record: number) =>
    Buffer.from(JSON.stringify([JSON.stringify([String(record)])])).toString('base64url');
  let database: Client;
  beforeAll(async () => {
    database = new Client({ connectionString: world.settings['catalog.datastore.write_url']! });
    await database.connect();
    await database.query(
      `INSERT INTO "${large}" (n, word) SELECT i, 'word ' || i % 1000 FROM generate_series(1, ${MANY}) i`,
    );
    await database.query(`CREATE INDEX ON "${large}" (word)`);
    await database.query(`UPDATE "_row_counts" SET n = ${MANY} WHERE relation = '${large}' AND base`);
    await database.query(`ANALYZE "${large}"`);
  }, 120_000);
  afterAll(() => database.end());

  /** Rows that PostgreSQL reads for a page after a key: values of the sort columns, then the number of a record. */
  async function rowsRead(from: string[] | null, sort: { id: string; descending: boolean }[] = [], backward = false) {
    const columns = ['_id', 'n', 'word'].map((name) => ({
      id: name,
      type: name === 'word' ? 'text' : 'int4',
      info: null,
    }));
    const { plan } = planSearch({}, columns);
    const orderBy = sort.map(({ id, descending }) => ({
      column: columns.find((column) => column.id === id)!,
      descending,
      nulls: null,
    }));
    const start = { from, backward, maxLength: 121 };
    const { statement, values } = statementOf(
      'page',
      pageSql(tableSource(large, columns), { ...plan, orderBy, limit: 51 }, start),
    );
    const { rows } = await database.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${statement.text}`, values);
    const read = (node: any): number =>
      (String(node['Node Type']).includes('Scan') && node['Relation Name']
        ? node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)
        : 0) + (node.Plans ?? []).reduce((sum: number, child: any) => sum + read(child), 0);
    return read(rows[0]['QUERY PLAN'][0].Plan);
  }

  it('reads as many rows for a page at any depth', async () => {
    const at = `/dataset/large/resource/${large}`;
    const deep = MANY - 100;
    const { status, text } = await get(`${at}?after=${cursor(deep)}`);
    expect(status).toBe(200);
    expect(recordsOf(text)).toEqual(Array.from({ length: 50 }, (_, n) => deep + 1 + n));
    expect(await rowsRead(null)).toBe(51);
    expect(await rowsRead([String(deep)])).toBe(51);
  });

  it.each([
    [false, false],
    [false, true],
    [true, false],
    [true, true],
  ])('reads few rows in the order of an index (descending: %s, backward: %s)', async (descending, backward) => {
    const rows = await rowsRead(['word 500', '150000'], [{ id: 'word', descending }], backward);
    expect(rows).toBeGreaterThan(50);
    expect(rows).toBeLessThan(1_000); // 300 rows have the same word
  });

  it('reports that an order has no index', async () => {
    const textOf = async (sort: string) => (await get(`/dataset/large/resource/${large}?sort=${sort}`)).text;
    expect(await textOf('n')).toContain('No index has the column “n”');
    for (const sort of ['', 'word', 'word+desc']) expect(await textOf(sort)).not.toContain('No index has');
  });
});
