/** The forms of a dataset in a browser without JavaScript, from its creation to its restoration. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
// @ts-expect-error: a script without types
import { ensureChromium } from '../../scripts/chromium.mjs';
import { projectRoot } from '../../src/kernel/root.ts';
import { openPage, type Page } from '../helpers/browser.ts';
import { describeWith } from '../helpers/runtime.ts';
import { createWorld, type World } from '../helpers/world.ts';

const chromium: string | null = ensureChromium();
const PICTURES = join(projectRoot, '.cache/pictures');

describeWith('chromium', chromium !== null, 'in a browser, without JavaScript', () => {
  let world: World;
  let page: Page;
  beforeAll(async () => {
    world = await createWorld({ 'catalog.site_title': 'Data of Town', 'catalog.auth.create_unowned_dataset': false });
    const as = await world.make.sysadmin();
    const person = { name: 'ann', email: 'ann@example.org', password: 'correct horse' };
    const { id } = await world.result('user_create', person, { as });
    await world.make.organization({ name: 'town', title: 'Town', members: { [id]: 'editor' } });
    page = await openPage(chromium!, `${world.base}/dataset/new`, { javaScriptEnabled: false });
    page.tab.setDefaultTimeout(15_000);
    mkdirSync(PICTURES, { recursive: true });
  });
  afterAll(async () => {
    await page?.close();
    await world?.end();
  });

  const path = () => new URL(page.tab.url()).pathname;
  const press = (name: string) => page.tab.getByRole('button', { name, exact: true }).click();
  const follow = (name: string) => page.tab.getByRole('link', { name, exact: true }).click();
  const fill = async (fields: Record<string, string>) => {
    for (const [label, text] of Object.entries(fields)) await page.tab.getByLabel(label, { exact: true }).fill(text);
  };
  const valueIn = (label: string) => page.tab.getByLabel(label, { exact: true }).inputValue();
  const stored = async (name: string) =>
    (
      await world.graph(
        `{ dataset(name: "${name}") { title notes version state tags { name } resources { name url format } } }`,
      )
    ).body.data.dataset;
  async function pictures(name: string) {
    for (const width of [390, 1440]) {
      await page.tab.setViewportSize({ width, height: 800 });
      writeFileSync(join(PICTURES, `edit-${name}-${width}.png`), await page.tab.screenshot({ fullPage: true }));
    }
  }
  const logIn = async () => {
    await fill({ 'Name or e-mail address': 'ann', Password: 'correct horse' });
    await press('Log in');
  };

  it('leads to the form through the login', async () => {
    expect(path()).toBe('/user/login');
    await logIn();
    expect(path()).toBe('/dataset/new');
    expect(await valueIn('Organization')).toBe('town');
    await pictures('new');
  });

  it('shows all errors at once beside their fields, and preserves the input', async () => {
    await fill({
      'Name in the URL': 'No Name!',
      Description: '\nLine <1>\nLine 2',
      Tags: 'levels, b/d',
      Version: 'x'.repeat(101),
      'Name of custom field 1': 'area',
      'Value of custom field 1': 'Kew & more',
    });
    await press('Publish');
    const marked = await page.tab
      .locator('[aria-invalid=true]')
      .evaluateAll((all) => all.map((it) => it.getAttribute('name')));
    expect(marked).toEqual(['name', 'tags', 'label']);
    expect(await valueIn('Description')).toBe('\nLine <1>\nLine 2');
    expect(await valueIn('Value of custom field 1')).toBe('Kew & more');
    await pictures('faults');
  });

  it('derives the name from the title, and creates the dataset as a draft', async () => {
    await fill({ Title: 'Levels of rivers', 'Name in the URL': '', Tags: 'levels, water', Version: '' });
    await press('Save as draft');
    expect(path()).toBe('/dataset/levels-of-rivers');
    expect((await world.result('package_list')).length).toBe(0);
    await pictures('draft');
  });

  it('adds two files and a link', async () => {
    await follow('Add resources');
    await page.tab.getByLabel('Files', { exact: true }).setInputFiles([
      { name: 'levels.csv', mimeType: 'text/csv', buffer: Buffer.from('station,level\nKew,1\n') },
      { name: 'about.txt', mimeType: 'text/plain', buffer: Buffer.from('About') },
    ]);
    await fill({ Link: 'http://town.example/map.geojson' });
    await pictures('resources-new');
    await press('Add');
    expect(path()).toBe('/dataset/resources/levels-of-rivers');
    await pictures('resources');
    expect(await page.tab.locator('.card h2').allTextContents()).toEqual([
      'levels.csv',
      'about.txt',
      'http://town.example/map.geojson',
    ]);
  });

  it('reorders, changes and deletes resources', async () => {
    await press('Move up: about.txt');
    expect(await page.tab.locator('.card h2').first().textContent()).toBe('about.txt');
    await follow('Edit levels.csv');
    await fill({ Name: 'Levels', Format: 'CSV' });
    await pictures('resource-edit');
    await press('Save');
    await follow('Delete about.txt');
    await pictures('resource-delete');
    await press('Delete');
    expect(await page.tab.locator('.card h2').allTextContents()).toEqual(['Levels', 'http://town.example/map.geojson']);
  });

  it('publishes it, and the search finds it', async () => {
    await follow('Back to the dataset');
    await follow('Edit');
    await press('Publish');
    await page.tab.goto(`${world.base}/dataset?q=rivers`);
    await follow('Levels of rivers');
    expect((await stored('levels-of-rivers')).resources).toMatchObject([
      { name: 'Levels', format: 'CSV', url: expect.stringMatching(/levels\.csv$/) },
      { name: null, format: 'GeoJSON' },
    ]);
  });

  it('shows both versions of a conflict, and saves the chosen values', async () => {
    await follow('Edit');
    const { tab } = page;
    const storageState = await tab.context().storageState();
    const window = await tab.context().browser()!.newContext({ storageState, javaScriptEnabled: false });
    const other = await window.newPage();
    await other.goto(tab.url());
    await other.getByLabel('Title', { exact: true }).fill('Levels of all rivers');
    await other.getByLabel('Description').fill('Theirs');
    await other.getByRole('button', { name: 'Save' }).click();
    await other.waitForURL(/\/dataset\/levels-of-rivers$/);
    await window.close();
    await fill({ Description: 'Mine', Tags: 'levels' });
    await press('Save');
    expect(await tab.locator('legend').allTextContents()).toEqual(['Title', 'Description', 'Tags']);
    const chosen = await tab.locator('input:checked').evaluateAll((all) => all.map((it) => it.getAttribute('value')));
    expect(chosen).toEqual(['theirs', 'mine', 'mine']);
    await pictures('conflict');
    await tab.locator('input[name=choice-notes][value=theirs]').check();
    await press('Save');
    expect(path()).toBe('/dataset/levels-of-rivers');
    expect(await stored('levels-of-rivers')).toMatchObject({
      title: 'Levels of all rivers',
      notes: 'Theirs',
      tags: [{ name: 'levels' }],
    });
  });

  it('preserves the input when the session has ended, and saves it only after a new login', async () => {
    await follow('Edit');
    const context = page.tab.context();
    await fill({ Title: 'After lunch' });
    await context.clearCookies();
    await press('Save');
    expect(await page.tab.getByRole('alert').textContent()).toMatch(/^Your session has ended/);
    expect(await valueIn('Title')).toBe('After lunch');
    await pictures('lost');
    const [login] = await Promise.all([context.waitForEvent('page'), follow('Sign in again (opens in a new tab)')]);
    await login.getByLabel('Name or e-mail address').fill('ann');
    await login.getByLabel('Password').fill('correct horse');
    await login.getByRole('button', { name: 'Log in' }).click();
    await login.waitForURL((url) => url.pathname !== '/user/login'); // a tab that is closed while it loads may never close
    await login.close();
    expect((await stored('levels-of-rivers')).title).toBe('Levels of all rivers');
    await press('Save'); // the form has the token of the visitor, who has signed in since
    expect(await page.tab.getByRole('alert').textContent()).toMatch(/^You have signed in again/);
    await press('Save');
    expect(path()).toBe('/dataset/levels-of-rivers');
    expect((await stored('levels-of-rivers')).title).toBe('After lunch');
  });

  it('deletes and restores it', async () => {
    await follow('Delete');
    await pictures('delete');
    await press('Delete');
    expect(path()).toBe('/dataset');
    await page.tab.goto(`${world.base}/dataset/levels-of-rivers`);
    await pictures('deleted');
    await press('Restore');
    expect((await stored('levels-of-rivers')).state).toBe('ACTIVE');
  });

  it('reports no error of a script or a policy', () => {
    expect(page.problems.filter((text) => !/status of (401|409|422)/.test(text))).toEqual([]);
  });
});
