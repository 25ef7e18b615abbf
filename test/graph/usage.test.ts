/** Usage: which requests count, and the numbers that each caller gets. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cacheCounts } from '../../src/infra/concurrency/lru.ts';
import { flush } from '../../src/usage/fold.service.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

let world: World;
let admin: TestUser;
let member: TestUser;
let stranger: TestUser;
let org: { id: string; name: string };
let open: { id: string; name: string; resources: { id: string }[] };
let hidden: { id: string; name: string; resources: { id: string }[] };
let visitors = 0;

/** A request of a new visitor. */
const visit = (path: string, headers: Record<string, string> = {}, init: RequestInit = {}) => {
  visitors += 1;
  const agent = `${BROWSER} v${visitors}`;
  return world.request(path, { ...init, headers: { 'user-agent': agent, ...headers } });
};
/** Stores counted uses. A client may have its answer before the server counts it. */
async function stored(): Promise<void> {
  await sleep(30);
  await flush(world.app.callAs(world.system).process.usage as never, world.database.sql);
}
const summary = async (of: 'dataset' | 'resource', id: string, as: TestUser | null = admin) => {
  await stored();
  const query = `query ($id: String!) { it: ${of}(databaseId: $id) { usageSummary {
    views { total recent before } downloads { total recent before } reads { total recent before } } } }`;
  const { body } = await world.full(query, { id }, { as }); // in process, so it does not count as a use
  const it = body.data?.it?.usageSummary;
  return it ? [it.views.total, it.downloads.total, it.reads.total] : null;
};
/** Views, downloads and reads added by `work`. */
async function added(of: 'dataset' | 'resource', id: string, work: () => Promise<unknown>) {
  const before = (await summary(of, id))!;
  await work();
  const after = (await summary(of, id))!;
  return after.map((count, at) => count - before[at]!);
}

beforeAll(async () => {
  world = await createWorld({ 'catalog.usage.enabled': true, 'catalog.trusted_proxies': ['loopback'] });
  admin = await world.make.sysadmin();
  [member, stranger] = [await world.make.user(), await world.make.user()];
  org = await world.make.organization({ members: { [member.id]: 'member' } });
  const create = (name: string, more: object) =>
    world.result('package_create', { name, owner_org: org.id, ...more }, { as: admin });
  const resources = [{ name: 'a', url: 'http://files.test/a.csv', format: 'CSV' }];
  open = await create('open', { resources });
  hidden = await create('hidden', { private: true, resources });
});
afterAll(() => world.end());

describe('the page of a dataset', () => {
  const views = /<dt>Views<\/dt><dd>([^<]*)<\/dd>/;
  const page = async () => {
    const { text, headers } = await visit('/dataset/open', { 'user-agent': 'Googlebot/2.1', accept: 'text/html' });
    return { text, etag: headers.get('etag'), views: views.exec(text)?.[1] };
  };

  it('shows new figures without being rendered again', async () => {
    for (let i = 0; i < 3; i += 1) await visit('/dataset/open');
    await stored();
    const before = await page();
    const { hits, misses } = { ...cacheCounts().get('pages')! };
    await visit('/dataset/open', { accept: 'text/html' });
    await stored();
    const after = await page();
    expect([before.views, after.views].map((it) => Number(/\d+/.exec(it!)![0]))).toEqual([3, 4]);
    expect(after.text.replace(views, '')).toBe(before.text.replace(views, ''));
    expect(after.etag).not.toBe(before.etag);
    expect(cacheCounts().get('pages')).toEqual({ hits: hits + 2, misses });
  });
});

describe('counting of uses', () => {
  it.each([
    ['the page of a dataset', () => visit('/dataset/open'), [1, 0, 0]],
    ['the page of a resource', () => visit(`/dataset/open/resource/${open.resources[0]!.id}`), [1, 0, 0]],
    ['package_show', () => visit('/api/3/action/package_show?id=open'), [0, 0, 1]],
    [
      'package_show by POST',
      () => visit('/api/3/action/package_show', {}, { method: 'POST', body: '{"id":"open"}' }),
      [0, 0, 1],
    ],
    ['resource_show', () => visit(`/api/3/action/resource_show?id=${open.resources[0]!.id}`), [0, 0, 1]],
    ['the REST interface', () => visit('/api/2/rest/dataset/open'), [0, 0, 1]],
    ['linked data', () => visit('/dataset/open.ttl'), [0, 0, 1]],
    ['Croissant', () => visit('/dataset/open/croissant'), [0, 0, 1]],
    ['a look-up of the graph', () => visit('/graphql?query={dataset(name:"open"){name}}'), [0, 0, 1]],
    ['a list', () => visit('/dataset?q=open'), [0, 0, 0]],
    ['a list of the graph', () => visit('/graphql?query={datasets{nodes{name}}}'), [0, 0, 0]],
    ['the activity', () => visit('/dataset/activity/open'), [0, 0, 0]],
    ['a refused action', () => visit('/api/3/action/package_show?id=none'), [0, 0, 0]],
    ['HEAD', () => visit('/dataset/open', {}, { method: 'HEAD' }), [0, 0, 0]],
    ['HEAD of an action', () => visit('/api/3/action/package_show?id=open', {}, { method: 'HEAD' }), [0, 0, 0]],
    ['a prefetch', () => visit('/dataset/open', { 'sec-purpose': 'prefetch;prerender' }), [0, 0, 0]],
    [
      'a search engine',
      () => visit('/dataset/open', { 'user-agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' }),
      [0, 0, 0],
    ],
    ['a program on a page', () => visit('/dataset/open', { 'user-agent': 'curl/8.5.0' }), [0, 0, 0]],
    [
      'a program at the API',
      () => visit('/api/3/action/package_show?id=open', { 'user-agent': 'curl/8.5.0' }),
      [0, 0, 1],
    ],
  ] as const)('%s', async (_name, work, expected) => {
    expect(await added('dataset', open.id, work)).toEqual(expected);
  });

  it('an unchanged answer does not count', async () => {
    const { headers } = await visit('/dataset/open');
    const tag = headers.get('etag')!;
    expect(tag).toBeTruthy();
    const work = async () => expect((await visit('/api/3/action/package_show?id=open')).status).toBe(200);
    expect(await added('dataset', open.id, work)).toEqual([0, 0, 1]);
    const { headers: shown } = await visit('/api/3/action/package_show?id=open');
    await summary('dataset', open.id);
    expect(
      await added('dataset', open.id, async () => {
        const { status } = await visit('/api/3/action/package_show?id=open', { 'if-none-match': shown.get('etag')! });
        expect(status).toBe(304);
      }),
    ).toEqual([0, 0, 0]);
  });

  it('a double click counts once, for each caller', async () => {
    const click = (agent: string) => world.request('/dataset/open', { headers: { 'user-agent': agent } });
    const work = async () => {
      for (const agent of ['one', 'one', 'two', 'one', 'two']) await click(`${BROWSER} ${agent}`);
    };
    expect(await added('dataset', open.id, work)).toEqual([2, 0, 0]);
  });
});

describe('downloads', () => {
  let file: string;
  let path: string;
  let table: string;
  beforeAll(async () => {
    const body = new FormData();
    body.append('package_id', open.id);
    body.append('name', 'file');
    body.append('upload', new Blob(['a,b\n1,2\n3,4\n']), 'file.csv');
    const sent = await world.request('/api/3/action/resource_create', {
      method: 'POST',
      body,
      headers: { authorization: admin.key },
    });
    ({ id: file } = sent.body.result);
    path = new URL(sent.body.result.url).pathname;
    await world.datastore();
    const [{ id }] = open.resources as [{ id: string }];
    table = id;
    await world.result(
      'datastore_create',
      { resource_id: id, force: true, records: [{ a: 1 }, { a: 2 }] },
      { as: admin },
    );
  });

  it.each([
    ['a file', {}, {}, 200, 1],
    ['its first part', { range: 'bytes=0-3' }, {}, 206, 1],
    ['a later part', { range: 'bytes=4-' }, {}, 206, 0],
    ['its last bytes', { range: 'bytes=-4' }, {}, 206, 0],
    ['a part that does not exist', { range: 'bytes=1000-' }, {}, 416, 0],
    ['HEAD', {}, { method: 'HEAD' }, 200, 0],
    ['a file by a program', { 'user-agent': 'Wget/1.21' }, {}, 200, 1],
    ['a file by a search engine', { 'user-agent': 'Mozilla/5.0 (compatible; bingbot/2.0)' }, {}, 200, 0],
  ] as const)('%s', async (_name, headers, init, status, expected) => {
    const work = async () => expect((await visit(path, headers, init)).status).toBe(status);
    expect(await added('resource', file, work)).toEqual([0, expected, 0]);
  });

  it('an unchanged file does not count', async () => {
    const tag = (await visit(path)).headers.get('etag')!;
    await summary('resource', file);
    const work = async () => expect((await visit(path, { 'if-none-match': tag })).status).toBe(304);
    expect(await added('resource', file, work)).toEqual([0, 0, 0]);
  });

  it.each([
    ['CSV', () => `/datastore/dump/${table}`, [0, 1, 0]],
    ['JSON', () => `/datastore/dump/${table}?format=json`, [0, 1, 0]],
    ['a workbook', () => `/datastore/dump/${table}?format=xlsx`, [0, 1, 0]],
    ['Parquet', () => `/datastore/dump/${table}?format=parquet`, [0, 1, 0]],
    ['the next part', () => `/datastore/dump/${table}?offset=1`, [0, 0, 0]],
    ['datastore_search', () => `/api/3/action/datastore_search?resource_id=${table}`, [0, 0, 1]],
    [
      'datastore_search_sql',
      () => `/api/3/action/datastore_search_sql?sql=${encodeURIComponent(`SELECT a FROM "${table}"`)}`,
      [0, 0, 1],
    ],
    ['the graph', () => `/graphql?query={table(databaseId:"${table}"){resourceId}}`, [0, 0, 1]],
  ] as const)('of a table: %s', async (_name, url, expected) => {
    const work = async () => expect((await visit(url())).status).toBe(200);
    expect(await added('resource', table, work)).toEqual(expected);
  });

  it('count for the dataset too', async () => {
    expect(await added('dataset', open.id, () => visit(path))).toEqual([0, 1, 0]);
  });
});

describe('numbers', () => {
  it('of a private dataset are visible only to its readers', async () => {
    await world.request('/dataset/hidden', { headers: { 'user-agent': BROWSER, authorization: member.key } });
    expect((await summary('dataset', hidden.id, admin))![0]).toBe(1);
    expect((await summary('dataset', hidden.id, member))![0]).toBe(1);
    expect(await summary('dataset', hidden.id, stranger)).toBeNull();
    expect(await summary('dataset', hidden.id, null)).toBeNull();
  });
});

describe('searches without a result', () => {
  const search = (q: string, visitor: number) =>
    world.request(`/dataset?q=${encodeURIComponent(q)}`, {
      headers: { 'user-agent': `Mozilla/5.0 (X11; Linux) Firefox/${visitor}` },
    });

  it('list words that occurred twice, for system administrators', async () => {
    for (const [at, q] of [
      'Quokka  wombat',
      'quokka wombat',
      'numbat',
      'zebu@quoll.invalid',
      'zebu@quoll.invalid',
      '0151 1234567',
      '0151 1234567',
      'open',
    ].entries())
      await search(q, 100 + at);
    await stored();
    const query = '{ site { usage { searches { total } emptySearches { total } } emptySearches { words count } } }';
    const { site } = (await world.graph(query, {}, { as: admin })).body.data;
    expect(site.emptySearches).toEqual([{ words: 'quokka wombat', count: 2 }]);
    expect(site.usage).toEqual({ searches: { total: 9 }, emptySearches: { total: 7 } });
    const { body } = await world.graph('{ site { emptySearches { words } } }', {}, { as: member });
    expect(body.errors).toMatchObject([{ extensions: { code: 'NOT_AUTHORIZED' } }]);
  });
});

describe('pages', () => {
  it.each([
    ['', 'Most viewed', 'in 14 days'],
    ['/de', 'Am häufigsten aufgerufen', 'in 14 Tagen'],
    ['/fr', 'Les plus consultés', 'en 14 jours'],
    ['/ja', 'よく見られている', '14 日間'],
  ])('the home page lists the most viewed datasets: %s', async (prefix, title, days) => {
    await stored();
    const { text } = await world.request(`${prefix}/`);
    const part = text.slice(text.indexOf(`<h2>${title}</h2>`));
    expect(part).toMatch(
      new RegExp(`href="${prefix}/dataset/open"[^<]*</a> <span class="hint">(?=[^<]*\\d)[^<]*${days}`),
    );
    expect(part).not.toContain('/dataset/hidden');
  });

  it('a page of a dataset shows its views and downloads', async () => {
    const [views, downloads] = (await summary('dataset', open.id))!;
    const { text } = await world.request('/dataset/open');
    expect(text).toContain(`<dt>Views</dt><dd>${views} (${views} in 14 days)</dd>`);
    expect(text).toContain(`<dt>Downloads</dt><dd>${downloads} (${downloads} in 14 days)</dd>`);
  });
});
