/** Pages in caches: visitors' pages are stored and revalidated, users' pages are not, and no reader gets another's data. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
// @ts-expect-error: a script without types
import { ensureChromium } from '../../scripts/chromium.mjs';
import { cacheCounts } from '../../src/infra/concurrency/lru.ts';
import { openAccount, openPage } from '../helpers/browser.ts';
import { type CachingProxy, createCachingProxy } from '../helpers/caching-proxy.ts';
import type { TestUser } from '../helpers/make.ts';
import { describeWith } from '../helpers/runtime.ts';
import { createWorld, type World } from '../helpers/world.ts';

const PASSWORD = 'correct horse';
const LOGIN = `mutation ($login: String!, $password: String!) {
  login(input: { login: $login, password: $password }) { session { secret } errors { code message } } }`;

let world: World;
let member: TestUser;
let cookie: string;
beforeAll(async () => {
  world = await createWorld({ 'catalog.site_title': 'Data of Town' });
  const admin = await world.make.sysadmin();
  await world.result(
    'user_create',
    { name: 'ann', email: 'ann@example.org', password: PASSWORD, fullname: 'Ann Lee' },
    { as: admin },
  );
  const { body } = await world.graph(LOGIN, { login: 'ann', password: PASSWORD });
  cookie = `catalog_session=${body.data.login.session.secret}`;
  const shown = await world.result('user_show', { id: 'ann' }, { as: admin });
  member = { id: shown.id, name: 'ann', key: shown.apikey };
  const town = await world.make.organization({ name: 'town', title: 'Town', members: { [member.id]: 'member' } });
  await world.make.dataset({ name: 'open', title: 'Open levels', ownerOrganization: town.id });
  await world.make.dataset({ name: 'secret', title: 'Secret levels', private: true, ownerOrganization: town.id });
});
afterAll(() => world.end());

const get = (path: string, headers: Record<string, string> = {}, base = '') =>
  base
    ? fetch(base + path, { redirect: 'manual', headers: { accept: 'text/html', ...headers } }).then(async (it) => ({
        status: it.status,
        headers: it.headers,
        text: await it.text(),
      }))
    : world.request(path, { redirect: 'manual', headers: { accept: 'text/html', ...headers } });

/** The ways in which the member can authenticate. */
const credentials = (): Record<string, string>[] => [
  { cookie },
  { authorization: member.key },
  { 'x-ckan-api-key': member.key },
];

const PUBLIC = [
  '/',
  '/dataset',
  '/dataset/open',
  '/organization',
  '/organization/town',
  '/group',
  '/tag',
  '/user',
  '/user/ann',
  '/about',
];

describe('pages of visitors', () => {
  it.each(PUBLIC)('%s sets no cookie, may be stored, and is revalidated by its ETag', async (path) => {
    const { status, headers } = await get(path);
    expect({ path, status, cookies: headers.getSetCookie() }).toEqual({ path, status: 200, cookies: [] });
    expect(headers.get('cache-control')).toBe('public, max-age=60, stale-while-revalidate=60');
    expect(headers.get('vary')).toMatch(/Accept-Encoding.*Cookie.*Authorization/);
    const tag = headers.get('etag')!;
    const again = await get(path, { 'if-none-match': tag });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag]);
    expect(again.headers.get('cache-control')).toBe(headers.get('cache-control'));
  });

  it('get a new ETag when they change', async () => {
    const before = (await get('/dataset/open')).headers.get('etag')!;
    await world.result(
      'package_patch',
      { id: 'open', notes: `changed ${before}` },
      { as: await world.make.sysadmin() },
    );
    expect((await get('/dataset/open', { 'if-none-match': before })).status).toBe(200);
  });

  it.each(['br', 'gzip', 'identity'])('are sent with the encoding %s', async (encoding) => {
    const { headers, text } = await get('/dataset', { 'accept-encoding': encoding });
    expect([headers.get('content-encoding'), text.includes('Open levels')]).toEqual([
      encoding === 'identity' ? null : encoding,
      true,
    ]);
  });

  it.each(['/user/login', '/user/register', '/user/reset'])('with a form, such as %s, are not stored', async (path) => {
    const { headers } = await get(path);
    expect(headers.get('cache-control')).toBe('private, no-store');
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^catalog_visitor=[\w-]+; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    expect(headers.get('etag')).toBeNull();
  });

  it.each(['/nothing', '/dataset/nothing', '/dataset/secret', '/dataset?q=title:('])(
    '%s is not stored',
    async (path) => {
      expect((await get(path)).headers.get('cache-control')).toMatch(/no-store/);
    },
  );
});

it.each(PUBLIC)('%s is not stored for a signed-in user', async (path) => {
  for (const headers of credentials()) {
    const answer = await get(path, headers);
    expect([answer.headers.get('cache-control'), answer.headers.get('etag')]).toEqual(['private, no-store', null]);
    expect(answer.text).toContain('Ann Lee');
  }
});

describe('rendered pages in the cache', () => {
  const hits = () => cacheCounts().get('pages')!.hits;
  const shown = async (path: string, headers: Record<string, string> = {}) => (await get(path, headers)).text;

  it.each(['/', '/dataset', '/dataset?q=levels', '/dataset/open', '/organization/town'])(
    '%s is served from the cache to visitors, and rendered for a member in between',
    async (path) => {
      await get(path);
      const before = hits();
      const { text } = await get(path);
      expect(hits()).toBe(before + 1);
      for (const headers of credentials()) expect(await shown(path, headers)).toContain('Ann Lee');
      expect(hits()).toBe(before + 1);
      expect(await shown(path)).toBe(text);
      expect(hits()).toBe(before + 2);
      expect(text).not.toContain('Ann Lee');
    },
  );

  it('are cached per language, by prefix and by header', async () => {
    const german = await shown('/dataset/open', { 'accept-language': 'de' });
    const english = await shown('/dataset/open', { 'accept-language': 'en' });
    expect([german, english].map((text) => /<html lang="(\w+)"/.exec(text)![1])).toEqual(['de', 'en']);
    expect(await shown('/dataset/open', { 'accept-language': 'de' })).toBe(german);
    expect(await shown('/de/dataset/open')).toContain('href="/de/dataset"');
    expect(await shown('/dataset/open', { 'accept-language': 'de' })).not.toContain('href="/de/dataset"');
  });

  it('change with the dataset, its organization, the settings and the permission to read it', async () => {
    const as = await world.make.sysadmin();
    const path = '/dataset/open';
    await get(path);
    await world.result('package_patch', { id: 'open', title: 'Levels of May' }, { as });
    expect(await shown(path)).toContain('<h1>Levels of May</h1>');
    await world.result('organization_patch', { id: 'town', title: 'City' }, { as });
    expect(await shown(path)).toContain('>City</a>');
    await world.result('config_option_update', { 'ckan.site_title': 'Data of City' }, { as });
    expect(await shown(path)).toContain('<span>Data of City</span>');
    await world.result('package_patch', { id: 'open', private: true }, { as });
    expect((await get(path)).status).toBe(303);
    await world.result('package_patch', { id: 'open', private: false, title: 'Open levels' }, { as });
    expect(await shown(path)).toContain('<h1>Open levels</h1>');
    await world.result('config_option_update', { 'ckan.site_title': 'Data of Town' }, { as });
    await world.result('organization_patch', { id: 'town', title: 'Town' }, { as });
  });
});

describe('with a shared cache in front of the site', () => {
  let proxy: CachingProxy;
  beforeAll(async () => {
    proxy = await createCachingProxy(world.base);
  });
  afterAll(() => proxy.end());

  const visitor = (path: string) => get(path, {}, proxy.base);
  const user = (path: string, headers: Record<string, string> = { cookie }) => get(path, headers, proxy.base);

  it.each(['/dataset?order=1', '/organization/town?order=1'])(
    '%s shows a member first, then a visitor',
    async (path) => {
      const own = await user(path);
      expect([own.text.includes('Ann Lee'), own.text.includes('Secret levels')]).toEqual([true, true]);
      const other = await visitor(path);
      expect([other.text.includes('Ann Lee'), other.text.includes('Secret levels')]).toEqual([false, false]);
      expect(other.text).toContain('Open levels');
    },
  );

  it.each(['/dataset?order=2', '/organization/town?order=2'])(
    '%s shows a visitor first, then a member',
    async (path) => {
      expect((await visitor(path)).text).not.toContain('Secret levels');
      const before = proxy.hits();
      expect((await visitor(path)).text).toContain('Open levels');
      expect(proxy.hits()).toBe(before + 1);
      for (const headers of credentials()) {
        const own = await user(path, headers);
        expect([own.text.includes('Ann Lee'), own.text.includes('Secret levels')]).toEqual([true, true]);
      }
      expect((await visitor(path)).text).not.toContain('Ann Lee');
    },
  );

  it('shows a private dataset to members only, in both orders', async () => {
    expect((await visitor('/dataset/secret')).status).toBe(303);
    expect((await user('/dataset/secret')).text).toContain('<h1>Secret levels</h1>');
    const { status, text } = await visitor('/dataset/secret');
    expect([status, text]).toEqual([303, '']);
    expect((await user('/dataset/secret?order=2')).text).toContain('<h1>Secret levels</h1>');
    expect((await visitor('/dataset/secret?order=2')).status).toBe(303);
  });

  it('gives each visitor a form with a separate token', async () => {
    const tokens = await Promise.all(
      [1, 2].map(async () => /name="_csrf_token" value="([^"]+)"/.exec((await visitor('/user/login')).text)?.[1]),
    );
    expect(tokens[0]).toEqual(expect.any(String));
    expect(tokens[0]).not.toBe(tokens[1]);
  });
});

const chromium = ensureChromium() as string | null;
describeWith('Chromium', chromium !== null, 'in a browser', () => {
  it.each([true, false])('registers after public pages, with JavaScript: %s', async (javaScriptEnabled) => {
    const page = await openPage(chromium!, world.base, { javaScriptEnabled });
    const heading = () => page.tab.getByRole('heading', { level: 1 }).textContent();
    try {
      await page.tab.getByRole('link', { name: 'Datasets', exact: true }).click();
      expect(await page.tab.context().cookies()).toEqual([]);
      await page.tab.getByRole('link', { name: 'Register' }).click();
      const name = javaScriptEnabled ? 'with' : 'without';
      const fields = {
        Name: name,
        'E-mail address': `${name}@example.org`,
        Password: PASSWORD,
        'Password again': PASSWORD,
      };
      for (const [label, text] of Object.entries(fields)) await page.tab.getByLabel(label, { exact: true }).fill(text);
      await page.tab.getByRole('button', { name: 'Register' }).click();
      expect(await heading()).toBe(name);
      await page.tab.getByRole('link', { name: 'Datasets', exact: true }).click();
      expect(await page.tab.locator('.menu.own summary').textContent()).toContain(name);
      await openAccount(page.tab);
      await page.tab.getByRole('button', { name: 'Log out' }).click();
      expect(await heading()).toBe('Logged out');
      await page.tab.goto(`${world.base}/dataset`);
      expect(await page.tab.getByRole('navigation', { name: 'Account' }).textContent()).toContain('Log in');
      expect(page.problems).toEqual([]);
    } finally {
      await page.close();
    }
  });
});
