/** The SQL console in a browser: an editor with colours and completion over a plain text field. */
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
// @ts-expect-error: a script without types
import { ensureChromium } from '../../scripts/chromium.mjs';
import { openPage, type Page } from '../helpers/browser.ts';
import { describeWith } from '../helpers/runtime.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';

/** Maximum size of the script after gzip, in bytes, like that of the map's script. Only this page loads it. */
const MAX_SCRIPT = 140_000;

const chromium = ensureChromium() as string | null;
describeWith('Chromium', chromium !== null, 'the SQL console', () => {
  let world: World;
  let path: string;
  let id: string;
  let page: Page;

  beforeAll(async () => {
    world = await createWorld();
    await world.datastore();
    const sysadmin = await world.make.sysadmin();
    await world.result('package_create', { name: 'rivers', title: 'Rivers' }, { as: sysadmin });
    const records = [
      { town: 'Bath', 'water level': 2 },
      { town: 'York', 'water level': 7 },
    ];
    const made = await world.result(
      'datastore_create',
      { resource: { package_id: 'rivers', name: 'Levels' }, records },
      { as: sysadmin },
    );
    id = made.resource_id;
    path = `/dataset/rivers/resource/${id}?as=sql`;
  });
  beforeEach(async () => {
    page = await openPage(chromium as string, `${world.base}${path}`);
  });
  afterEach(() => page?.close());
  afterAll(() => world?.end());

  const EDITOR = '.cm-content';
  const get = async (at: string) => (await world.request(at, { headers: { accept: 'text/html' } })).text;
  const text = () => page.tab.locator('#sql').inputValue();
  async function write(statement: string) {
    await page.tab.locator(EDITOR).fill(statement);
  }

  it('colours the statement, and runs the edited text', async () => {
    await page.tab.locator(EDITOR).waitFor();
    expect(await page.tab.locator('#sql').isVisible()).toBe(false);
    expect(await page.tab.locator('.tok-keyword').first().textContent()).toBe('SELECT');
    await write(`SELECT town FROM "${id}" WHERE "water level" > 5`);
    expect(await text()).toBe(`SELECT town FROM "${id}" WHERE "water level" > 5`);
    await page.tab.getByRole('button', { name: 'Run', exact: true }).click();
    await page.tab.locator('.grid td', { hasText: 'York' }).waitFor();
    expect(await page.tab.locator('.grid td').count()).toBe(1);
  });

  it('runs the statement with Ctrl+Enter', async () => {
    await write(`SELECT count(*) AS records FROM "${id}"`);
    await page.tab.locator(EDITOR).press('Control+Enter');
    await page.tab.getByRole('columnheader', { name: 'records' }).waitFor();
    expect(await page.tab.locator('.grid td').textContent()).toBe('2');
  });

  it('completes the names of columns, in quotes where SQL needs them', async () => {
    await write('SELECT wat');
    await page.tab.locator(EDITOR).press('Control+Space');
    // The editor ignores a click on a list that it has just shown.
    const option = page.tab.getByRole('option', { name: 'water level' });
    await option.waitFor();
    await until(async () => {
      if (await option.isVisible()) await option.click();
      return (await text()) !== 'SELECT wat';
    });
    expect(await text()).toBe('SELECT "water level"');
  });

  it('marks the position of an error until the statement changes', async () => {
    await page.tab.goto(`${world.base}${path}&sql=${encodeURIComponent(`SELECT nothing FROM "${id}"`)}`);
    expect(await page.tab.locator('.cm-content .fault').textContent()).toBe('nothing');
    const content = page.tab.locator(EDITOR);
    expect(await content.getAttribute('aria-invalid')).toBe('true');
    const described = (await content.getAttribute('aria-describedby')) as string;
    expect(described.split(' ')).toContain('sql-fault');
    await content.press('Control+End');
    await page.tab.keyboard.type(' ');
    expect(await page.tab.locator('.cm-content .fault').count()).toBe(0);
  });

  it('has the name of its label, lets Tab out, and keeps the statement after "back"', async () => {
    const box = page.tab.getByRole('textbox', { name: 'SQL statement' });
    await box.focus();
    await page.tab.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Run');
    await write('SELECT 1 AS one');
    await page.tab.getByRole('button', { name: 'Run', exact: true }).click();
    await page.tab.locator('.grid td', { hasText: '1' }).waitFor();
    await page.tab.goBack();
    await page.tab.locator(EDITOR).waitFor();
    expect(await page.tab.locator(EDITOR).textContent()).toBe(await text());
  });

  it('loads one additional script from this site, and reports no error', async () => {
    await page.tab.locator(EDITOR).waitFor();
    const html = await get(path);
    const scripts = [...html.matchAll(/src="([^"]+\.js)"/g)].map(([, src]) => src as string);
    expect(scripts.map((src) => src.replace(/-.*$/, ''))).toEqual(['/static/site/site', '/static/site/sql']);
    const code = await get(scripts[1] as string);
    expect(gzipSync(code).length).toBeLessThan(MAX_SCRIPT);
    expect(page.problems).toEqual([]);
  });
});
