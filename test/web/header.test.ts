/** Size of the header, and its menus, in a browser with and without JavaScript. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
// @ts-expect-error: a script without types
import { ensureChromium } from '../../scripts/chromium.mjs';
import { projectRoot } from '../../src/kernel/root.ts';
import { openPage, type Page } from '../helpers/browser.ts';
import { freePort } from '../helpers/port.ts';
import { describeWith } from '../helpers/runtime.ts';
import { createWorld, type World } from '../helpers/world.ts';

const chromium: string | null = ensureChromium();
const PICTURES = join(projectRoot, '.cache/pictures');
const PASSWORD = 'correct horse';
/** Number of lines of the header. Elements that overlap vertically count as one line. */
const LINES = `[...document.querySelectorAll('header .bar > *')].map((it) => it.getBoundingClientRect())
  .filter((it) => it.width > 0).sort((a, b) => a.top - b.top)
  .reduce((ends, it) => (ends.length > 0 && it.top < ends.at(-1) ? ends : [...ends, it.bottom]), []).length`;
const OVERFLOW = `[document.documentElement, ...document.querySelectorAll('header .bar')]
  .some((it) => it.scrollWidth > it.clientWidth)`;
const HEIGHT = `document.querySelector('header').getBoundingClientRect().height`;
/** Overlapping parts of the header, a title that is cut, and a search field that is too small to type in. */
const CROWDED = `[...document.querySelectorAll('header .bar > *')].filter((it, _, all) => {
    const own = it.getBoundingClientRect();
    return own.width > 0 && all.map((other) => other.getBoundingClientRect()).some((other) =>
      other.left > own.left && other.left < own.right && other.top < own.bottom && own.top < other.bottom);
  }).map((it) => it.className || it.localName).concat(
    [...document.querySelectorAll('header .site span')].filter((it) => it.scrollHeight > it.clientHeight + 1).map(() => 'title'),
    [...document.querySelectorAll('header [type=search]')].filter((it) => it.clientWidth < 80).map(() => 'search'))`;

describeWith('chromium', chromium !== null, 'in a browser', () => {
  let world: World;
  const pages: Page[] = [];
  let visitor: Page;
  let root: Page;
  let scripted: Page;

  async function signedIn(javaScriptEnabled: boolean): Promise<Page> {
    const page = await openPage(chromium!, `${world.base}/user/login`, { javaScriptEnabled });
    pages.push(page);
    await page.tab.locator('input[name="login"]').fill('root');
    await page.tab.locator('input[type="password"]').fill(PASSWORD);
    await page.tab.locator('main button[type="submit"]').first().click();
    return page;
  }
  beforeAll(async () => {
    const port = await freePort();
    const at = { 'catalog.port': port, 'catalog.site_url': `http://127.0.0.1:${port}` };
    world = await createWorld({ 'catalog.site_title': 'Open Data Portal', ...at });
    const as = await world.make.sysadmin();
    const user = { name: 'root', fullname: 'Maximiliane Musterfrau', email: 'root@example.org', password: PASSWORD };
    await world.result('user_create', { ...user, sysadmin: true }, { as });
    visitor = await openPage(chromium!, `${world.base}/about`, { javaScriptEnabled: false });
    pages.push(visitor);
    root = await signedIn(false);
    scripted = await signedIn(true);
    mkdirSync(PICTURES, { recursive: true });
  });
  afterAll(async () => {
    for (const page of pages) await page.close();
    await world?.end();
  });

  describe.each(['', '/de', '/fr', '/ja'])('with the prefix "%s"', (prefix) => {
    it.each([
      [390, 2],
      [768, 1],
      [1200, 1],
      [1280, 1],
      [1440, 1],
    ])('is short at %i px: at most %i lines', async (width, most) => {
      for (const [role, { tab, evaluate }] of Object.entries({ visitor, root })) {
        await tab.setViewportSize({ width, height: 500 });
        await tab.goto(`${world.base}${prefix}/about`);
        for (const colorScheme of prefix === '' || prefix === '/de' ? (['light', 'dark'] as const) : []) {
          await tab.emulateMedia({ colorScheme });
          const name = `header-${role}${prefix.replace('/', '-')}-${width}-${colorScheme}.png`;
          writeFileSync(join(PICTURES, name), await tab.screenshot());
        }
        const seen = {
          lines: await evaluate(LINES),
          isWider: await evaluate(OVERFLOW),
          crowded: await evaluate(CROWDED),
        };
        expect([role, seen]).toEqual([role, { lines: expect.any(Number), isWider: false, crowded: [] }]);
        expect(seen.lines).toBeLessThanOrEqual(most);
        expect(await evaluate(HEIGHT)).toBeLessThanOrEqual(most === 1 ? 80 : 120);
      }
    });
  });

  it('has a navigation at any width, in a closed menu on narrow screens', async () => {
    const { tab } = visitor;
    await tab.goto(`${world.base}/about`);
    const link = tab.getByRole('banner').getByRole('link', { name: 'Organizations', exact: true });
    await tab.setViewportSize({ width: 1440, height: 500 });
    expect([await link.count(), await tab.getByText('Menu', { exact: true }).isVisible()]).toEqual([1, false]);
    await tab.setViewportSize({ width: 390, height: 500 });
    expect(await link.count()).toBe(0);
    await tab.locator('.menu.whole summary').focus();
    await tab.keyboard.press('Enter');
    expect(await link.count()).toBe(1);
    writeFileSync(join(PICTURES, 'header-menu-390.png'), await tab.screenshot());
    await tab.keyboard.press('Tab');
    await tab.keyboard.press('Tab');
    await Promise.all([tab.waitForURL(/\/organization$/), tab.keyboard.press('Enter')]);
  });

  it.each(['root', 'scripted'])('has an account menu that the keyboard opens and a link closes: %s', async (who) => {
    const { tab } = who === 'root' ? root : scripted;
    await tab.setViewportSize({ width: 1440, height: 500 });
    await tab.goto(`${world.base}/about`);
    const banner = tab.getByRole('banner');
    const link = banner.getByRole('link', { name: 'Administration', exact: true });
    expect(await link.count()).toBe(0);
    await tab.locator('.menu summary').first().focus();
    await tab.keyboard.press('Space');
    expect(await banner.getByRole('navigation', { name: 'Account' }).isVisible()).toBe(true);
    writeFileSync(join(PICTURES, `header-account-${who}.png`), await tab.screenshot());
    await Promise.all([tab.waitForURL(/ckan-admin$/), link.click()]);
    expect(await tab.locator('details[open]').count()).toBe(0);
  });

  it('opens one menu at a time, and closes it by Escape and by a click elsewhere', async () => {
    const { tab } = scripted;
    const open = () => tab.locator('details[open] nav').evaluateAll((all) => all.map((it) => it.ariaLabel));
    const summaries = tab.locator('.menu summary:visible');
    await summaries.nth(0).click();
    expect(await open()).toEqual(['Account']);
    await summaries.nth(1).click();
    expect(await open()).toEqual(['Language']);
    await tab.keyboard.press('Escape');
    expect(await open()).toEqual([]);
    await summaries.nth(0).click();
    await tab.locator('h1').click();
    expect(await open()).toEqual([]);
  });
});
