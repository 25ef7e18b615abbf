/** One user's path through the whole portal, in a browser with and without JavaScript: from registration to sign-out. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
// @ts-expect-error: a script without types
import { ensureChromium } from '../../scripts/chromium.mjs';
import { projectRoot } from '../../src/kernel/root.ts';
import { openAccount, openPage, type Page } from '../helpers/browser.ts';
import { createMailbox, type Mailbox } from '../helpers/mail.ts';
import type { TestUser } from '../helpers/make.ts';
import { describeWith } from '../helpers/runtime.ts';
import { createWorld, type World } from '../helpers/world.ts';

const chromium: string | null = ensureChromium();
const PICTURES = join(projectRoot, '.cache/pictures');
const PASSWORD = 'correct horse';
const LEVELS = ['station,lat,lon,level', 'Kew,51.48,-0.29,1', 'Bath,51.38,-2.36,2', 'York,53.96,-1.08,4', ''].join(
  '\n',
);
const PLACES = JSON.stringify({
  type: 'FeatureCollection',
  features: [{ type: 'Feature', properties: { name: 'Weir' }, geometry: { type: 'Point', coordinates: [-0.3, 51.5] } }],
});

describeWith('chromium', chromium !== null, 'the way of one person', () => {
  describeWalk('with JavaScript', true);
  describeWalk('without JavaScript', false);
});

function describeWalk(how: string, javaScriptEnabled: boolean): void {
  describeWith('chromium', chromium !== null, how, () => {
    let world: World;
    let mailbox: Mailbox;
    let sysadmin: TestUser;
    let page: Page;
    let worker: { stop(): Promise<unknown> };
    beforeAll(async () => {
      mailbox = await createMailbox();
      world = await createWorld({ ...mailbox.settings, 'catalog.auth.confirm_email': true });
      await world.datastore();
      worker = await world.app.startWorker();
      sysadmin = await world.make.sysadmin();
      await world.make.organization({ name: 'town', title: 'Town' });
      page = await openPage(chromium!, `${world.base}/`, { javaScriptEnabled });
      page.tab.setDefaultTimeout(30_000);
      mkdirSync(PICTURES, { recursive: true });
    });
    afterAll(async () => {
      await page?.close();
      await worker?.stop();
      await world?.end();
      await mailbox?.end();
    });

    const path = () => new URL(page.tab.url()).pathname;
    const main = () => page.tab.getByRole('main');
    const press = (name: string) => page.tab.getByRole('button', { name, exact: true }).click();
    const follow = (name: string) => page.tab.getByRole('link', { name, exact: true }).first().click();
    const fill = async (fields: Record<string, string>, tab = page.tab) => {
      for (const [label, text] of Object.entries(fields)) await tab.getByLabel(label, { exact: true }).fill(text);
    };
    const picture = async (name: string) =>
      writeFileSync(join(PICTURES, `walk-${name}.png`), await page.tab.screenshot({ fullPage: true }));
    /** Reloads a path until the page shows a text, since background jobs may still be running. */
    async function openUntil(at: string, text: string) {
      for (const end = Date.now() + 60_000; ; await page.tab.waitForTimeout(500)) {
        await page.tab.goto(world.base + at);
        if ((await main().textContent())?.includes(text)) return;
        if (Date.now() > end) throw new Error(`${at} never showed ${text}:\n${await main().textContent()}`);
      }
    }

    it('registers, and confirms the address by the mailed link', async () => {
      await follow('Register');
      await fill({ Name: 'ann', 'Full name': 'Ann Lee', 'E-mail address': 'ann@example.org' });
      expect(await page.tab.getByLabel('Password', { exact: true }).count()).toBe(0);
      await press('Register');
      expect(await main().textContent()).toContain('We have sent you a link by e-mail.');
      const link = new URL(/https?:\S+key=\S+/.exec((await mailbox.next()).text!)![0]);
      await page.tab.goto(world.base + link.pathname + link.search);
      await fill({ 'New password': PASSWORD, 'New password again': PASSWORD });
      await press('Set the password');
      expect(path()).toBe('/user/login');
    });

    it('signs in, and uses the key of the profile', async () => {
      await fill({ 'Name or e-mail address': 'ann', Password: PASSWORD });
      await press('Log in');
      expect(path()).toBe('/user/ann');
      const authorization = (await page.tab.locator('.key').first().textContent())!;
      const { body } = await world.graph('{ viewer { name } }', {}, { headers: { authorization } });
      expect(body.data.viewer).toEqual({ name: 'ann' });
    });

    it('creates a dataset with two uploads', async () => {
      const member = { id: 'town', username: 'ann', role: 'editor' };
      await world.result('organization_member_create', member, { as: sysadmin });
      await page.tab.goto(`${world.base}/dataset`);
      await openAccount(page.tab);
      await follow('Add dataset');
      await fill({ Title: 'Levels of rivers', Tags: 'levels, water' });
      await press('Publish');
      expect(path()).toBe('/dataset/levels-of-rivers');
      await follow('Add resources');
      await page.tab.getByLabel('Files', { exact: true }).setInputFiles([
        { name: 'levels.csv', mimeType: 'text/csv', buffer: Buffer.from(LEVELS) },
        { name: 'places.geojson', mimeType: 'application/geo+json', buffer: Buffer.from(PLACES) },
      ]);
      await press('Add');
      expect(await page.tab.locator('.card h2').allTextContents()).toEqual(['levels.csv', 'places.geojson']);
    });

    it('finds it by search and facet', async () => {
      await page.tab.goto(`${world.base}/`);
      await page.tab.locator('input[name=q]').first().fill('rivers');
      await page.tab.locator('input[name=q]').first().press('Enter');
      await page.tab.waitForURL(/dataset\?q=rivers/);
      await main()
        .getByRole('link', { name: /^GeoJSON/ })
        .first()
        .click();
      expect(page.tab.url()).toContain('res_format=GeoJSON');
      await follow('Levels of rivers');
      expect(path()).toBe('/dataset/levels-of-rivers');
    });

    it('sees the table, a chart and a map', async () => {
      await follow('levels.csv');
      const at = path();
      await openUntil(at, 'York');
      expect(await main().textContent()).toContain('3 records');
      await page.tab.goto(`${world.base}${at}?as=chart&kind=bars&x=station&y=level&figure=SUM`);
      expect(await page.tab.locator('main svg').first().isVisible()).toBe(true);
      await picture('chart');
      await follow('Map');
      await mapIsShown(3);
      await page.tab.goto(`${world.base}/dataset/levels-of-rivers`);
      await follow('places.geojson');
      await mapIsShown(1);
    });

    async function mapIsShown(places: number) {
      if (javaScriptEnabled) {
        const ready = 'document.querySelector(".map")?.dataset.ready || document.querySelector(".map.failed")';
        await page.until(ready);
        expect(await page.evaluate('document.querySelector(".map").dataset.ready')).toBe(String(places));
      }
      await picture(`map-${places}-${javaScriptEnabled ? 'script' : 'plain'}`);
      expect(await main().textContent()).toContain('Places');
    }

    it('gets a conflict between two windows, and merges both', async () => {
      const { tab } = page;
      await tab.goto(`${world.base}/dataset/edit/levels-of-rivers`);
      const storageState = await tab.context().storageState();
      const window = await tab.context().browser()!.newContext({ storageState, javaScriptEnabled });
      const other = await window.newPage();
      await other.goto(tab.url());
      await fill({ Title: 'Levels of all rivers' }, other);
      await other.getByRole('button', { name: 'Save', exact: true }).click();
      await other.waitForURL(/\/dataset\/levels-of-rivers/);
      await window.close();
      await fill({ Description: 'Every hour.' });
      await press('Save');
      expect(await tab.locator('legend').allTextContents()).toEqual(['Title', 'Description']);
      await press('Save');
      expect(path()).toBe('/dataset/levels-of-rivers');
      const text = await main().textContent();
      expect([text?.includes('Levels of all rivers'), text?.includes('Every hour.')]).toEqual([true, true]);
    });

    it('follows it, and reads its activity', async () => {
      await press('Follow');
      expect(await page.tab.getByRole('button', { name: 'Unfollow', exact: true }).count()).toBe(1);
      const query = '{ dataset(name: "levels-of-rivers") { followerCount } }';
      expect((await world.graph(query)).body.data.dataset.followerCount).toBe(1);
      await page.tab.goto(`${world.base}/dataset/activity/levels-of-rivers`);
      expect(await main().textContent()).toMatch(/Ann Lee created the dataset/);
    });

    it('deletes and restores it, and signs out', async () => {
      await page.tab.goto(`${world.base}/dataset/levels-of-rivers`);
      await follow('Delete');
      await press('Delete');
      await page.tab.goto(`${world.base}/dataset?q=rivers`);
      expect(await page.tab.getByRole('link', { name: 'Levels of all rivers' }).count()).toBe(0);
      await page.tab.goto(`${world.base}/dataset/levels-of-rivers`);
      await press('Restore');
      await page.tab.goto(`${world.base}/dataset?q=rivers`);
      expect(await page.tab.getByRole('link', { name: 'Levels of all rivers' }).count()).toBe(1);
      await openAccount(page.tab);
      await press('Log out');
      expect(path()).toBe('/user/logged-out');
      await page.tab.goto(`${world.base}/dataset/edit/levels-of-rivers`);
      expect(path()).toBe('/user/login');
    });

    it('reports no error of a script or a policy, and requests nothing from other hosts', () => {
      expect(page.problems.filter((text) => !/status of 409/.test(text))).toEqual([]);
      expect(page.requests.filter((url) => !url.startsWith(`${world.base}/`) && !/^(data|blob):/.test(url))).toEqual(
        [],
      );
    });
  });
}
