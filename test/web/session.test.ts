/** Sessions in cookies, and their protection against requests from other sites. */
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createSessions } from '../../facades/shared/session.ts';
import { createSecretBox } from '../../src/infra/crypto/secret-box.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let id: string;
let cookie: string;
let csrf: string;
const PASSWORD = 'correct horse';
const secretBox = createSecretBox(Buffer.alloc(32, 1));

const LOGIN = `mutation ($login: String!, $password: String!) {
  login(input: { login: $login, password: $password }) { session { secret expiresAt user { name } } errors { code message } } }`;
const VIEWER = '{ viewer { name email } }';

/** A request and a response without a network, for the helper alone. */
const exchange = (headers: Record<string, string> = {}, method = 'POST') => {
  const req = { headers, method } as unknown as IncomingMessage;
  return { req, res: new http.ServerResponse(req) as ServerResponse };
};
const tokenOf = (secret: string): string => {
  const { req, res } = exchange({ cookie: `catalog_session=${secret}` });
  return createSessions({
    siteUrl: 'http://catalog.test',
    sign: world.app.callAs(world.system).secrets.secretBox.sign,
  }).tokenFor(req, res);
};

beforeAll(async () => {
  world = await createWorld({ 'catalog.action_api.status': 'http' });
  ({ id } = await world.result(
    'user_create',
    { name: 'ann', email: 'ann@example.org', password: PASSWORD },
    { as: await world.make.sysadmin() },
  ));
});
beforeEach(async () => {
  const { body } = await world.graph(LOGIN, { login: 'ann', password: PASSWORD });
  const { secret } = body.data.login.session;
  cookie = `catalog_session=${secret}`;
  csrf = tokenOf(secret);
});
afterAll(() => world.end());

const post = (path: string, body: object, headers: Record<string, string>) =>
  world.request(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });

describe('a session in a cookie', () => {
  it('authenticates GET requests to GraphQL and the Action API', async () => {
    const answer = await world.request(`/graphql?query=${encodeURIComponent(VIEWER)}`, {
      headers: { cookie, 'apollo-require-preflight': '1' },
    });
    expect(answer.body).toMatchObject({ data: { viewer: { name: 'ann', email: 'ann@example.org' } } });
    const { body } = await world.request('/api/3/action/user_show?id=ann', {
      headers: { cookie: `other=1; ${cookie}` },
    });
    expect(body.result).toMatchObject({ email: 'ann@example.org' });
  });

  it('is ignored if a header has a key, and for JSONP', async () => {
    const { body } = await world.request('/api/3/action/user_show?id=ann', {
      headers: { cookie, authorization: 'nobody' },
    });
    expect(body.result).not.toHaveProperty('email');
    const { text } = await world.request('/api/3/action/user_show?id=ann&callback=f', { headers: { cookie } });
    expect(text).not.toContain('ann@example.org');
  });

  it('authenticates POST requests with the token and without signs of another site', async () => {
    const harmless: Record<string, string>[] = [
      {},
      { 'sec-fetch-site': 'same-origin' },
      { origin: 'http://catalog.test' },
      { origin: world.base },
    ];
    for (const headers of harmless) {
      const all = { cookie, 'x-csrf-token': csrf, ...headers };
      expect((await post('/graphql', { query: VIEWER }, all)).body).toMatchObject({
        data: { viewer: { name: 'ann' } },
      });
      expect(await post('/api/3/action/user_patch', { id, about: 'Me' }, all)).toMatchObject({ status: 200 });
      expect(await post('/api/2/rest/dataset', { name: `d-${world.id()}` }, all)).toMatchObject({ status: 201 });
    }
  });

  it.each([
    ['without a token', () => ({})],
    ['with a made-up token', () => ({ 'x-csrf-token': 'a.b' })],
    ['with the token of another session', () => ({ 'x-csrf-token': tokenOf('cgs_other') })],
    [
      'with a token as long as ours',
      () => ({ 'x-csrf-token': csrf.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')) }),
    ],
    ['from another site', () => ({ 'x-csrf-token': csrf, 'sec-fetch-site': 'cross-site' })],
    ['from a neighbour', () => ({ 'x-csrf-token': csrf, 'sec-fetch-site': 'same-site' })],
    ['from another origin', () => ({ 'x-csrf-token': csrf, origin: 'http://evil.test' })],
    ['from a hidden origin', () => ({ 'x-csrf-token': csrf, origin: 'null' })],
  ])('is refused %s, without a write', async (_how, headers) => {
    const all = { cookie, ...headers() };
    expect(await post('/graphql', { query: VIEWER }, all)).toMatchObject({
      status: 403,
      body: {
        errors: [
          {
            message: expect.stringMatching(/^Access denied: (?:the CSRF token|cross-site requests)/),
            extensions: { code: 'NOT_AUTHORIZED' },
          },
        ],
      },
    });
    expect(await post('/api/3/action/user_patch', { id, about: 'Forged' }, all)).toMatchObject({
      status: 403,
      body: { success: false, error: { __type: 'Authorization Error' } },
    });
    expect(await post('/api/2/rest/dataset', { name: 'forged' }, all)).toMatchObject({ status: 403 });
    expect(await world.result('user_show', { id })).toMatchObject({ about: 'Me' });
    expect(await world.result('package_list')).not.toContain('forged');
  });

  it('is ignored for GET requests that any page could have made the browser send', async () => {
    const get = (headers: Record<string, string>) =>
      world.request(`/graphql?query=${encodeURIComponent(VIEWER)}`, { headers: { cookie, ...headers } });
    expect((await get({})).body).toMatchObject({ data: { viewer: null } });
    expect((await get({ 'content-type': 'text/plain' })).body).toMatchObject({ data: { viewer: null } });
    for (const name of ['graphql-require-preflight', 'apollo-require-preflight', 'x-apollo-operation-name'])
      expect((await get({ [name]: '1' })).body).toMatchObject({ data: { viewer: { name: 'ann' } } });
    expect((await get({ 'content-type': 'application/json' })).body.data.viewer).toMatchObject({ name: 'ann' });
  });

  it('counts as a visitor once it has ended', async () => {
    const answer = await post('/graphql', { query: VIEWER }, { cookie: 'catalog_session=cgs_gone' });
    expect(answer).toMatchObject({ status: 200, body: { data: { viewer: null } } });
  });

  it('does not accept keys or malformed values', async () => {
    const { key } = await world.make.user();
    for (const value of [key, `${csrf}"`, '', 'x'.repeat(300), '%00']) {
      const { body } = await post('/graphql', { query: VIEWER }, { cookie: `catalog_session=${value}` });
      expect(body).toMatchObject({ data: { viewer: null } });
    }
  });
});

describe('cookies', () => {
  const plain = createSessions({ siteUrl: 'http://catalog.test', sign: secretBox.sign });
  const secure = createSessions({ siteUrl: 'https://catalog.test', sign: secretBox.sign });
  const session = { secret: 'cgs_abc', expiresAt: '2026-12-01T00:00:00.000Z' };

  it('are SameSite and HttpOnly, and over TLS limited to this host', () => {
    const { res } = exchange();
    plain.signIn(res, session);
    expect(res.getHeader('set-cookie')).toEqual([
      'catalog_session=cgs_abc; Path=/; Expires=Tue, 01 Dec 2026 00:00:00 GMT; HttpOnly; SameSite=Lax',
      'catalog_visitor=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax',
    ]);
    expect(res.getHeader('cache-control')).toBe('no-store');
    const other = exchange().res;
    secure.signIn(other, session);
    expect(other.getHeader('set-cookie')).toEqual([
      '__Host-catalog_session=cgs_abc; Path=/; Expires=Tue, 01 Dec 2026 00:00:00 GMT; HttpOnly; Secure; SameSite=Lax',
      '__Host-catalog_visitor=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
    ]);
    expect(secure.secretOf(exchange({ cookie: 'catalog_session=cgs_planted' }).req)).toBeUndefined();
  });

  it('are deleted at sign-out', () => {
    const { res } = exchange();
    plain.signOut(res);
    expect(res.getHeader('set-cookie')).toBe('catalog_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax');
  });
});

describe('forms of visitors', () => {
  const sessions = createSessions({ siteUrl: 'https://catalog.test', sign: secretBox.sign });

  it('show a token that belongs to a cookie of this browser', () => {
    const first = exchange({}, 'GET');
    const token = sessions.tokenFor(first.req, first.res);
    const set = first.res.getHeader('set-cookie') as string;
    expect(set).toMatch(/^__Host-catalog_visitor=[\w-]{22}; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    const visitor = set.split(';')[0]!;
    expect(() => sessions.checkForm(exchange({ cookie: visitor }).req, token)).not.toThrow();
    const again = exchange({ cookie: visitor }, 'GET');
    const second = sessions.tokenFor(again.req, again.res);
    expect(second).not.toBe(token);
    expect(again.res.getHeader('set-cookie')).toBeUndefined();
    expect(() => sessions.checkForm(exchange({ cookie: visitor }).req, second)).not.toThrow();
    for (const [cookies, wrong] of [
      ['', token],
      ['__Host-catalog_visitor=other', token],
      [visitor, 'x.y'],
      [visitor, undefined],
      [visitor, ['a']],
      [`${visitor}; __Host-catalog_session=cgs_new`, token],
    ] as const)
      expect(() => sessions.checkForm(exchange({ cookie: cookies }).req, wrong)).toThrow('expired');
    expect(() => sessions.checkForm(exchange({ cookie: visitor, origin: 'https://evil.test' }).req, token)).toThrow(
      'cross-site requests',
    );
  });
});
