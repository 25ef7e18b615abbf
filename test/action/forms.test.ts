/** Form-encoded POSTs: read or refused by catalog.action_api.forms, with the authentication and limits of JSON. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

const FORM = 'application/x-www-form-urlencoded';
const PASSWORD = 'correct horse';
let world: World;
let old: World;
let admin: TestUser;
beforeAll(async () => {
  [world, old] = await Promise.all([
    createWorld({ 'catalog.action_api.level': '2.11', 'catalog.limits.json_values': 1_000 }),
    createWorld(),
  ]);
  admin = await world.make.sysadmin();
});
afterAll(() => Promise.all([world.end(), old.end()]));

const send = (name: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}, at = world) =>
  at.request(`/api/3/action/${name}`, { method: 'POST', body, headers: { 'content-type': FORM, ...headers } });
const form = (name: string, fields: Record<string, string> | [string, string][], headers = {}) =>
  send(name, new URLSearchParams(fields).toString(), { authorization: admin.key, ...headers });

describe('a form-encoded POST', () => {
  it('creates a dataset from strings, lists as JSON or flattened, and non-ASCII text', async () => {
    const { status, body } = await form('package_create', {
      name: 'by-form',
      title: 'Wässer & 水位 = 100% + 1',
      private: 'False',
      tags: '[{"name": "water"}]',
      extras__0__key: 'river',
      extras__0__value: 'Thames',
      resources: '[{"url": "http://x.example/y.csv", "size": 3}]',
      notes: '',
    });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        result: {
          title: 'Wässer & 水位 = 100% + 1',
          private: false,
          tags: [{ name: 'water' }],
          extras: [{ key: 'river', value: 'Thames' }],
          resources: [{ url: 'http://x.example/y.csv', size: 3 }],
        },
      },
    });
  });

  it('reads repeated names as a list, and a single name as one value', async () => {
    await form('organization_create', { name: 'office' });
    await form('organization_create', { name: 'bureau' });
    const { body } = await form('organization_list', [
      ['organizations', 'office'],
      ['organizations', 'bureau'],
    ]);
    expect(body.result).toEqual(['bureau', 'office']);
    expect((await form('organization_list', { limit: '1' })).body.result).toEqual(['bureau']);
    expect((await send('package_search', 'rows=0&q=')).body.result.count).toBe(1);
    expect((await send('package_search', 'rows')).status).toBe(400);
  });

  it('ignores the case of its content type, and preserves a percent sign that starts no escape', async () => {
    const { body } = await send('group_create', 'name=percent&title=100%&description=50%25%20a+b%zz', {
      authorization: admin.key,
      'content-type': 'Application/X-WWW-Form-URLencoded; charset=UTF-8',
    });
    expect(body.result).toMatchObject({ title: '100%', description: '50% a b%zz' });
  });

  it.each([
    ['by the value', 'name=latin&title=W%E4sser', 'Form Error: the value of title is not UTF-8'],
    ['by the name', 'name=latin&t%E4=1', 'Form Error: a field name is not UTF-8'],
    ['by its bytes', Buffer.from('name=latin&title=W\u00e4sser', 'latin1'), 'The body is not UTF-8'],
  ])('is refused if it is not UTF-8 (%s), and writes nothing', async (_how, body, why) => {
    const sent = await send('group_create', body as string, { authorization: admin.key });
    expect(sent).toMatchObject({ status: 400, body: `Bad request - ${why}` });
    expect((await world.action('group_show', { id: 'latin' })).status).toBe(404);
  });

  it('is refused above the limits of fields, names and bytes', async () => {
    expect((await send('site_read', 'a=&'.repeat(999))).status).toBe(200);
    expect(await send('site_read', `${'a=&'.repeat(1000)}a=`)).toMatchObject({
      status: 400,
      body: 'Bad request - The form has more than 1000 fields (catalog.limits.json_values)',
    });
    expect((await send('site_read', `${'a'.repeat(100)}=1`)).status).toBe(200);
    expect((await send('site_read', `${'a'.repeat(101)}=1`)).body).toMatch('a field name is longer than 100 bytes');
    expect((await send('site_read', `a=${'x'.repeat(11 * 2 ** 20)}`)).body).toMatch('catalog.limits.json_body');
  });

  it('limits the JSON inside its fields', async () => {
    const extras = `[${'1,'.repeat(100_000)}1]`;
    const many = await form('package_create', { name: 'many', extras });
    expect({ status: many.status, body: many.body }).toMatchObject({
      status: 409,
      body: { error: { __type: 'Validation Error', message: expect.stringContaining('more than 100000 values') } },
    });
    const deep = await form('package_create', { name: 'deep', extras: '['.repeat(10_000) + ']'.repeat(10_000) });
    expect({ status: deep.status, body: deep.body }).toMatchObject({ status: 409, body: { success: false } });
  });

  it('cannot pollute object prototypes', async () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const { status, text } = await form('group_create', [
        ['name', `odd-${name.toLowerCase()}`],
        [name, '{"isAdmin": true}'],
        [name, 'b'],
        ['extras__0____proto__', '{"isAdmin": true}'],
        ['extras__0__key', 'k'],
        ['extras__0__value', 'v'],
      ]);
      expect({ name, status, text }).toMatchObject({ status: 200 });
    }
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });

  it('reads JSON sent with the form content type, percent-encoded too, as at level 2.4', async () => {
    await form('package_create', { name: 'as-json' });
    for (const body of [
      '{"id": "as-json"}',
      ' {"id": "as-json", "more": "a=b&c"}',
      encodeURIComponent('{"id": "as-json"}'),
      `${encodeURIComponent('{"id": "as-json"}')}=1`,
    ])
      expect((await send('package_show', body)).body).toMatchObject({ result: { name: 'as-json' } });
    expect((await send('package_show', '{"id": "as-json"')).body).toMatch(/^Bad request - JSON Error/);
  });

  it('is overridden by the query string of a read, and cannot set `callback`', async () => {
    const { body } = await send('organization_list?limit=1', 'limit=0');
    expect(body.result).toHaveLength(1);
    expect((await send('site_read?callback=f', 'a=b')).text).toMatch(/^\/\*\*\/f\(/);
    expect((await send('site_read', 'callback=f')).text).toMatch(/^\{/);
  });

  it('is refused with a cookie without proof of the same origin, as JSON is', async () => {
    const name = `u${world.id().slice(0, 8)}`;
    await form('user_create', { name, email: 'a@example.org', password: PASSWORD });
    const login =
      'mutation ($p: String!, $l: String!) { login(input: { login: $l, password: $p }) { session { secret } } }';
    const { body } = await world.graph(login, { l: name, p: PASSWORD });
    const cookie = `catalog_session=${body.data.login.session.secret}`;
    const foreign: Record<string, string>[] = [
      { origin: 'http://evil.test', 'sec-fetch-site': 'cross-site' },
      {},
      { origin: 'null' },
    ];
    for (const headers of foreign)
      for (const [type, text] of [
        [FORM, `id=${name}&about=Changed&email=b@example.org`],
        ['application/json', JSON.stringify({ id: name, about: 'Changed' })],
      ] as const)
        expect(await send('user_patch', text, { cookie, 'content-type': type, ...headers })).toMatchObject({
          status: 403,
          body: { error: { __type: 'Authorization Error' } },
        });
    expect((await world.result('user_show', { id: name }, { as: admin })).about).not.toBe('Changed');
  });

  it('cannot carry a file', async () => {
    const { id } = await world.make.dataset();
    const { body } = await form('resource_create', { package_id: id, url: 'http://x.example/', upload: 'text' });
    expect(body.result).toMatchObject({ url: 'http://x.example/', url_type: null });
  });
});

describe('at level 2.4', () => {
  it('is refused as by CKAN 2.4, and JSON with the form content type is read', async () => {
    const { name } = await old.make.dataset();
    expect(await send('package_show', `id=${name}`, {}, old)).toMatchObject({
      status: 400,
      body: expect.stringMatching(/^Bad request - JSON Error: Error decoding JSON data/),
    });
    expect((await send('package_show', JSON.stringify({ id: name }), {}, old)).body.success).toBe(true);
  });

  it('is read if only the setting enables it, with the status codes of level 2.4', async () => {
    const one = await createWorld({ 'catalog.action_api.forms': 'read' });
    try {
      expect(await send('package_show', 'id=none', {}, one)).toMatchObject({ status: 200, body: { success: false } });
    } finally {
      await one.end();
    }
  });
});

describe('openapi.json', () => {
  it('lists the form content type only if forms are read', async () => {
    const typesOf = async (at: World) => {
      const { body } = await at.request('/openapi.json');
      return Object.keys(body.paths['/api/3/action/package_create'].post.requestBody.content);
    };
    expect(await typesOf(world)).toEqual(['application/json', FORM]);
    expect(await typesOf(old)).toEqual(['application/json']);
  });
});

it('accepts a form from curl -d', async () => {
  const { stdout } = await promisify(execFile)('curl', [
    ...['-s', '-H', `Authorization: ${admin.key}`, '-d', 'name=by-curl', '-d', 'title=By curl'],
    ...['--data-urlencode', 'description=a & b', `${world.base}/api/3/action/group_create`],
  ]);
  expect(JSON.parse(stdout)).toMatchObject({ result: { title: 'By curl', description: 'a & b' } });
});
