/** Permissions to open and submit each dataset form, by role and by state of the dataset. */
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

it('refuses forms with millions of fields before it parses them', async () => {
  const body = 'a&'.repeat(5_000_000);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const { status } = await world.request('/dataset/new', { method: 'POST', headers, body });
  expect(status).toBe(413);
});

it('refuses forms of other sites, also on pages that preserve the input after the session has ended', async () => {
  const headers = { cookie: cookies.editor!, origin: 'http://other.example', 'sec-fetch-site': 'cross-site' };
  const body = new URLSearchParams({ name: 'foreign' });
  expect((await world.request('/dataset/new', { method: 'POST', headers, body })).status).toBe(403);
});

describe('custom fields', () => {
  const at = '/dataset/edit/fields';
  const fieldsOf = async () => (await asSystemDataset('fields')).extras as { key: string; value: string }[];
  const extras = (count: number, value = 'v') =>
    Array.from({ length: count }, (_, index) => ({ key: `k${String(index).padStart(4, '0')}`, value }));
  /** All texts of the page's form, with the line breaks that browsers send. */
  async function formOf(path: string): Promise<Record<string, string>> {
    const { text } = await get(path, 'editor');
    const form = /<form method="post" action="\/dataset\/edit[\s\S]*?<\/form>/.exec(text)![0];
    const decode = (html: string) =>
      html.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
    const fields: Record<string, string> = {};
    for (const [, name, value = ''] of form.matchAll(/<input[^>]* name="([^"]+)"(?:[^>]* value="([^"]*)")?/g))
      fields[name!] = decode(value);
    for (const [, name, value] of form.matchAll(/<textarea[^>]* name="([^"]+)"[^>]*>\n([\s\S]*?)<\/textarea>/g))
      fields[name!] = decode(value!).replaceAll('\n', '\r\n');
    for (const [, name, options] of form.matchAll(/<select[^>]* name="([^"]+)"[^>]*>([\s\S]*?)<\/select>/g))
      fields[name!] = /value="([^"]*)" selected/.exec(options!)?.[1] ?? '';
    const { _csrf_token, ...texts } = fields;
    return texts;
  }
  const put = async (list: { key: string; value: string }[]) => {
    const input = { dataset: 'fields', extras: list };
    await graphAsSystem(
      `mutation ($input: UpdateDatasetInput!) { updateDataset(input: $input) { errors { message } } }`,
      {
        input,
      },
    );
  };

  beforeAll(async () => {
    const { organization } = await asSystemDataset('public');
    await world.make.dataset({ name: 'fields', ownerOrganization: organization.databaseId });
  });

  it('preserve line breaks, also those that browsers change', async () => {
    await put([{ key: 'lines', value: 'one\ntwo\n' }]);
    const form = await formOf(at);
    expect(form['extra-value-0']).toBe('one\r\ntwo\r\n');
    const changed = { ...form, 'extra-key-1': 'more', 'extra-value-1': 'a\r\nb' };
    expect((await post(at, 'editor', changed)).status).toBe(303);
    expect(await fieldsOf()).toEqual([
      { key: 'lines', value: 'one\ntwo\n' },
      { key: 'more', value: 'a\nb' },
    ]);
  });

  it.each([
    [1000, true],
    [1001, false],
  ])('%i rows: shown in the form is %s, and none is lost', async (count, isShown) => {
    await put(extras(count));
    const form = await formOf(at);
    expect('extra-key-0' in form).toBe(isShown);
    expect((await post(at, 'editor', { ...form, title: `With ${count}` })).status).toBe(303);
    expect(await fieldsOf()).toEqual(extras(count));
    if (!isShown) return;
    const one = { ...(await formOf(at)), 'extra-value-999': 'changed' };
    expect((await post(at, 'editor', one)).status).toBe(303);
    expect((await fieldsOf()).at(-1)).toEqual({ key: 'k0999', value: 'changed' });
  });

  it('are not written if the form has not changed them', async () => {
    await put([{ key: 'crlf', value: 'a\r\nb' }]);
    expect((await post(at, 'editor', { ...(await formOf(at)), title: 'Other' })).status).toBe(303);
    expect(await fieldsOf()).toEqual([{ key: 'crlf', value: 'a\r\nb' }]);
  });

  it('preserve their line breaks on the page of a conflict', async () => {
    await put([{ key: 'lines', value: 'one\ntwo' }]);
    const form = await formOf(at);
    expect((await post(at, 'editor', { ...(await formOf(at)), title: 'Theirs' })).status).toBe(303);
    const mine = { ...form, notes: 'Mine\r\nin lines', 'extra-value-0': 'one\r\nthree' };
    const { status, text } = await post(at, 'editor', mine);
    expect([status, text.includes('Another user has saved this dataset')]).toEqual([409, true]);
    const hidden = await hiddenOf(text);
    expect((await post(at, 'editor', { ...hidden, 'choice-notes': 'mine', 'choice-extras': 'mine' })).status).toBe(303);
    expect(await fieldsOf()).toEqual([{ key: 'lines', value: 'one\nthree' }]);
    expect((await asSystemDataset('fields')).notes).toBe('Mine\nin lines');
  });
  /** Hidden fields with the line breaks that browsers send. */
  const hiddenOf = async (text: string): Promise<Record<string, string>> =>
    Object.fromEntries(
      [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)]
        .filter(([, name]) => name !== '_csrf_token')
        .map(([, name, value]) => [name!, value!.replace(/\r?\n/g, '\r\n')]),
    );
});

it('creates each resource once when a form with files is sent twice at the same time', async () => {
  await world.make.dataset({
    name: 'twice',
    ownerOrganization: (await asSystemDataset('public')).organization.databaseId,
  });
  const at = '/dataset/twice/resource/new';
  const { text } = await get(at, 'editor');
  const key = /name="idempotencyKey" value="([^"]+)"/.exec(text)![1]!;
  const send = () => {
    const body = new FormData();
    for (const [name, value] of Object.entries({ _csrf_token: tokenIn(text), idempotencyKey: key }))
      body.set(name, value);
    for (const name of ['a.csv', 'b.csv']) body.append('files', new Blob(['x\n1\n']), name);
    const headers = { cookie: cookies.editor! };
    return world.request(at, { method: 'POST', redirect: 'manual', headers, body });
  };
  const answers = await Promise.all([send(), send()]);
  expect(answers.map(({ status }) => status)).toEqual([303, 303]);
  const repeated = answers
    .map(({ headers }) => headers.get('location')!)
    .filter((path) => path.endsWith('?notice=repeated'));
  expect(repeated.length).toBeGreaterThan(0);
  expect((await get(repeated[0]!, 'editor')).text).toMatch(/This form was sent before/);
  const names = (await asSystemDataset('twice')).resources.map(({ name }: { name: string }) => name);
  expect(names.sort()).toEqual(['a.csv', 'b.csv']);
});

describe('two editors of resources', () => {
  let at: string;
  let version: string;
  const formOf = async () => {
    const { text } = await get(at, 'editor');
    const of = (name: string) => new RegExp(`name="${name}"[^>]* value="([^"]*)"`).exec(text)?.[1] ?? '';
    return {
      version: of('version'),
      base: of('base'),
      isFile: of('isFile'),
      url: of('url'),
      name: of('name'),
      format: '',
    };
  };
  beforeAll(async () => {
    const { databaseId } = (await asSystemDataset('public')).resources[0];
    at = `/dataset/public/resource/${databaseId}/edit`;
    version = String((await asSystemDataset('public')).version);
  });

  it('get no conflict if only other parts of the dataset have changed', async () => {
    const form = await formOf();
    expect(form.version).toBe(version);
    const edit = { title: 'Changed since', version };
    expect(
      (await post('/dataset/edit/public', 'editor', { ...edit, name: 'public', ownerOrganization: 'town' })).status,
    ).toBe(303);
    expect((await post(at, 'editor', { ...form, name: 'Levels' })).status).toBe(303);
    expect((await asSystemDataset('public')).resources[0].name).toBe('Levels');
  });

  it('see both versions of the resource', async () => {
    const form = await formOf();
    expect((await post(at, 'admin', { ...(await formOf()), name: 'Theirs' })).status).toBe(303);
    const { status, text } = await post(at, 'editor', { ...form, format: 'CSV' });
    expect(status).toBe(409);
    expect([...text.matchAll(/<legend>(.*?)<\/legend>/g)].map(([, label]) => label)).toEqual(['Name', 'Format']);
    expect(text).toMatch(/type="file"/);
    const next = /name="version" value="(\d+)"/.exec(text)![1]!;
    const merged = { ...form, version: next, format: 'CSV', 'choice-name': 'theirs', 'choice-format': 'mine' };
    expect((await post(at, 'editor', merged)).status).toBe(303);
    expect((await asSystemDataset('public')).resources[0]).toMatchObject({ name: 'Theirs', format: 'CSV' });
  });
});

it.each(['/dataset/new', '/organization/new', '/group/new'])(
  'redirects visitors from %s to the login, even if anonymous callers of the API may create datasets',
  async (path) => {
    const open = await createWorld({ 'catalog.auth.anon_create_dataset': true });
    try {
      const { status, headers } = await open.request(path, { redirect: 'manual' });
      expect([status, headers.get('location')]).toEqual([
        303,
        `/user/login?notice=needed&came_from=${encodeURIComponent(path)}`,
      ]);
    } finally {
      await open.end();
    }
  },
);

it('shows the input again when the rate limit is exceeded', async () => {
  const rated = await createWorld({ 'catalog.rate.users': 100, 'catalog.rate.saved': 1 });
  try {
    const as = await rated.make.sysadmin();
    const person = { name: 'ann', email: 'ann@example.org', password: 'correct horse' };
    await rated.result('user_create', person, { as });
    const { body } = await rated.graph(LOGIN, { login: 'ann', password: 'correct horse' });
    const headers = { cookie: `catalog_session=${body.data.login.session.secret}`, accept: 'text/html' };
    const token = tokenIn((await rated.request('/dataset/new', { headers })).text);
    let answer = { status: 0, text: '', headers: new Headers() } as Awaited<ReturnType<typeof rated.request>>;
    for (let count = 0; answer.status !== 429 && count < 100; count++) {
      const form = {
        _csrf_token: token,
        title: 'Typed <here>',
        name: 'No Name',
        'extra-key-0': 'k',
        'extra-value-0': 'v',
      };
      answer = await rated.request('/dataset/new', { method: 'POST', headers, body: new URLSearchParams(form) });
    }
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(answer.text).toMatch(/value="Typed &lt;here>"/);
    expect(answer.text).toMatch(/name="extra-key-0" value="k"/);
    expect(answer.text).toMatch(/Nothing was saved. Rate limit exceeded/);
    expect(tokenIn(answer.text)).not.toBe('');
  } finally {
    await rated.end();
  }
});

async function graphAsSystem(query: string, variables: Record<string, unknown> = {}) {
  const token = tokenIn((await get('/user/reset', 'sysadmin')).text);
  const { body } = await world.graph(query, variables, {
    headers: { cookie: cookies.sysadmin!, 'x-csrf-token': token },
  });
  return body.data;
}

const asSystemDataset = async (name: string) =>
  (
    await graphAsSystem(
      `{ dataset(name: "${name}") { version notes extras { key value } organization { databaseId } resources { databaseId name format } } }`,
    )
  ).dataset;
