/** JSON nested deeper than the call stack, at every endpoint that reads JSON: the server refuses it and keeps running. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { actions } from '../../facades/action/actions.ts';
import { deepList, deepObject } from '../helpers/hostile.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
beforeAll(async () => {
  world = await createWorld();
  await world.datastore();
  admin = await world.make.sysadmin();
});
afterAll(() => world.end());

const LIST = deepList(10_000);
const OBJECT = deepObject(10_000);
/** Fits into an address. */
const SHORT = deepList(2_000);

async function refused(path: string, init: RequestInit = {}): Promise<void> {
  const headers = { 'content-type': 'application/json', authorization: admin.key, ...init.headers };
  const { status, text, body } = await world.request(path, { ...init, headers });
  const what = `${init.method ?? 'GET'} ${path.slice(0, 200)} ${String(init.body ?? '').slice(0, 100)}\n${status} ${text.slice(0, 500)}`;
  if (status >= 500 || body?.success === true || text.length > 20_000 || /Internal/.test(text)) throw new Error(what);
}
const post = (path: string, body: BodyInit, headers: Record<string, string> = {}) =>
  refused(path, { method: 'POST', body, headers });

it.each(Object.keys(actions))('%s: as the whole body', async (name) => {
  for (const body of [LIST, `[1,${OBJECT}]`, `[${LIST},${LIST}]`]) {
    await post(`/api/3/action/${name}`, body);
    await post(`/api/3/action/${name}`, encodeURIComponent(body), {
      'content-type': 'application/x-www-form-urlencoded',
    });
  }
});

it('bodies of the older versions', async () => {
  for (const path of ['/api/2/rest/dataset', '/api/rest/group', '/api/1/rest/dataset/x', '/api/3/search/dataset'])
    for (const body of [LIST, `[${OBJECT}]`, `{"name":${LIST}}`, `{"q":${LIST}}`]) await post(path, body);
});

it('JSON in addresses', async () => {
  const value = encodeURIComponent(SHORT);
  for (const path of [
    `/api/3/action/package_search?facet.field=${value}`,
    `/api/3/action/datastore_search?resource_id=x&filters=${value}`,
    `/api/3/action/datastore_search?resource_id=x&q=${encodeURIComponent(deepObject(1_000))}`,
    `/graphql?query={site{title}}&variables=${encodeURIComponent(`{"a":${SHORT}}`)}`,
    `/graphql?query={site{title}}&extensions=${encodeURIComponent(`{"a":${SHORT}}`)}`,
  ]) {
    const { status } = await world.request(path, { headers: { authorization: admin.key } });
    expect([path.slice(0, 60), status < 500]).toEqual([path.slice(0, 60), true]);
  }
  const { status } = await world.request(`/api/2/search/dataset?qjson=${value}`);
  expect(status).toBe(400);
});

it('variables, extensions and literals of the graph', async () => {
  const query = 'mutation ($input: CreateDatasetInput!) { createDataset(input: $input) { errors { message } } }';
  for (const deep of [LIST, OBJECT]) {
    await post('/graphql', `{"query":${JSON.stringify(query)},"variables":{"input":{"name":"deep","fields":${deep}}}}`);
    await post('/graphql', `{"query":"{site{title}}","extensions":{"persistedQuery":${deep}}}`);
    await post('/graphql', `{"query":"{site{title}}","variables":{"unused":${deep}}}`);
    await post('/graphql', deep);
  }
  const literal = 'mutation { createDataset(input: { name: "deep", fields: LITERAL }) { errors { message } } }';
  for (const depth of [70, 700, 10_000])
    await post(
      '/graphql',
      JSON.stringify({ query: literal.replace('LITERAL', '['.repeat(depth) + ']'.repeat(depth)) }),
    );
});

it('fields of multipart forms', async () => {
  for (const name of ['extras', 'tags', 'resources', 'groups', 'name']) {
    const form = new FormData();
    form.set(name, LIST);
    if (name !== 'name') form.set('name', 'deep-form');
    const { status, body } = await world.request('/api/3/action/package_create', {
      method: 'POST',
      body: form,
      headers: { authorization: admin.key },
    });
    expect([name, status < 500, body.error?.__type]).toEqual([name, true, 'Validation Error']);
  }
});

it('the server still answers', async () => {
  expect((await world.request('/api/3/action/site_read')).status).toBe(200);
});
