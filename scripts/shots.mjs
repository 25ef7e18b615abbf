#!/usr/bin/env node
/**
 * `npm run shots -- [FOLDER] [NAME …] [--height PIXELS]`: fills a catalog in a temporary folder with the demo, and takes screenshots of its pages at two widths, in
 * light and dark. Default folder: .cache/shots. With names, only pages whose names begin so.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { ADMIN, requireChromium, withDemoSite } from './demo-site.mjs';
import { writeThemeExample } from './theme-example.mjs';

const SIZES = { phone: { width: 390, height: 844 }, wide: { width: 1440, height: 900 } };
const SCHEMES = ['light', 'dark'];

/**
 * Pages by name. `as`: the administrator's, after signing in. `dataset` and `resource`: the page of a resource by its place, with `end` after
 * its path. `revision`: the page of the last revision of a dataset.
 */
const PAGES = {
  home: '/',
  'home-german': '/de',
  'home-japanese': '/ja',
  search: '/dataset',
  'search-german': '/de/dataset?q=karte',
  'search-japanese': '/ja/dataset?q=japan',
  'search-found': '/dataset?q=time+place&groups=places&res_format=CSV',
  'search-nothing': '/dataset?q=unicorns&tags=geography',
  'search-fault': '/dataset?q=title:(',
  dataset: '/dataset/carbon-dioxide',
  'dataset-many': '/dataset/time-zones',
  'dataset-japanese': '/ja/dataset/japan-prefectures',
  'dataset-german': '/de/dataset/great-earthquakes',
  'dataset-editor': { path: '/dataset/great-earthquakes', as: true },
  'links-checked': '/dataset/country-names',
  table: { dataset: 'time-zones', resource: 0 },
  chart: { dataset: 'carbon-dioxide', resource: 0 },
  map: { dataset: 'great-earthquakes', resource: 0 },
  sql: { dataset: 'country-names', resource: 0, end: '?as=sql' },
  file: { dataset: 'time-zones', resource: 1 },
  'table-japanese': { dataset: 'japan-prefectures', resource: 0 },
  organizations: '/organization',
  organization: '/organization/people-office',
  'organization-about': '/organization/about/people-office',
  groups: '/group',
  group: '/group/places',
  tags: '/tag',
  activity: '/activity',
  'dataset-activity': '/dataset/activity/carbon-dioxide',
  statistics: '/stats',
  'dashboards-catalog': '/dashboards/catalog',
  'dashboards-quality': '/dashboards/quality',
  'dashboards-quality-german': '/de/dashboards/quality',
  'dashboards-catalog-japanese': '/ja/dashboards/catalog',
  'dashboards-usage': '/dashboards/usage',
  'dashboards-operations': { path: '/dashboards/operations', as: true },
  about: '/about',
  login: '/user/login',
  register: '/user/register',
  'not-found': '/nothing',
  profile: { path: '/user/admin', as: true },
  'edit-dataset': { path: '/dataset/edit/carbon-dioxide', as: true },
  'edit-resources': { path: '/dataset/resources/time-zones', as: true },
  dashboard: { path: '/dashboard', as: true },
  'edit-dictionary': { dataset: 'time-zones', resource: 0, isDictionary: true, as: true },
  'edit-views': { dataset: 'time-zones', resource: 0, end: '/views', as: true },
  'new-view': { dataset: 'time-zones', resource: 0, end: '/new_view?view_type=recline_graph_view', as: true },
  'new-dataset': { path: '/dataset/new', as: true },
  revision: { revision: 'time-zones' },
  settings: { path: '/ckan-admin/config', as: true },
  trash: { path: '/ckan-admin/trash', as: true },
  jobs: { path: '/ckan-admin/jobs', as: true },
};
/** Pages with the theme of docs/how-to/make-a-theme.md. */
const THEMED = {
  'theme-home': '/',
  'theme-home-german': '/de',
  'theme-search': '/dataset',
  'theme-dataset': '/dataset/carbon-dioxide',
};

const { values, positionals } = parseArgs({ allowPositionals: true, options: { height: { type: 'string' } } });
const [folder = '.cache/shots', ...names] = positionals;
/** Maximum height of a picture. */
const maxHeight = Number(values.height ?? 3000);
const isWanted = (name) => names.length === 0 || names.some((start) => name.startsWith(start));
const theme = mkdtempSync(join(tmpdir(), 'catalog-theme-'));
process.env.CATALOG__THEME = theme;
const executablePath = requireChromium();
const out = resolve(folder);
mkdirSync(out, { recursive: true });
await withDemoSite(async ({ base, fill, fillFindings, pathOf, revisionOf }) => {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  if (isWanted('home-empty')) await shoot(browser, base, { 'home-empty': { path: '/', as: true } });
  await fill();
  await fillFindings();
  const pathTo = async ({ dataset, resource, end = '', isDictionary, revision }) => {
    if (revision) return revisionOf(revision);
    const path = await pathOf(dataset, resource);
    return isDictionary ? path.replace('/resource/', '/dictionary/') : path + end;
  };
  const wanted = {};
  for (const [name, page] of Object.entries(PAGES))
    if (isWanted(name))
      wanted[name] = typeof page === 'string' ? { path: page } : { ...page, path: page.path ?? (await pathTo(page)) };
  let count = await shoot(browser, base, wanted);
  const themed = Object.entries(THEMED).filter(([name]) => isWanted(name));
  if (themed.length > 0) {
    writeThemeExample(theme);
    await setTimeout(2_000); // until the theme is read again
    count += await shoot(browser, base, Object.fromEntries(themed.map(([name, path]) => [name, { path }])));
  }
  console.log(`${count} pictures are in ${out}`);
  await browser.close();
});
rmSync(theme, { recursive: true, force: true });
process.exit();

async function shoot(browser, base, pages) {
  let count = 0;
  for (const [size, viewport] of Object.entries(SIZES))
    for (const colorScheme of SCHEMES) {
      const visitor = await browser.newContext({ viewport, colorScheme });
      const admin = await browser.newContext({ viewport, colorScheme });
      if (Object.values(pages).some(({ as }) => as)) await signIn(await admin.newPage(), base);
      for (const [name, page] of Object.entries(pages)) {
        const tab = await (page.as ? admin : visitor).newPage();
        await tab.goto(base + page.path, { waitUntil: page.path.includes('/resource/') ? 'networkidle' : 'load' });
        const height = Math.min(maxHeight, await tab.evaluate('document.documentElement.scrollHeight'));
        const width = await tab.evaluate('document.documentElement.scrollWidth');
        if (width > viewport.width)
          console.error(`${name} is ${width} px wide at ${viewport.width} px (${colorScheme})`);
        await tab.setViewportSize({ width: viewport.width, height });
        await tab.screenshot({ path: join(out, `${name}-${size}-${colorScheme}.png`) });
        await tab.close();
        count += 1;
      }
      await visitor.close();
      await admin.close();
    }
  return count;
}

async function signIn(tab, base) {
  await tab.goto(`${base}/user/login`);
  await tab.locator('input[name="login"]').fill(ADMIN.name);
  await tab.locator('input[type="password"]').fill(ADMIN.password);
  await Promise.all([tab.waitForNavigation(), tab.locator('main button[type="submit"]').first().click()]);
  await tab.close();
}
