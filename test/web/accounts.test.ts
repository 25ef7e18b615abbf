/** Account pages in a real browser and over plain HTTP: register, log in, use and replace the API key, log out. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
// @ts-expect-error: a script without types
import { ensureChromium } from '../../scripts/chromium.mjs';
import { projectRoot } from '../../src/kernel/root.ts';
import { openAccount, openPage, type Page } from '../helpers/browser.ts';
import { createMailbox } from '../helpers/mail.ts';
import { describeWith } from '../helpers/runtime.ts';
import { createWorld, type World } from '../helpers/world.ts';

const chromium: string | null = ensureChromium();
const PICTURES = join(projectRoot, '.cache/pictures');

describeWith('chromium', chromium !== null, 'in a browser, without JavaScript', () => {
  let world: World;
  let page: Page;
  let key: string;
  beforeAll(async () => {
    world = await createWorld({ 'catalog.site_title': 'Data of <b>Town</b>' });
    page = await openPage(chromium as string, `${world.base}/user/register`, { javaScriptEnabled: false });
    mkdirSync(PICTURES, { recursive: true });
  });
  afterAll(async () => {
    await page?.close();
    await world?.end();
  });

  const fill = async (fields: Record<string, string>, button: string) => {
    for (const [label, text] of Object.entries(fields)) await page.tab.getByLabel(label, { exact: true }).fill(text);
    await page.tab.getByRole('button', { name: button }).click();
  };
  const picture = async (name: string, fullPage = false) =>
    writeFileSync(join(PICTURES, `${name}.png`), await page.tab.screenshot({ fullPage }));
  const path = () => new URL(page.tab.url()).pathname;
  const keyShown = () => page.tab.locator('.key').first().textContent();
  const isKnown = async (apiKey: string) =>
    (await world.graph('{ viewer { name } }', {}, { headers: { authorization: apiKey } })).body.data.viewer !== null;

  it('shows every error of a registration beside its field, and preserves the input', async () => {
    const fields = { Name: 'Ann Lee', 'Full name': 'Ann <Lee>', 'E-mail address': 'ann@example.com' };
    await fill({ ...fields, Password: 'short', 'Password again': 'short' }, 'Register');
    expect(await page.tab.locator('[aria-invalid=true]').count()).toBe(2);
    expect(await page.tab.getByLabel('Full name').inputValue()).toBe('Ann <Lee>');
    await picture('register-faults');
  });

  it('registers, and shows the profile with the key', async () => {
    await fill({ Name: 'ann', Password: 'long enough', 'Password again': 'long enough' }, 'Register');
    expect(path()).toBe('/user/ann');
    expect(await page.tab.getByRole('heading', { level: 1 }).textContent()).toBe('Ann <Lee>');
    key = (await keyShown()) as string;
    expect(await isKnown(key)).toBe(true);
    await picture('profile');
  });

  it('logs out, then logs in and returns to the requested page', async () => {
    await openAccount(page.tab);
    await page.tab.getByRole('button', { name: 'Log out', exact: true }).click();
    expect(path()).toBe('/user/logged-out');
    await page.tab.goto(`${world.base}/user/apikey`);
    expect(path()).toBe('/user/login');
    await picture('login');
    await fill({ 'Name or e-mail address': 'ann@example.com', Password: 'wrong password' }, 'Log in');
    expect(await page.tab.getByRole('alert').textContent()).toBe('Login failed. Bad username or password.');
    await fill({ Password: 'long enough' }, 'Log in');
    expect(path()).toBe('/user/ann');
    expect(await keyShown()).toBe(key);
  });

  it('generates a new key and rejects the old one', async () => {
    await page.tab.getByRole('button', { name: 'Create a new key' }).click();
    const fresh = (await keyShown()) as string;
    expect(fresh).not.toBe(key);
    expect([await isKnown(fresh), await isKnown(key)]).toEqual([true, false]);
    await picture('new-key');
  });

  it('creates a read-only token and revokes it', async () => {
    await fill({ 'What it is for': 'Dashboard', 'Your password': 'not it' }, 'Create the token');
    expect(await page.tab.getByRole('alert').textContent()).toBe('Login failed. Bad username or password.');
    await fill({ 'Your password': 'long enough' }, 'Create the token');
    const token = (await page.tab.locator('.token').textContent()) as string;
    expect(await isKnown(token)).toBe(true);
    const headers = { authorization: token };
    expect((await world.action('package_create', { name: 'x' }, { headers })).body.error.__type).toBe(
      'Authorization Error',
    );
    expect(await page.tab.locator('tbody tr').allInnerTexts()).toEqual([expect.stringMatching(/^Dashboard\s+Read\s/)]);
    await picture('tokens', true);
    await page.tab.getByRole('button', { name: 'Revoke Dashboard' }).click();
    expect(await page.tab.locator('tbody tr').count()).toBe(0);
    expect(await isKnown(token)).toBe(false);
  });

  it('changes the password', async () => {
    const fields = { 'Current password': 'long enough', 'New password': 'longer still' };
    await fill({ ...fields, 'New password again': 'longer stil' }, 'Change the password');
    expect(await page.tab.locator('.fault').textContent()).toBe('The passwords differ');
    await fill({ ...fields, 'New password again': 'longer still' }, 'Change the password');
    expect(await page.tab.getByRole('status').textContent()).toMatch(/^Your password is changed/);
  });

  it('sets a cookie hidden from scripts and other sites, and reports no error', async () => {
    const cookies = await page.tab.context().cookies();
    expect(cookies.map(({ name, httpOnly, sameSite }) => ({ name, httpOnly, sameSite }))).toEqual([
      { name: 'catalog_session', httpOnly: true, sameSite: 'Lax' },
    ]);
    expect(page.problems.filter((text) => !/status of (403|422)/.test(text))).toEqual([]);
    expect(page.requests.filter((url) => !url.startsWith(`${world.base}/`) && !url.startsWith('data:'))).toEqual([]);
  });
});

/** The CSRF token of a form, with its cookie. */
async function tokenOf(world: World): Promise<{ token: string; cookie: string }> {
  const { text, headers } = await world.request('/user/login');
  const cookies = headers.getSetCookie().map((it) => it.split(';')[0]);
  return { token: /name="_csrf_token" value="([^"]+)"/.exec(text)![1]!, cookie: cookies.join('; ') };
}

/** A function that sends forms with one visitor's token and cookie. */
async function formsOf(world: World) {
  const { token, cookie } = await tokenOf(world);
  return (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) => {
    const body = new URLSearchParams({ _csrf_token: token, ...fields });
    return world.request(path, { method: 'POST', body, redirect: 'manual', headers: { cookie, ...headers } });
  };
}

describe('account pages over HTTP', () => {
  let world: World;
  let post: Awaited<ReturnType<typeof formsOf>>;
  beforeAll(async () => {
    world = await createWorld({ 'catalog.site_url': 'https://catalog.test' });
    post = await formsOf(world);
    await world.result(
      'user_create',
      { name: 'bob', email: 'bob@example.com', password: 'correct horse' },
      { as: await world.make.sysadmin() },
    );
  });
  afterAll(() => world.end());

  const get = (path: string, headers: Record<string, string> = {}) =>
    world.request(path, { headers, redirect: 'manual' });

  const login = (fields: Record<string, string> = {}, headers = {}) =>
    post('/user/login', { login: 'bob', password: 'correct horse', ...fields }, headers);

  it('have a policy that allows own scripts only, and are not cached', async () => {
    const { status, headers, text } = await get('/user/login');
    expect(status).toBe(200);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self';.*frame-ancestors 'none'$/,
    );
    expect(headers.get('cache-control')).toMatch(/no-store/);
    expect(text).not.toMatch(/<script(?! [^>]*src="\/static\/[^"]+"[^>]*><\/script>)|<style|javascript:|\son\w+=/);
  });

  it('set a __Host- cookie, which is sent over TLS to this host only', async () => {
    const { status, headers } = await login();
    expect(status).toBe(303);
    expect(headers.getSetCookie()[0]).toMatch(
      /^__Host-catalog_session=cgs_[\w-]+; Path=\/; Expires=[^;]+ GMT; HttpOnly; Secure; SameSite=Lax$/,
    );
  });

  it.each([
    ['/dataset/rivers?page=2', '/dataset/rivers?page=2'],
    ['//evil.example', '/user/bob'],
    ['https://evil.example/', '/user/bob'],
    ['/\\evil.example', '/user/bob'],
    ['/x/..//evil.example', '/user/bob'],
    ['/\tevil', '/user/bob'],
    ['javascript:alert(1)', '/user/bob'],
    ['', '/user/bob'],
  ])('with the return address %j redirect to %s', async (came_from, expected) => {
    expect((await login({ came_from })).headers.get('location')).toBe(expected);
  });

  it.each([
    ['no token', { _csrf_token: '' }, {}],
    ['the token of another visitor', { _csrf_token: 'abc.def' }, {}],
    ['a request from another site', {}, { 'sec-fetch-site': 'cross-site' }],
    ['a form of another origin', {}, { origin: 'https://evil.example' }],
  ])('refuse %s', async (_what, fields, headers) => {
    const { status, headers: answered, text } = await login(fields as Record<string, string>, headers);
    expect(status).toBe(403);
    expect(text).toContain('Access denied');
    expect(answered.getSetCookie().filter((it) => it.includes('session='))).toEqual([]);
  });

  it('refuse a JSON body and an oversized form', async () => {
    const { token, cookie } = await tokenOf(world);
    const json = await world.request('/user/login', {
      method: 'POST',
      body: JSON.stringify({ _csrf_token: token }),
      headers: { cookie, 'content-type': 'application/json' },
    });
    expect(json.status).toBe(422);
    expect((await login({ login: 'x'.repeat(70_000) })).status).toBe(413);
  });

  it('give the same error for a wrong password and an unknown user', async () => {
    const answers = await Promise.all([login({ password: 'x' }), login({ login: 'nobody', password: 'x' })]);
    const [wrong, unknown] = answers.map(({ status, text }) => `${status} ${/role="alert">[^<]+/.exec(text)}`);
    expect(wrong).toBe(unknown);
    expect(wrong).toMatch(/^403 /);
  });

  it('hide private fields from visitors, and return 404 for an unknown user', async () => {
    const { text } = await get('/user/bob');
    expect(text).toContain('<h1>bob</h1>');
    expect(text).not.toMatch(/API key|bob@example\.com/);
    expect((await get('/user/nobody')).status).toBe(404);
    expect((await post('/user/bob/apikey', {})).status).toBe(403);
    expect((await post('/user/bob/password', { newPassword: 'x' })).status).toBe(403);
  });

  it('ignore names of inherited object properties as notices', async () => {
    expect((await get('/user/login?notice=password')).text).toContain('class="notice"');
    for (const word of ['constructor', '__proto__', 'toString']) {
      const { status, text } = await get(`/user/login?notice=${word}`);
      expect([status, text.includes('class="notice"')]).toEqual([200, false]);
    }
  });

  it('redirect visitors to the login', async () => {
    const { status, headers } = await get('/user/apikey');
    expect([status, headers.get('location')]).toEqual([303, '/user/login?notice=needed&came_from=%2Fuser%2Fapikey']);
  });
});

it('a registration that waits for a mail redirects to a page that can be reloaded', async () => {
  const mailbox = await createMailbox();
  const world = await createWorld({ ...mailbox.settings, 'catalog.auth.confirm_email': true });
  const post = await formsOf(world);
  const { status, headers } = await post('/user/register', { name: 'erna', email: 'erna@example.com' });
  const location = headers.get('location')!;
  expect([status, location]).toEqual([303, '/user/register?sent=mail']);
  for (const _ of [1, 2]) expect((await world.request(location)).text).toContain('We have sent you a link by e-mail.');
  expect((await world.request('/user/register?sent=failed')).text).toContain('the mail could not be sent');
  expect((await world.request('/user/register?sent=other')).text).toContain('name="email"');
  await world.end();
  await mailbox.end();
});

it('a mailed link resets a forgotten password once', async () => {
  const mailbox = await createMailbox();
  const world = await createWorld({ ...mailbox.settings, 'catalog.site_url': 'http://catalog.test' });
  const post = await formsOf(world);
  const user = { name: 'dora', email: 'dora@example.com', password: 'forgotten it' };
  await world.result('user_create', user, { as: await world.make.sysadmin() });
  const asked = [await post('/user/reset', { user: 'dora' }), await post('/user/reset', { user: 'nobody' })];
  expect(asked.map(({ status, text }) => [status, text.includes('Check your mail')])).toEqual(
    Array(2).fill([200, true]),
  );
  const mail = await mailbox.next();
  const link = /http:\/\/catalog\.test(\/user\/reset\/\S+)/.exec(mail.text ?? '')![1]!;
  const page = await world.request(link);
  expect(page.text).toContain('A new password for dora');
  expect(page.headers.get('referrer-policy')).toBe('same-origin'); // no-referrer: Chromium posts with `Origin: null`
  expect((await post(link, { password: 'short', repeated: 'short' })).status).toBe(422);
  const set = () => post(link, { password: 'remembered', repeated: 'remembered' });
  expect((await set()).headers.get('location')).toBe('/user/login?notice=password');
  expect((await set()).status).toBe(404);
  expect((await post('/user/login', { login: 'dora', password: 'remembered' })).status).toBe(303);
  await world.end();
  await mailbox.end();
});

it('ten wrong passwords lock a login temporarily, also for an unknown user', async () => {
  const world = await createWorld();
  const post = await formsOf(world);
  const statuses: number[] = [];
  for (let i = 0; i < 11; i++)
    statuses.push((await post('/user/login', { login: 'carol', password: `guess ${i}` })).status);
  expect(statuses).toEqual([...Array<number>(10).fill(403), 429]);
  const { text } = await post('/user/login', { login: 'carol', password: 'guess' });
  expect(text).toMatch(/Too many attempts\. Try again in/);
  await world.end();
});
