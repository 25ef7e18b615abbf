/** Pages by the keyboard alone, in a browser: every stop is visible, in a sane order, and no stop is a trap. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
// @ts-expect-error: a script without types
import { ensureChromium } from '../../scripts/chromium.mjs';
import { openPage, type Page } from '../helpers/browser.ts';
import { describeWith } from '../helpers/runtime.ts';
import { createWorld, type World } from '../helpers/world.ts';

const PASSWORD = 'correct horse';
const MAX_STOPS = 300;
/** Contrast of an outline with its surroundings (WCAG 1.4.11). */
const MIN_CONTRAST = 3;

/** `TABLE` is replaced by the page of a table. */
const PATHS = [
  '/',
  '/dataset?q=town',
  '/dataset/rivers',
  '/dataset/new',
  '/user/edit/ann',
  '/organization/members/town',
  'TABLE',
  'TABLE?as=chart',
  'TABLE?as=map',
  'TABLE?as=sql',
];

interface Stop {
  /** Number of the element in the page; -1 for none. */
  readonly index: number;
  readonly name: string;
  /** Why a reader cannot see the focus; empty if it is visible. */
  readonly fault: string;
  /** The part of the page whose stops go from left to right, and from top to bottom. */
  readonly part: string | null;
  readonly box: readonly [left: number, top: number, bottom: number];
}

/** Numbers elements in the order of their focus: a script may add others between two stops. */
const NUMBER = `
  const numbers = (window.numbersOfElements ??= new Map());
  const numberOf = (it) => numbers.get(it) ?? (numbers.set(it, numbers.size), numbers.get(it));
`;

/** The element with the focus, as a reader sees it. */
const STOP = `(() => {${NUMBER}
  const element = document.activeElement;
  if (!element || element === document.body) return { index: -1, name: '', fault: '', part: null, box: [0, 0, 0] };
  const label = element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent;
  const name = (label || element.value || element.tagName).trim().replace(/\\s+/g, ' ').slice(0, 80);
  const rect = element.getBoundingClientRect();
  const style = getComputedStyle(element);
  const rgb = (text) => (text.match(/[\\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
  const light = (text) => {
    const [r, g, b] = rgb(text).map((it) => (it / 255 <= 0.04045 ? it / 255 / 12.92 : ((it / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  let around = element.parentElement;
  const paint = (it) => getComputedStyle(it).backgroundColor;
  while (around.parentElement && rgb(paint(around))[3] === 0 && getComputedStyle(around).backgroundImage === 'none') around = around.parentElement;
  const [one, two] = [light(style.outlineColor), light(paint(around))].sort((a, b) => b - a);
  const contrast = (one + 0.05) / (two + 0.05);
  const [x, y] = [rect.left + rect.width / 2, rect.top + Math.min(rect.height, innerHeight) / 2];
  const top = document.elementFromPoint(Math.min(Math.max(x, 0), innerWidth - 1), Math.min(Math.max(y, 0), innerHeight - 1));
  const isIn = rect.bottom > 0 && rect.right > 0 && rect.top < innerHeight && rect.left > -1 && rect.right < innerWidth + 1;
  const isPainted = getComputedStyle(around).backgroundImage !== 'none';
  const fault =
    style.outlineStyle === 'none' || parseFloat(style.outlineWidth) < 2 ? 'no outline'
    : rect.width * rect.height === 0 || !isIn ? 'not in view: ' + [rect.left, rect.top, rect.right]
    : !isPainted && contrast < ${MIN_CONTRAST} ? 'contrast ' + contrast.toFixed(2)
    : top && top !== element && !element.contains(top) && !top.contains(element) ? 'covered by ' + top.outerHTML.slice(0, 80)
    : element.tabIndex > 0 ? 'tabindex' : '';
  const part = element.closest('.menu nav, header .bar, main form');
  return { index: numberOf(element), name, fault, part: part && String(numberOf(part)), box: [rect.left, rect.top + scrollY, rect.bottom + scrollY] };
})()`;

/** Elements that the key Tab must reach. Of radio buttons with a name, it reaches one. */
const REACHABLE = `(() => {${NUMBER}
  const names = new Set();
  return [...document.querySelectorAll('*')].flatMap((it) => {
    if (it.tabIndex < 0 || it.disabled || !it.checkVisibility({ visibilityProperty: true })) return [];
    if (!it.matches('a[href], button, input, select, textarea, summary, [tabindex]') || it.type === 'hidden') return [];
    if (it.matches('summary') && it.parentElement.firstElementChild !== it) return [];
    if (it.type === 'radio' && names.has(it.name)) return [];
    names.add(it.name);
    return [numberOf(it) + ' ' + it.outerHTML.slice(0, 80)];
  });
})()`;

const chromium = ensureChromium() as string | null;
describeWith('Chromium', chromium !== null, 'the keyboard', () => {
  let world: World;
  let page: Page;
  let resource: string;
  beforeAll(async () => {
    world = await createWorld({ 'catalog.site_title': 'Data of Town' });
    await world.datastore();
    const as = await world.make.sysadmin();
    const ann = { name: 'ann', email: 'ann@example.org', password: PASSWORD };
    await world.result('user_create', ann, { as });
    const users = [{ name: 'ann', capacity: 'admin' }];
    await world.result('organization_create', { name: 'town', title: 'Town', users }, { as });
    const resources = [{ url: 'http://town.example/levels.csv', name: 'Levels', format: 'CSV' }];
    const tags = [{ name: 'levels' }, { name: 'water' }];
    const dataset = {
      name: 'rivers',
      title: 'Rivers of Town',
      owner_org: 'town',
      license_id: 'cc-by',
      resources,
      tags,
    };
    const id = (await world.result('package_create', dataset, { as })).resources[0].id;
    await world.result('package_create', { name: 'lakes', title: 'Lakes', owner_org: 'town', tags }, { as });
    const records = ['Kew', 'Bath', 'York'].map((station, n) => ({
      station,
      level: [2, 3, 1][n],
      lat: 51 + n,
      lon: n,
    }));
    await world.result('datastore_create', { resource_id: id, force: true, records }, { as });
    resource = `/dataset/rivers/resource/${id}`;
    page = await openPage(chromium!, `${world.base}/`);
    page.tab.setDefaultTimeout(30_000);
  });
  afterAll(async () => {
    await page?.close();
    await world?.end();
  });

  const stop = (): Promise<Stop> => page.evaluate(STOP);
  const at = () => new URL(page.tab.url()).pathname;
  async function press(key: string): Promise<Stop> {
    await page.tab.keyboard.press(key);
    return stop();
  }
  /** Presses Tab until a stop has the name. Each stop before is visible. */
  async function tabTo(name: string | RegExp): Promise<Stop> {
    const seen: string[] = [];
    for (let count = 0; count < MAX_STOPS; count++) {
      const it = await press('Tab');
      if (it.fault) throw new Error(`${it.name}: ${it.fault}`);
      if (typeof name === 'string' ? it.name === name : name.test(it.name)) return it;
      if (it.index < 0 && count > 0) break;
      seen.push(it.name);
    }
    throw new Error(`No stop has the name ${name}: ${seen.join(' | ')}`);
  }
  /** Follows the stop with the name to another page. */
  async function follow(name: string | RegExp, key = 'Enter'): Promise<void> {
    await tabTo(name);
    await Promise.all([page.tab.waitForEvent('load'), page.tab.keyboard.press(key)]);
  }
  const type = (text: string) => page.tab.keyboard.type(text);
  async function submit(): Promise<void> {
    await Promise.all([page.tab.waitForEvent('load'), page.tab.keyboard.press('Enter')]);
  }

  it('leads from the home page to the table of a dataset', async () => {
    const skip = await press('Tab');
    expect([skip.name, skip.fault]).toEqual(['Skip to the main part', '']);
    await page.tab.keyboard.press('Enter');
    expect((await press('Tab')).name).toBe('Search datasets');
    await type('rivers');
    await submit();
    expect(page.tab.url()).toContain('/dataset?q=rivers');
    await follow(/^CSV/);
    expect(page.tab.url()).toContain('res_format=CSV');
    await follow('Rivers of Town');
    await follow(/^Levels/);
    expect(at()).toBe(resource);
    await follow('level');
    expect(page.tab.url()).toContain('sort=level');
    expect(await page.tab.locator('.grid tbody td').first().textContent()).toBe('York');
    await tabTo('Column');
    await page.tab.keyboard.press('ArrowDown');
    await tabTo('Value');
    await type('Kew');
    await submit();
    expect(await page.tab.locator('.grid tbody tr').count()).toBe(1);
    await follow(/^station is Kew/);
    expect(await page.tab.locator('.grid tbody tr').count()).toBe(3);
  });

  it('chooses a language', async () => {
    await tabTo(/^Language:/);
    expect(await page.tab.locator('.languages nav').isVisible()).toBe(false);
    await page.tab.keyboard.press('Space');
    await follow('Deutsch');
    expect(at()).toBe(`/de${resource}`);
    await tabTo(/^Sprache:/);
    await page.tab.keyboard.press('Enter');
    await press('Tab');
    expect((await press('Escape')).name).toMatch(/^Sprache:/);
    expect(await page.tab.locator('.languages nav').isVisible()).toBe(false);
    await page.tab.keyboard.press('Enter');
    await follow('English');
    expect(at()).toBe(`/en${resource}`);
  });

  it('signs in, creates a dataset with a file, edits it, and signs out', async () => {
    await follow('Log in');
    await tabTo('Name or e-mail address');
    await type('ann');
    await tabTo('Password');
    await type(PASSWORD);
    await submit();
    expect(at()).toBe('/en/user/ann');
    await tabTo('Account: ann');
    await page.tab.keyboard.press('Enter');
    await follow('Add dataset');
    await tabTo('Title');
    await type('Ponds');
    await tabTo('Visibility');
    await follow('Publish', 'Space');
    expect(at()).toBe('/en/dataset/ponds');
    await follow('Add resources');
    const choice = page.tab.waitForEvent('filechooser'); // awaited early: the browser reports a file chooser only to a listener that is already there
    await tabTo('Files');
    await page.tab.keyboard.press('Space');
    await (await choice).setFiles([{ name: 'ponds.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n1,2\n') }]);
    await follow('Add');
    expect(at()).toBe('/en/dataset/resources/ponds');
    expect((await world.result('package_show', { id: 'ponds' })).resources).toHaveLength(1);
    await page.tab.goto(`${world.base}/en/dataset/ponds`);
    await follow('Edit');
    await tabTo('Description');
    await type('Still waters.');
    await follow('Save', 'Space');
    expect((await world.result('package_show', { id: 'ponds' })).notes).toBe('Still waters.');
    await tabTo('Account: ann');
    await page.tab.keyboard.press('Enter');
    await follow('Log out');
    expect(at()).toBe('/en/user/logged-out');
    expect(page.problems).toEqual([]);
  });

  describe.each([
    ['light', 1280, PATHS],
    ['dark', 1280, ['/', '/dataset?q=town', 'TABLE?as=map']],
    ['light', 390, ['/', '/dataset/new', 'TABLE']],
  ] as const)('in the %s scheme, %i pixels wide', (colorScheme, width, paths) => {
    let tab: Page;
    beforeAll(async () => {
      tab = await openPage(chromium!, `${world.base}/user/login`, { colorScheme, viewport: { width, height: 800 } });
      await tab.tab.getByLabel('Name or e-mail address').fill('ann');
      await tab.tab.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await tab.tab.getByRole('button', { name: 'Log in', exact: true }).click();
      await tab.tab.waitForURL(/\/user\/ann/);
    });
    afterAll(() => tab?.close());

    it.each(paths)('%s is walked forward and back, with all stops seen', async (path) => {
      await tab.tab.goto(world.base + path.replace('TABLE', resource));
      if (path.includes('map')) await tab.until('document.querySelector(".map").dataset.ready');
      const reachable: string[] = await tab.evaluate(REACHABLE);
      const walk = async (key: string) => {
        const stops: Stop[] = [];
        for (let count = 0; count < MAX_STOPS; count++) {
          await tab.tab.keyboard.press(key);
          const it: Stop = await tab.evaluate(STOP);
          if (it.index < 0 || stops.some(({ index }) => index === it.index)) return stops;
          stops.push(it);
          if (key === 'Tab' && it.name.startsWith('Language:')) await tab.tab.keyboard.press('Space');
        }
        throw new Error(`more than ${MAX_STOPS} stops`);
      };
      const stops = await walk('Tab');
      const faults = stops.filter(({ fault }) => fault).map(({ name, fault }) => `${name}: ${fault}`);
      for (const [index, it] of stops.entries()) {
        const before = stops[index - 1];
        if (!before?.part || before.part !== it.part) continue;
        const isBelow = it.box[1] >= before.box[2] - 4;
        const isRight = it.box[0] >= before.box[0] && it.box[2] > before.box[1];
        if (!isBelow && !isRight) faults.push(`${it.name}: left of ${before.name}, or above it`);
      }
      const reached = new Set(stops.map(({ index }) => index));
      for (const one of reachable) if (!reached.has(Number.parseInt(one, 10))) faults.push(`not reached: ${one}`);
      const back = await walk('Shift+Tab');
      for (const { name, fault } of back) if (fault) faults.push(`${name}, back: ${fault}`);
      expect(faults).toEqual([]);
      expect(stops.map(({ name }) => name)).toContain('Deutsch');
      expect(back.length).toBeGreaterThanOrEqual(reachable.length - 1); // the menu is closed
    });
  });
});
