/** Dashboards in a browser: on every screen, with data and without, with and without JavaScript. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse, validate } from 'graphql';
import { textOf } from '../../facades/web/site/dashboards/calls.ts';
import { CHARTS, DASHBOARDS } from '../../facades/web/site/dashboards/charts.ts';
// @ts-expect-error: a script without types
import { ensureChromium } from '../../scripts/chromium.mjs';
import { installNpm } from '../../scripts/npm.mjs';
import { publicSchema } from '../../src/graph/schema.ts';
import { enqueue } from '../../src/jobs/queue.service.ts';
import { projectRoot } from '../../src/kernel/root.ts';
import { openPage, type Page } from '../helpers/browser.ts';
import type { TestUser } from '../helpers/make.ts';
import { describeWith, INSTALL_TIMEOUT, isThere } from '../helpers/runtime.ts';
import { createSampleWorld } from '../helpers/sample.ts';
import { createWorld, type World } from '../helpers/world.ts';

const AXE = '4.14.1';
const PICTURES = join(projectRoot, '.cache/pictures');
const IDS = Object.keys(DASHBOARDS) as (keyof typeof DASHBOARDS)[];
const PUBLIC = IDS.filter((id) => !DASHBOARDS[id]!.isPrivate);

let world: World;
let empty: World;
const admins = new Map<World, TestUser>();
beforeAll(async () => {
  world = await createSampleWorld();
  empty = await createWorld({ 'catalog.site_title': 'Empty town' });
  for (const it of [world, empty]) {
    await it.datastore();
    admins.set(it, await it.make.sysadmin());
  }
  await fillOperations();
}, 600_000);
afterAll(async () => {
  await world?.end();
  await empty?.end();
});

/** Jobs, a harvest, a webhook with a dead letter, a table, and requests. */
async function fillOperations() {
  const call = world.app.callAs(world.system);
  const as = admins.get(world)!;
  const { rows } = await world.database.pool.query('SELECT id, dataset_id AS "datasetId" FROM resource LIMIT 3');
  for (const { id, datasetId } of rows)
    await enqueue(call, { kind: 'load', subjectType: 'resource', subjectId: id, datasetId });
  const error = 'Line 3: 4 values, but 2 columns';
  await call.db.job.updateMany({ data: { state: 'failed', error, finishedAt: new Date() } });
  await enqueue(call, { kind: 'harvest', subjectType: 'harvest_source', subjectId: 'source-1' });
  const records = [{ station: 'Kew', level: 1 }];
  await world.result('datastore_create', { resource_id: rows[0].id, force: true, records }, { as });
  const source = `mutation { createHarvestSource(input: { name: "town", url: "https://town.example", kind: CKAN }) { errors { message } } }`;
  const webhook = `mutation { createWebhook(input: { url: "https://hooks.example/in", name: "Mirror" }) { errors { message } } }`;
  for (const text of [source, webhook]) await world.graph(text, {}, { as });
  while ((await world.app.score()) > 0);
  const recording = world.app.startRecording();
  await get('/dataset');
  await get('/nothing');
  await recording.wake();
  await recording.stop();
}

const get = (path: string, as: TestUser | null = null, headers: Record<string, string> = {}) =>
  world.request(path, {
    redirect: 'manual',
    headers: { accept: 'text/html', ...(as && { authorization: as.key }), ...headers },
  });

describe('the list of charts', () => {
  it('has operations of the public graph, and every id once', () => {
    for (const { document } of CHARTS) expect(validate(publicSchema, parse(textOf(document)))).toEqual([]);
    const ids = CHARTS.map(({ dashboard, id }) => `${dashboard}/${id}`);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { dashboard } of CHARTS) expect(IDS).toContain(dashboard);
  });
});

describe('addresses', () => {
  it('lead from /dashboards to the first dashboard', async () => {
    const { status, headers } = await get('/dashboards');
    expect([status, headers.get('location')]).toEqual([303, '/dashboards/catalog']);
    expect((await get('/')).text).toContain('<a href="/dashboards">Dashboards</a>');
  });

  it.each([
    '/dashboards/nothing',
    '/dashboards/constructor',
    '/dashboards/catalog/nothing.csv',
    '/dashboards/catalog/growth',
    '/dashboards/catalog/growth.png',
    '/dashboards/catalog/totals.svg',
    '/dashboards/catalog/totals.csv?organization=x',
  ])('answer 404 at %s', async (path) => expect((await get(path)).status).toBe(404));

  it.each([
    ['from=yesterday', 'Must be a day'],
    ['from=2026-02-31', 'Must be a day'],
    ['from=2026-02-03&to=2026-02-02', 'Must not be after the end'],
    ['from=2000-01-01&interval=day', 'At most 100 periods'],
    ['interval=decade', 'Must be day, week, month or year'],
    [`organization=${'x'.repeat(201)}`, 'At most 200 characters'],
  ])('report the error in ?%s', async (query, fault) => {
    const page = await get(`/dashboards/catalog?${query}`);
    expect([page.status, page.text.includes(fault)]).toEqual([422, true]);
    expect((await get(`/dashboards/catalog/growth.csv?${query}`)).status).toBe(422);
  });

  it.each(['from=2018-03-01&to=2026-05-31&interval=month', 'organization=nobody', 'from=a&from=2020-01-01&x=y'])(
    'accept ?%s',
    async (query) => {
      const { status } = await get(`/dashboards/catalog?${query}`);
      expect(status).toBe(query.startsWith('from=a') ? 422 : 200);
    },
  );

  it.each(PUBLIC)('cache %s for visitors only', async (id) => {
    const visitor = await get(`/dashboards/${id}`);
    expect(visitor.headers.get('cache-control')).toMatch(/^public/);
    const again = await get(`/dashboards/${id}`, null, { 'if-none-match': visitor.headers.get('etag')! });
    expect(again.status).toBe(304);
    for (const path of [`/dashboards/${id}`, `/dashboards/${id}/${CHARTS.find((it) => it.dashboard === id)!.id}.csv`])
      expect((await get(path, admins.get(world)!)).headers.get('cache-control')).toBe('private, no-store');
  });
});

describe('private dashboards', () => {
  it.each(IDS.filter((id) => DASHBOARDS[id]!.isPrivate))('%s is for system administrators', async (id) => {
    const member = await world.make.user();
    for (const { id: chart } of [{ id: '' }, ...CHARTS.filter(({ dashboard }) => dashboard === id)]) {
      const path = `/dashboards/${id}${chart && `/${chart}.csv`}`;
      const login = await get(path);
      expect([path, login.status, login.headers.get('location')]).toEqual([
        ...[path, 303],
        `/user/login?notice=needed&came_from=${encodeURIComponent(path)}`,
      ]);
      expect([path, (await get(path, member)).status]).toEqual([path, 403]);
      expect([path, (await get(path, admins.get(world)!)).status]).toEqual([path, 200]);
    }
    for (const { dashboard, id: chart } of CHARTS.filter(({ isPrivate }) => isPrivate)) {
      const file = `/dashboards/${dashboard}/${chart}.csv`;
      const statuses = [await get(file), await get(file, member), await get(file, admins.get(world)!)];
      expect([file, statuses.map(({ status }) => status)]).toEqual([file, [404, 404, 200]]);
    }
    expect((await get('/dashboards/catalog', member)).text).not.toContain(`/dashboards/${id}`);
    expect((await get('/dashboards/catalog', admins.get(world)!)).text).toContain(`href="/dashboards/${id}"`);
  });
});

describe('files', () => {
  it('include pictures that need no style sheet', async () => {
    for (const { id } of CHARTS.filter(({ dashboard, shape }) => dashboard === 'catalog' && shape !== 'tiles')) {
      const { status, headers, text } = await get(`/de/dashboards/catalog/${id}.svg`);
      expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml;charset=utf-8']);
      expect(text).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<svg xmlns=/);
      expect(text).not.toMatch(/ style=| class="(?:line|area)|<script|var\(/);
    }
    expect((await get('/de/dashboards/catalog/growth.svg')).text).toContain('Wachstum');
  });
});

/** Dashboards with each state of the browser. */
const SCREENS = IDS.flatMap((id) =>
  [390, 1440].flatMap((width) =>
    (['light', 'dark'] as const).flatMap((scheme) =>
      ['data', 'empty'].map((state) => [id, width, scheme, state] as const),
    ),
  ),
);

const chromium: string | null = ensureChromium();
describeWith('chromium', chromium !== null, 'in a browser', () => {
  let axe: string;
  const pages = new Map<string, Page>();
  beforeAll(async () => {
    const folder = await installNpm({ 'axe-core': AXE });
    axe = readFileSync(join(folder, 'node_modules/axe-core/axe.min.js'), 'utf8');
    mkdirSync(PICTURES, { recursive: true });
  }, INSTALL_TIMEOUT);
  afterAll(async () => {
    for (const page of pages.values()) await page.close();
  });

  async function pageOf(at: World, id: string): Promise<Page> {
    const isPrivate = DASHBOARDS[id as keyof typeof DASHBOARDS]!.isPrivate ?? false;
    const key = `${at === world} ${isPrivate}`;
    const headers = isPrivate ? { extraHTTPHeaders: { authorization: admins.get(at)!.key } } : {};
    const page = pages.get(key) ?? (await openPage(chromium!, `${at.base}/about`, { bypassCSP: true, ...headers }));
    pages.set(key, page);
    return page;
  }

  it.each(SCREENS)('%s, %i pixels, %s, %s', async (id, width, colorScheme, state) => {
    const at = state === 'data' ? world : empty;
    const page = await pageOf(at, id);
    await page.tab.setViewportSize({ width, height: 900 });
    await page.tab.emulateMedia({ colorScheme });
    const answer = await page.tab.goto(`${at.base}/dashboards/${id}`);
    expect(answer!.status()).toBe(200);
    const picture = join(PICTURES, `dashboard-${id}-${state}-${width}-${colorScheme}.png`);
    writeFileSync(picture, await page.tab.screenshot({ fullPage: true }));
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    await page.evaluate("document.querySelectorAll('.chart details').forEach((it) => (it.open = true))");
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    await page.tab.evaluate(axe);
    const { violations } = await page.evaluate('axe.run(document, { resultTypes: ["violations"] })');
    expect(violations.map(({ id, nodes }: any) => [id, nodes[0].html, nodes[0].failureSummary])).toEqual([]);
    expect(page.problems).toEqual([]);
  });

  it.each(IDS)('%s fits in other languages', async (id) => {
    const page = await pageOf(world, id);
    for (const language of ['de', 'fr', 'ja'])
      for (const width of [390, 1200, 1440]) {
        await page.tab.setViewportSize({ width, height: 900 });
        await page.tab.goto(`${world.base}/${language}/dashboards/${id}`);
        expect([language, width, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([
          language,
          width,
          width,
        ]);
      }
  });

  it.each(IDS)('tables of %s equal their charts', async (id) => {
    const page = await pageOf(world, id);
    await page.tab.goto(`${world.base}/dashboards/${id}`);
    const charts = await page.evaluate(`[...document.querySelectorAll('figure.chart')].map((chart) => ({
      id: chart.id,
      rows: [...chart.querySelectorAll('tbody tr')].map((row) => [...row.querySelectorAll('th, td')].map((it) => it.textContent.trim())),
      bars: [...chart.querySelectorAll('.bars rect')].map((it) => Number(it.getAttribute('width'))),
      spots: [...chart.querySelectorAll('.spot title')].map((it) => it.textContent),
    }))`);
    expect(charts.length).toBeGreaterThan(0);
    for (const { id: chart, rows, bars, spots } of charts) {
      if (spots.length > 0)
        expect([chart, spots.map((text: string) => text.split('\n').map((line) => line.replace(/^.*: /, '')))]).toEqual(
          [chart, rows],
        );
      const numbers = rows.map((row: string[]) => Number(row[1]?.replaceAll(',', '')));
      const isOfPoints = id === 'quality' && ['chart-worst', 'chart-organizations'].includes(chart);
      const max = isOfPoints ? 405 : Math.max(1, ...numbers);
      if (bars.length > 0 && numbers.every(Number.isFinite))
        // sizes are rounded
        expect([chart, bars]).toEqual([chart, numbers.map((value: number) => Math.round((1000 * value) / max) / 10)]);
    }
  });

  it('applies filters and follows links of figures without JavaScript', async () => {
    const page = await openPage(chromium!, `${world.base}/dashboards/catalog`, { javaScriptEnabled: false });
    const { tab } = page;
    await tab.locator('select[name=organization]').selectOption({ index: 1 });
    await tab.locator('input[name=from]').fill('2019-01-01');
    await tab.locator('select[name=interval]').selectOption('year');
    await tab.getByRole('button', { name: 'Apply' }).click();
    const { searchParams } = new URL(tab.url());
    expect([searchParams.get('from'), searchParams.get('interval')]).toEqual(['2019-01-01', 'year']);
    const row = tab.locator('#chart-formats tbody tr').first();
    const value = Number((await row.locator('td').first().textContent())!.replaceAll(',', ''));
    await row.locator('a').click();
    await tab.waitForURL(/\/dataset\?/);
    expect(new URL(tab.url()).searchParams.get('organization')).toBe(searchParams.get('organization'));
    expect(await tab.locator('.count').first().textContent()).toMatch(new RegExp(`^\\s*${value} datasets?`));
    await tab.goBack();
    await tab.locator('#chart-growth details.data summary').click();
    expect(await tab.locator('#chart-growth table').isVisible()).toBe(true);
    expect(page.problems).toEqual([]);
    await page.close();
  });

  it('refreshes charts when the catalog changes, and leaves open sections open', async () => {
    const page = await openPage(chromium!, `${world.base}/dashboards/catalog`);
    await page.tab.locator('#chart-growth details.data summary').click();
    const total = () => page.tab.locator('#chart-totals dd').first().textContent();
    const before = Number((await total())!.replaceAll(',', ''));
    await world.make.dataset({ name: 'made-meanwhile', title: 'Made meanwhile' });
    await page.until(`document.querySelector('#chart-totals dd').textContent.replaceAll(',', '') === '${before + 1}'`);
    expect(await page.evaluate("document.querySelector('#chart-growth details.data').open")).toBe(true);
    const refreshes = () => page.requests.filter((url) => new URL(url).pathname === '/dashboards/catalog').length;
    const count = refreshes();
    for (const name of ['one', 'two', 'three']) await world.make.dataset({ name, title: name });
    await page.tab.waitForTimeout(2_000);
    expect(refreshes()).toBe(count); // not again within ten seconds
    expect(page.problems).toEqual([]);
    await page.close();
  });

  it('saves a picture as PNG', async () => {
    const page = await openPage(chromium!, `${world.base}/dashboards/catalog`, { acceptDownloads: true });
    const downloading = page.tab.waitForEvent('download');
    await page.tab.getByRole('button', { name: 'PNG: Growth' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('catalog-growth.png');
    const png = readFileSync(await download.path());
    writeFileSync(join(PICTURES, 'dashboard-growth.png'), png);
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1600, 856]);
    await page.tab.goto(`${world.base}/dashboards/catalog/growth.svg`);
    writeFileSync(join(PICTURES, 'dashboard-growth-svg.png'), await page.picture());
    await page.tab.goto(`${world.base}/dashboards/catalog/organizations.svg`);
    writeFileSync(join(PICTURES, 'dashboard-organizations-svg.png'), await page.picture());
    expect(page.problems).toEqual([]);
    await page.close();
  });

  it('opens the operation in GraphiQL', async () => {
    const page = await openPage(chromium!, `${world.base}/de/dashboards/catalog`);
    await page.tab
      .locator('#chart-formats')
      .getByRole('link', { name: /GraphiQL/ })
      .click();
    await page.until("document.querySelector('.graphiql-query-editor')?.innerText.includes('ChartFacet')");
    await page.tab.getByRole('button', { name: /Execute query/ }).click();
    await page.until("document.querySelector('.graphiql-response').innerText.includes('displayName')");
    expect(page.problems).toEqual([]);
    await page.close();
  });

  it('shows the operation as a working curl command', async () => {
    const page = await openPage(chromium!, `${world.base}/dashboards/catalog`);
    const calls: string[] = await page.evaluate(
      "[...document.querySelectorAll('.uses pre code')].map((it) => it.textContent)",
    );
    expect(calls).toHaveLength(CHARTS.filter(({ dashboard }) => dashboard === 'catalog').length);
    if (isThere('curl'))
      for (const call of calls) {
        const { stdout } = await promisify(execFile)('sh', ['-c', call.replace('http://catalog.test', world.base)]);
        expect(Object.keys(JSON.parse(stdout))).toEqual(expect.arrayContaining(['data']));
        expect(JSON.parse(stdout).errors).toBeUndefined();
      }
    await page.close();
  });
});
