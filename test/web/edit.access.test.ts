/** Who gets and who may send each form of a dataset: by role, and by the state of the dataset. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWorld, type World } from '../helpers/world.ts';

const ROLES = ['visitor', 'stranger', 'member', 'editor', 'admin', 'sysadmin'] as const;
const STATES = ['public', 'private', 'draft', 'deleted'] as const;
const EDITORS: readonly string[] = ['editor', 'admin', 'sysadmin'];
const LOGIN =
  'mutation ($login: String!, $password: String!) { login(input: { login: $login, password: $password }) { session { secret } } }';

let world: World;
const cookies: Record<string, string> = { visitor: '' };
beforeAll(async () => {
  const closed = {
    'catalog.auth.create_unowned_dataset': false,
    'catalog.auth.create_dataset_if_not_in_organization': false,
  };
  world = await createWorld(closed);
  const as = await world.make.sysadmin();
  const ids: Record<string, string> = {};
  for (const name of ROLES.slice(1)) {
    const person = { name, email: `${name}@example.org`, password: 'correct horse' };
    ids[name] = (await world.result('user_create', person, { as })).id;
    if (name === 'sysadmin')
      await world.database.db.user.update({ where: { id: ids[name] }, data: { sysadmin: true } });
    const { body } = await world.graph(LOGIN, { login: name, password: 'correct horse' });
    cookies[name] = `catalog_session=${body.data.login.session.secret}`;
  }
  const members = { [ids.member!]: 'member', [ids.editor!]: 'editor', [ids.admin!]: 'admin' } as const;
  const town = await world.make.organization({ name: 'town', members });
  const resources = [{ url: 'http://town.example/a.csv' }, { url: 'http://town.example/b.csv' }];
  for (const state of STATES)
    await world.make.dataset({
      name: state,
      ownerOrganization: town.id,
      private: state === 'private',
      state: state === 'draft' || state === 'deleted' ? state : 'active',
      resources,
    });
});
afterAll(() => world.end());

const get = (path: string, role: string) =>
  world.request(path, { redirect: 'manual', headers: { accept: 'text/html', cookie: cookies[role]! } });
const tokenIn = (text: string): string => /name="_csrf_token" value="([^"]+)"/.exec(text)?.[1] ?? '';
/** Sends a form with a token that is valid for the role. */
async function post(path: string, role: string, fields: Record<string, string>) {
  const login = await get('/user/reset', role);
  const visitor = login.headers.get('set-cookie')?.split(';')[0];
  const token = tokenIn(login.text);
  const body = new URLSearchParams({ _csrf_token: token, ...fields });
  const cookie = cookies[role] || visitor!;
  return world.request(path, { method: 'POST', redirect: 'manual', headers: { cookie }, body });
}

describe.each(ROLES)('as %s', (role) => {
  const mayEdit = EDITORS.includes(role);
  const refused = role === 'visitor' ? 303 : 403;

  it('opens the form of a new dataset', async () => {
    const answer = await get('/dataset/new', role);
    expect(answer.status).toBe(mayEdit ? 200 : refused);
    expect(answer.headers.get('cache-control')).toMatch(/no-store/);
    expect((await get('/dataset', role)).text.includes('href="/dataset/new"')).toBe(mayEdit);
  });

  it('sends the form of a new dataset', async () => {
    const answer = await post('/dataset/new', role, { name: `by-${role}`, ownerOrganization: 'town' });
    expect(answer.status).toBe(mayEdit ? 303 : role === 'visitor' ? 401 : 403);
  });

  it.each(STATES)('opens and sends the forms of a %s dataset', async (name) => {
    const { dataset } = await asSystem(name);
    const [{ databaseId }] = dataset.resources;
    const at = `/dataset/${name}/resource/${databaseId}`;
    for (const path of [
      `/dataset/edit/${name}`,
      `/dataset/delete/${name}`,
      `/dataset/resources/${name}`,
      `/dataset/${name}/resource/new`,
      `${at}/edit`,
      `${at}/delete`,
    ]) {
      const answer = await get(path, role);
      expect({ path, status: answer.status }).toEqual({ path, status: mayEdit ? 200 : refused });
      if (!mayEdit) expect(answer.text).not.toContain('town.example');
    }
    if (mayEdit) return;
    const denied = role === 'visitor' ? [401, 303] : [403];
    for (const [path, fields] of [
      [`/dataset/edit/${name}`, { title: 'x', name, version: String(dataset.version) }],
      [`/dataset/delete/${name}`, {}],
      [`/dataset/restore/${name}`, {}],
      [`/dataset/${name}/resource/new`, { url: 'http://town.example/c.csv' }],
      [`${at}/edit`, { name: 'x', version: String(dataset.version) }],
      [`${at}/delete`, {}],
      [`${at}/move`, { position: '1', version: String(dataset.version) }],
    ] as const) {
      const answer = await post(path, role, fields as Record<string, string>);
      expect({ path, isDenied: denied.includes(answer.status) }).toEqual({ path, isDenied: true });
    }
    expect((await asSystem(name)).dataset).toEqual(dataset);
  });
});

async function asSystem(name: string) {
  const { body } = await world.graph(
    `{ dataset(name: "${name}") { version resources { databaseId } } }`,
    {},
    { headers: { cookie: cookies.sysadmin!, 'x-csrf-token': tokenIn((await get('/user/reset', 'sysadmin')).text) } },
  );
  return body.data;
}

it('creates once when a form is sent twice at the same time', async () => {
  const { text } = await get('/dataset/new', 'editor');
  const idempotencyKey = /name="idempotencyKey" value="([^"]+)"/.exec(text)![1]!;
  const form = { title: 'Twice told', ownerOrganization: 'town', idempotencyKey };
  const answers = await Promise.all([post('/dataset/new', 'editor', form), post('/dataset/new', 'editor', form)]);
  expect(answers.map(({ status, headers }) => [status, headers.get('location')])).toEqual([
    [303, '/dataset/twice-told'],
    [303, '/dataset/twice-told'],
  ]);
});

it('answers 10 MB of text with a page that names the limit', async () => {
  const { status, text } = await post('/dataset/new', 'editor', { name: 'long', notes: 'x'.repeat(11 * 2 ** 20) });
  expect([status, text.includes('exceed 10485760 bytes')]).toEqual([413, true]);
});

it('refuses forms of millions of fields before it reads them', async () => {
  const body = 'a&'.repeat(5_000_000);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const { status } = await world.request('/dataset/new', { method: 'POST', headers, body });
  expect(status).toBe(413);
});

it('refuses forms of other sites, also where it keeps the texts of ended sessions', async () => {
  const headers = { cookie: cookies.editor!, origin: 'http://other.example', 'sec-fetch-site': 'cross-site' };
  const body = new URLSearchParams({ name: 'foreign' });
  expect((await world.request('/dataset/new', { method: 'POST', headers, body })).status).toBe(403);
});
