/** Accessibility of the pages to find, read and edit, by axe-core in a browser. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
// @ts-expect-error: a script without types
import { ensureChromium } from '../../scripts/chromium.mjs';
import { installNpm } from '../../scripts/npm.mjs';
import { openPage, type Page } from '../helpers/browser.ts';
import { describeWith, INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { createWorld, type World } from '../helpers/world.ts';

const VERSION = '4.14.1';
const ID = '8b7cbb0c-6d2b-4fb1-a1c5-0d8a2f0a7a11';
const BROKEN = '8b7cbb0c-6d2b-4fb1-a1c5-0d8a2f0a7a12';
const MOVED = '8b7cbb0c-6d2b-4fb1-a1c5-0d8a2f0a7a13';
const PATHS = [
  '/',
  '/dataset',
  '/dataset?q=levels&tags=levels',
  '/dataset?q=nowhere',
  '/dataset?q=title:(',
  '/dataset/rivers',
  `/dataset/rivers/resource/${ID}`,
  '/dataset/lakes',
  `/dataset/lakes/resource/${BROKEN}`,
  `/dataset/lakes/resource/${MOVED}`,
  '/dataset/activity/rivers',
  '/dataset/rivers/related',
  '/related',
  '/organization',
  '/organization/town',
  '/organization/about/town',
  '/organization/members/town',
  '/organization/activity/town',
  '/group',
  '/group/water',
  '/tag',
  '/user',
  '/user/ann',
  '/user/activity/ann',
  '/stats',
  '/activity',
  '/about',
  '/user/login',
  '/user/register',
  '/user/reset',
  '/nothing',
  '/de',
  '/de/dataset?q=nowhere',
  '/fr/user/login',
  '/ja/dataset/rivers',
  '/ja/stats',
];

/** Pages of a signed-in administrator. */
const FORMS = [
  '/dataset/new',
  '/dataset/edit/rivers',
  '/dataset/delete/rivers',
  '/dataset/resources/rivers',
  '/dataset/rivers/resource/new',
  `/dataset/rivers/resource/${ID}/edit`,
  `/dataset/rivers/resource/${ID}/delete`,
  '/dataset/rivers/related/new',
  `/dataset/rivers/dictionary/${ID}`,
  `/dataset/rivers/resource/${ID}/views`,
  `/dataset/rivers/resource/${ID}/new_view?view_type=recline_view`,
  '/dataset/rivers',
  '/user/ann',
  '/dashboard',
  '/dashboard/datasets',
  '/dashboard/organizations',
  '/dataset/groups/rivers',
  '/organization/new',
  '/organization/edit/town',
  '/organization/delete/town',
  '/organization/members/town',
  '/organization/bulk_process/town',
  '/group/edit/water',
  '/user/edit/ann',
  '/ckan-admin?list=all',
  '/ckan-admin/config',
  '/ckan-admin/trash',
  '/ckan-admin/jobs',
];
const PASSWORD = 'correct horse';

const chromium = ensureChromium() as string | null;
describeWith('Chromium', chromium !== null, 'axe-core finds nothing', () => {
  let world: World;
  let axe: string;
  const pages: Page[] = [];
  const signedIn: Page[] = [];
  beforeAll(async () => {
    world = await createWorld({ 'catalog.site_title': 'Data of Town' });
    await world.datastore();
    const folder = await installNpm({ 'axe-core': VERSION });
    axe = readFileSync(join(folder, 'node_modules/axe-core/axe.min.js'), 'utf8');
    const as = await world.make.sysadmin();
    await world.result(
      'user_create',
      { name: 'ann', email: 'ann@example.org', password: PASSWORD, sysadmin: true },
      { as },
    );
    const users = [{ name: 'ann', capacity: 'editor' }];
    await world.result(
      'organization_create',
      { name: 'town', title: 'Town', description: 'Publishes **levels**.', users },
      { as },
    );
    await world.result('group_create', { name: 'water', title: 'Water', users }, { as });
    const resources = [
      { id: ID, url: 'http://town.example/levels.csv', name: 'Levels', format: 'CSV', description: 'Rows' },
    ];
    const dataset = {
      name: 'rivers',
      title: 'Levels of rivers',
      notes: 'Measured **often**.',
      owner_org: 'town',
      resources,
    };
    const more = {
      tags: [{ name: 'levels' }],
      groups: [{ name: 'water' }],
      license_id: 'cc-by',
      extras: [{ key: 'a', value: 'b' }],
    };
    await world.result('package_create', { ...dataset, ...more }, { as });
    const links = [BROKEN, MOVED].map((id) => ({
      id,
      url: `http://town.example/${id}.csv`,
      name: 'Lakes',
      format: 'CSV',
    }));
    await world.result('package_create', { name: 'lakes', owner_org: 'town', resources: links }, { as });
    await world.result(
      'datastore_create',
      { resource_id: ID, force: true, records: [{ station: 'Kew', level: 1 }] },
      { as },
    );
    const checked = {
      verdict: 'broken',
      reason: 'not_found',
      since: new Date(),
      checkedAt: new Date(),
      nextAt: new Date(),
    };
    await world.database.db.resourceLink.update({
      where: { resourceId: MOVED },
      data: { ...checked, verdict: 'moved', finalUrl: 'http://b' },
    });
    await world.database.db.resourceLink.update({ where: { resourceId: BROKEN }, data: checked });
    await world.app.score();
    for (const colorScheme of ['light', 'dark'] as const) {
      pages.push(await openPage(chromium!, world.base, { colorScheme, bypassCSP: true }));
      const page = await openPage(chromium!, `${world.base}/user/login`, { colorScheme, bypassCSP: true });
      await page.tab.getByLabel('Name or e-mail address').fill('ann');
      await page.tab.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.tab.getByRole('button', { name: 'Log in', exact: true }).click();
      await page.tab.waitForURL(/\/user\/ann|\/$|\/dashboard/);
      signedIn.push(page);
    }
  }, INSTALL_TIMEOUT);
  afterAll(async () => {
    for (const page of [...pages, ...signedIn]) await page.close();
    await world?.end();
  });

  async function check(visitors: readonly Page[], path: string): Promise<void> {
    for (const page of visitors) {
      const answer = await page.tab.goto(world.base + path);
      if (visitors === signedIn) expect(answer!.status()).toBe(200);
      expect(new URL(page.tab.url()).pathname).toBe(path.split('?')[0]);
      await page.tab.evaluate(axe);
      const { violations } = await page.evaluate('axe.run(document, { resultTypes: ["violations"] })');
      const found = violations.flatMap(
        ({ id, nodes }: { id: string; nodes: { html: string; failureSummary: string }[] }) =>
          nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
      );
      expect(found).toEqual([]);
    }
  }

  it.each(PATHS)('on %s, in light and dark', (path) => check(pages, path));
  it.each(FORMS)('on %s of an editor, in light and dark', (path) => check(signedIn, path));
});
