#!/usr/bin/env node
/**
 * `npm run shots -- [FOLDER] [NAME …] [--height PIXELS]`: fills a catalog in a temporary folder with the demo, and takes screenshots of its pages at two widths, in
 * light and dark. Default folder: .cache/shots. With names, only pages whose names begin so.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { ADMIN, requireChromium, withDemoSite } from './demo-site.mjs';

const SIZES = { phone: { width: 390, height: 844 }, wide: { width: 1440, height: 900 } };
const SCHEMES = ['light', 'dark'];

/** Pages by name. `as`: the administrator's, after signing in. `table`, `file`: the first resources of the dataset. */
const PAGES = {
  home: '/',
  search: '/dataset',
  'search-found': '/dataset?q=time+place&groups=places&res_format=CSV',
  'search-nothing': '/dataset?q=unicorns&tags=geography',
  'search-fault': '/dataset?q=title:(',
  dataset: '/dataset/carbon-dioxide',
  'dataset-many': '/dataset/time-zones',
  'dataset-japanese': '/dataset/japan-prefectures',
  table: { dataset: 'time-zones', resource: 0 },
  chart: { dataset: 'carbon-dioxide', resource: 0 },
  map: { dataset: 'great-earthquakes', resource: 0 },
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
  about: '/about',
  login: '/user/login',
  register: '/user/register',
  'not-found': '/nothing',
  profile: { path: '/user/admin', as: true },
  'edit-dataset': { path: '/dataset/edit/carbon-dioxide', as: true },
  'edit-resources': { path: '/dataset/resources/time-zones', as: true },
  dashboard: { path: '/dashboard', as: true },
  jobs: { path: '/ckan-admin/jobs', as: true },
};

const { values, positionals } = parseArgs({ allowPositionals: true, options: { height: { type: 'string' } } });
const [folder = '.cache/shots', ...names] = positionals;
/** Maximum height of a picture. */
const maxHeight = Number(values.height ?? 3000);
const isWanted = (name) => names.length === 0 || names.some((start) => name.startsWith(start));
const executablePath = requireChromium();
const out = resolve(folder);
mkdirSync(out, { recursive: true });
await withDemoSite(async ({ base, fill, pathOf }) => {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  if (isWanted('home-empty')) await shoot(browser, base, { 'home-empty': { path: '/', as: true } });
  await fill();
  const wanted = {};
  for (const [name, page] of Object.entries(PAGES))
    if (isWanted(name))
      wanted[name] = page.dataset
        ? { path: await pathOf(page.dataset, page.resource) }
        : page.path
          ? page
          : { path: page };
  console.log(`${await shoot(browser, base, wanted)} pictures are in ${out}`);
  await browser.close();
});
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
