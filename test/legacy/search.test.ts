/** The Search interface: results, their form and order, and the number of SQL statements. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
/** Ids by names. */
const ids: Record<string, string> = {};
beforeAll(async () => {
  world = await createWorld({}, { counts: true });
  admin = await world.make.sysadmin();
  const make = async (name: string, fields: object) => {
    ids[name] = (await world.result('package_create', { name, ...fields }, { as: admin })).id;
  };
  await make('river-floods', {
    title: 'Floods of rivers',
    tags: [{ name: 'water' }, { name: 'wet land' }],
    extras: [{ key: 'update_frequency', value: 'daily' }],
    license_id: 'cc-by',
    resources: [{ url: 'http://example.org/Floods.CSV', format: 'CSV', hash: 'abcdef', description: 'All floods' }],
  });
  await make('flood-walls', { title: 'Walls against floods', tags: [{ name: 'water' }], author: 'Ann Smith' });
  await make('roads', { title: 'Roads', resources: [{ url: 'http://example.org/roads.json', format: 'JSON' }] });
});
afterAll(() => world.end());

const get = (path: string) => world.request(`/api/2/search/${path}`);
const names = async (query: string) => {
  const { status, body } = await get(`dataset?${query}`);
  return status === 200 ? [...body.results].sort() : { status, body };
};

describe('datasets', () => {
  it.each([
    ['', ['flood-walls', 'river-floods', 'roads']],
    ['q=floods', ['flood-walls', 'river-floods']],
    ['q=floods+rivers', ['river-floods']],
    ['q=nothing-like-it', []],
    ['title=roads', ['roads']],
    ['tags=water', ['flood-walls', 'river-floods']],
    ['tags=wet+land', ['river-floods']],
    ['tags=water&tags=nothing', ['flood-walls', 'river-floods']],
    ['update_frequency=daily', ['river-floods']],
    ['author=ann', ['flood-walls']],
    ['filter_by_openness=1', ['river-floods']],
    ['filter_by_openness=0&q=floods', ['flood-walls', 'river-floods']],
    ['filter_by_downloadable=1', ['river-floods', 'roads']],
    ['filter_by_downloadbable=1', ['river-floods', 'roads']],
    ['title=a"b\\', []],
    [`qjson=${encodeURIComponent('{"q": "floods", "tags": ["water", "wet land"]}')}`, ['river-floods']],
  ])('%s', async (query, found) => {
    expect(await names(query)).toEqual(found);
  });

  it('returns pages in an order, as names or as full objects', async () => {
    expect((await get('dataset?order_by=name')).body).toEqual({
      count: 3,
      results: ['flood-walls', 'river-floods', 'roads'],
    });
    expect((await get('dataset?order_by=name&offset=1&limit=1')).body).toEqual({ count: 3, results: ['river-floods'] });
    expect((await get('dataset?order_by=rank&q=floods')).body).toEqual((await get('dataset?q=floods')).body);
    const whole = (await get('dataset?title=rivers&all_fields=1')).body.results[0];
    expect(whole).toEqual((await world.request('/api/2/rest/dataset/river-floods')).body);
    expect((await world.request('/api/1/search/package?title=rivers&all_fields=1')).body.results[0]).toMatchObject({
      name: 'river-floods',
      download_url: 'http://example.org/Floods.CSV',
    });
  });

  it('searches by POST with JSON or a form, and wraps results for JSONP', async () => {
    const post = (body: string | URLSearchParams) => world.request('/api/2/search/dataset', { method: 'POST', body });
    const found = { count: 1, results: ['roads'] };
    expect((await post('{"title": "roads", "limit": 5}')).body).toEqual(found);
    expect((await post(new URLSearchParams({ title: 'roads' }))).body).toEqual(found);
    expect((await get('dataset?title=roads&callback=cb')).text).toBe(`/**/cb(${JSON.stringify(found)});`);
  });

  it('refuses invalid options', async () => {
    for (const query of ['limit=x', 'offset=-1', 'q=a:b:c(', 'qjson={bad', 'qjson=[]', 'a:b=c', 'limit=100000'])
      expect([query, await names(query)]).toMatchObject([query, { status: expect.any(Number) }]);
    expect(await names('limit=x')).toEqual({
      status: 400,
      body: "Bad request - Bad search option: Value for search option 'limit' must be an integer",
    });
    expect((await world.request('/api/3/search/dataset?tags=water')).status).toBe(400);
    expect((await get('bogus')).body).toBe('Not found - Unknown register: bogus');
  });
});

it('finds resources by parts of their fields and the beginning of their hash', async () => {
  const found = async (query: string) => (await get(`resource?${query}`)).body.count;
  expect(await found('url=FLOODS')).toBe(1);
  expect(await found('url=example&format=json')).toBe(1);
  expect(await found('description=all&url=roads')).toBe(0);
  expect(await found('hash=abc')).toBe(1);
  expect(await found('hash=bc')).toBe(0);
  expect((await get('resource?url=example&order_by=url&limit=1')).body).toEqual({
    count: 2,
    results: [expect.any(String)],
  });
  expect((await get('resource?format=csv&all_fields=1')).body.results).toMatchObject([{ hash: 'abcdef' }]);
  expect((await get('resource?format=csv&limit=x')).status).toBe(400);
  expect((await get('resource?bogus=x')).status).toBe(400);
});

it('finds revisions after a time or another revision, newest first', async () => {
  const all: string[] = (await world.request('/api/2/rest/revision')).body;
  expect((await get('revision?since_time=2000')).body).toEqual(all);
  expect((await get('revision?since_time=2100-01-01T00:00:00')).body).toEqual([]);
  expect((await get(`revision?since_id=${all.at(-1)}`)).body).toEqual(all.slice(0, -1));
  expect((await get('revision?since_id=nope')).status).toBe(404);
  expect((await get('revision?since_time=soon')).status).toBe(400);
  expect((await get('revision')).status).toBe(400);
});

it('sends no more statements for many results than for few', async () => {
  const costs = async () => {
    const paths = [
      '2/search/dataset?all_fields=1',
      '2/tag_counts',
      '1/rest/tag/water',
      '2/rest/group',
      '1/rest/group/land',
    ];
    const counted: number[] = [];
    for (const path of paths) {
      const statements = await world.statementsOf(() => world.request(`/api/${path}`));
      // The number of search statements depends on the age of cached lists, not on the results.
      counted.push(statements.filter((text) => !text.includes('dataset_search')).length);
    }
    return counted;
  };
  await world.make.group({ name: 'land' });
  const before = await costs();
  for (let n = 0; n < 6; n++) {
    const name = `many-${n}`;
    const dataset = { name, tags: [{ name: 'water' }, { name }], groups: [{ name: 'land' }] };
    await world.result('package_create', dataset, { as: admin });
    const relation = { subject: name, object: 'roads', type: 'depends_on' };
    await world.result('package_relationship_create', relation, { as: admin });
    await world.result('rating_create', { package: name, rating: 3 }, { as: admin });
    await world.make.group();
  }
  await costs(); // statements that are sent once
  const after = await costs();
  expect(after.map((count, at) => count - before[at]!)).toEqual([expect.any(Number), 0, 0, 0, 0]);
  expect(after[0]! - before[0]!).toBeLessThanOrEqual(2); // relationships and their other ends, for all results in one batch
});
