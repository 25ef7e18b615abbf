/** Previews in a browser, with and without JavaScript: charts, maps, files, saved views. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
// @ts-expect-error: a script without types
import { ensureChromium } from '../../scripts/chromium.mjs';
import { installNpm } from '../../scripts/npm.mjs';
import { openPage, type Page } from '../helpers/browser.ts';
import type { TestUser } from '../helpers/make.ts';
import { describeWith, INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { createWorld, type World } from '../helpers/world.ts';

const AXE = '4.14.1';
const PASSWORD = 'correct horse';
const TOWNS = ['Kew', 'Bath', 'York', 'Ely <b>', 'Wells'];
const RECORDS = Array.from({ length: 400 }, (_, n) => ({
  town: TOWNS[n % 5],
  lat: 50 + (n % 40) / 10,
  lon: -3 + (n % 37) / 10,
  at: `202${n % 5}-${String((n % 12) + 1).padStart(2, '0')}-01`,
  level: Math.round(100 * Math.abs(Math.sin(n))) / 10,
  wkt: n === 0 ? 'POLYGON ((-3 50, -2 50, -2 51, -3 50))' : null,
}));
const GEOJSON = {
  type: 'FeatureCollection',
  features: [
    {
      type: 'Feature',
      properties: { name: 'A <i>park</i>', ':href': 'https://evil.example' },
      geometry: { type: 'Point', coordinates: [1, 50] },
    },
    {
      type: 'Feature',
      properties: { name: 'A lake' },
      geometry: {
        type: 'Polygon',
        coordinates: [
          [
            [1, 50],
            [2, 50],
            [2, 51],
            [1, 50],
          ],
        ],
      },
    },
    {
      type: 'Feature',
      properties: { name: 'Nowhere', ':href': 'https://evil.example' },
      geometry: { type: 'Point', coordinates: [400, 50] },
    },
  ],
};
/** An image of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const FILES = {
  geojson: ['places.geojson', 'GeoJSON', JSON.stringify(GEOJSON)],
  json: ['tree.json', 'JSON', JSON.stringify({ a: [1, { 'b <u>': null }], c: 'text' })],
  text: ['read.me.txt', 'TXT', `Hello <b>Bath</b>\n${'x'.repeat(60_000)}`],
  image: ['dot.png', 'PNG', PNG],
  bytes: ['bytes.txt', 'TXT', Buffer.from([1, 0, 2, 0, 0, 3])],
} as const;

const chromium = ensureChromium() as string | null;
describeWith('Chromium', chromium !== null, 'previews', () => {
  let world: World;
  let axe: string;
  let editor: TestUser;
  let table: string;
  const paths: Record<string, string> = {};
  const open: Page[] = [];

  beforeAll(async () => {
    world = await createWorld({ 'catalog.site_title': 'Data of Town' });
    await world.datastore();
    const folder = await installNpm({ 'axe-core': AXE });
    axe = readFileSync(join(folder, 'node_modules/axe-core/axe.min.js'), 'utf8');
    const sysadmin = await world.make.sysadmin();
    await world.result('user_create', { name: 'ann', email: 'ann@example.org', password: PASSWORD }, { as: sysadmin });
    editor = await world.make.user({ name: 'bob' });
    const users = ['ann', 'bob'].map((name) => ({ name, capacity: 'editor' }));
    await world.result('organization_create', { name: 'town', title: 'Town', users }, { as: sysadmin });
    const as = editor;
    const { resources } = await world.result(
      'package_create',
      {
        name: 'rivers',
        title: 'Levels of rivers',
        owner_org: 'town',
        resources: [
          { url: 'http://town.example/levels.csv', name: 'Levels', format: 'CSV', description: 'One row a month.' },
          { url: 'http://town.example/about.html', name: 'About', format: 'HTML' },
        ],
      },
      { as },
    );
    table = resources[0].id;
    paths.table = `/dataset/rivers/resource/${table}`;
    paths.page = `/dataset/rivers/resource/${resources[1].id}`;
    const fields = [
      { id: 'town', type: 'text', info: { label: 'Town' } },
      { id: 'lat', type: 'float' },
      { id: 'lon', type: 'float' },
      { id: 'at', type: 'date' },
      { id: 'level', type: 'numeric', info: { label: 'Level (m)', notes: 'Above the gauge' } },
      { id: 'wkt', type: 'text' },
    ];
    await world.result('datastore_create', { resource_id: table, force: true, fields, records: RECORDS }, { as });
    for (const [kind, [name, format, bytes]] of Object.entries(FILES)) {
      const body = new FormData();
      body.append('package_id', 'rivers');
      body.append('name', kind);
      body.append('format', format);
      body.append('upload', new Blob([bytes]), name);
      const { body: answer } = await world.request('/api/3/action/resource_create', {
        method: 'POST',
        headers: { authorization: editor.key },
        body,
      });
      paths[kind] = `/dataset/rivers/resource/${answer.result.id}`;
    }
  }, INSTALL_TIMEOUT);
  afterAll(async () => {
    for (const page of open) await page.close();
    await world?.end();
  });

  const view = async (resource: string, view_type: string, more: object = {}): Promise<string> => {
    const [, id] = /resource\/([^/?]+)/.exec(resource)!;
    const made = await world.database.pool.query(
      `INSERT INTO resource_view (id, resource_id, position, type, title, fields, config)
       VALUES ($1, $2, 9, $3, $4, $5, $6) RETURNING id`,
      [world.id(), id, view_type, view_type, (more as any).fields ?? {}, (more as any).config ?? null],
    );
    return `${resource}/view/${made.rows[0].id}`;
  };
  const get = (path: string) => world.request(path, { redirect: 'manual', headers: { accept: 'text/html' } });
  const browse = async (options: object = {}): Promise<Page> => {
    const page = await openPage(chromium!, world.base, options);
    open.push(page);
    return page;
  };
  const isOwn = (url: string) => url.startsWith(world.base) || /^(data|blob):/.test(url);

  it('draws charts with a table of their numbers', async () => {
    const chart = async (query: string) => {
      const { status, text } = await get(`${paths.table}?as=chart&${query}`);
      expect(status).toBe(200);
      expect(text).not.toContain('Ely <b>');
      const [svg = ''] = /<svg [^>]*role="img".*?<\/svg>/s.exec(text) ?? [];
      expect(svg).not.toMatch(/<style| style=/);
      return { svg, rows: [...text.matchAll(/<tr><th scope="row">(.*?)<\/th><td class="number">(.*?)<\/td>/g)] };
    };
    const bars = await chart('kind=bars&x=town&y=level&figure=MAX');
    expect(bars.svg.match(/<rect/g)).toHaveLength(5);
    expect(bars.svg).toContain('Ely &lt;b&gt;');
    const max = Math.max(...RECORDS.filter(({ town }) => town === 'Kew').map(({ level }) => level));
    expect(bars.rows.map(([, town, value]) => [town, Number(value)])).toContainEqual(['Kew', max]);
    const lines = await chart('kind=lines&x=at&interval=YEAR');
    expect(lines.rows.map(([, year, value]) => [year, value])).toEqual(
      [2020, 2021, 2022, 2023, 2024].map((year) => [`${year}-01-01`, '80']),
    );
    expect(lines.svg).toMatch(/<path d="M[^"]+L/);
    const histogram = await chart('kind=histogram&x=level');
    expect(histogram.rows.reduce((sum, [, , value]) => sum + Number(value), 0)).toBe(RECORDS.length);
    const points = await chart('kind=points&x=lon&y=lat');
    expect(points.svg.match(/<circle/g)).toHaveLength(400);
    const several = await chart('kind=bars&x=town&y=level&y=lat&figure=AVG');
    expect(several.svg.match(/<rect/g)).toHaveLength(10);
    const some = await chart('kind=bars&x=town&column=town&is=eq&value=Kew');
    expect(some.rows.map(([, town, value]) => [town, value])).toEqual([['Kew', '80']]);
    expect((await get(`${paths.table}?as=chart&column=level&is=gt&value=x`)).status).toBe(422);
    const { text } = await get(`${paths.table}?as=chart`);
    expect(text.match(/<script/g)).toHaveLength(1); // the script of all pages
    expect(text.length).toBeLessThan(60_000);
  });

  it('shows charts, grids and maps that were created over the API', async () => {
    const graph = await view(paths.table!, 'recline_graph_view', {
      fields: { graph_type: 'columns', group: 'town', series: ['level'], limit: 20 },
    });
    expect((await get(graph)).text).toMatch(
      /role="img"[^>]*aria-label="level by Town"|aria-label="level by Town"[^>]*role="img"/,
    );
    const grid = await view(paths.table!, 'recline_grid_view', {
      fields: { filter_fields: ['town'], filter_values: ['Kew'], limit: 10 },
    });
    const { text } = await get(grid);
    expect(text).toContain('Conditions of this view: town is Kew');
    expect(text.match(/<th scope="row"><a/g)).toHaveLength(10);
    const map = await view(paths.table!, 'recline_map_view', {
      fields: { map_field_type: 'lat_long', latitude_field: 'lat', longitude_field: 'lon' },
    });
    expect((await get(map)).text).toContain('data-places=');
    const unknown = await view(paths.table!, 'hologram_view');
    expect((await get(unknown)).text).toContain('This site cannot show views of the kind hologram_view.');
    expect((await get(await view(paths.json!, 'recline_graph_view'))).text).toContain('not in a table');
  });

  it('shows texts, trees and images, and says that a binary file is not text', async () => {
    const text = (await get(paths.text!)).text;
    expect(text).toContain('Hello &lt;b>Bath&lt;/b>');
    expect(text).toContain('Only the beginning is shown.');
    expect(text.length).toBeLessThan(60_000);
    const tree = (await get(paths.json!)).text;
    expect(tree).toContain('b &lt;u>');
    expect(tree).toContain('list of 2');
    expect((await get(paths.bytes!)).text).toContain('This file is not a text file.');
    const image = (await get(paths.image!)).text;
    expect(image).toMatch(/<img src="\/dataset\/[^"]+\/dot\.png"/);
  });

  it('reads a limited part of a file', async () => {
    const [, id] = /resource\/([^/]+)/.exec(paths.text!)!;
    const read = async (maxBytes: number) => {
      const query = `{ resource(id: "${id}") { file { text(maxBytes: ${maxBytes}) { text isComplete } } } }`;
      const { body } = await world.full(query);
      return body.errors ? body.errors[0].message : body.data.resource.file.text;
    };
    expect(await read(1)).toEqual({ text: 'H', isComplete: false });
    expect(await read(4_194_304)).toMatchObject({ isComplete: true });
    for (const bytes of [0, 4_194_305]) expect(await read(bytes)).toContain('Must be between 1 and 4194304');
    const publicly = await world.graph(`{ resource(id: "${id}") { file { text { text } } } }`);
    expect(publicly.body.errors[0].message).toContain('Cannot query field');
  });

  it('loads content of other sites only after a click', async () => {
    const first = await get(paths.page!);
    expect(first.text).not.toContain('<iframe src');
    expect(first.text).toContain('Nothing was loaded from there.');
    const second = await get(`${paths.page}?load=external`);
    expect(second.text).toMatch(/<iframe src="http:\/\/town\.example\/about\.html"[^>]*sandbox="allow-scripts/);
    expect(second.headers.get('content-security-policy')).toContain('frame-src http://town.example');
    const saved = await get(await view(paths.page!, 'webpage_view', { config: { query: 'load=external' } }));
    expect(saved.text).not.toContain('<iframe src');
    expect(saved.headers.get('content-security-policy')).not.toContain('town.example');
    const pdf = await view(paths.page!, 'pdf_view', { fields: { pdf_url: 'http://town.example/a.pdf' } });
    const link = await get(`${pdf}?load=external`);
    expect(link.text).not.toContain('<iframe src');
    expect(link.text).toContain('href="http://town.example/a.pdf"');
    for (const page_url of ['http://a;b/', 'http://a,b/', 'http://*/']) {
      const split = await get(`${await view(paths.page!, 'webpage_view', { fields: { page_url } })}?load=external`);
      expect([page_url, split.text.includes('<iframe src')]).toEqual([page_url, false]);
      expect(split.headers.get('content-security-policy')).not.toMatch(/http:\/\/(a|\*)/);
    }
    const odd = await view(paths.page!, 'webpage_view', { fields: { page_url: 'javascript:alert(1)' } });
    expect((await get(`${odd}?load=external`)).text).not.toMatch(/src="javascript/);
  });

  it('lists places without JavaScript, and draws them with it', async () => {
    const plain = await browse({ javaScriptEnabled: false });
    await plain.tab.goto(`${world.base}${paths.geojson}`);
    expect(await plain.tab.locator('section[aria-label="Places"] tbody tr').allInnerTexts()).toEqual([
      '50.0000, 1.0000\tA <i>park</i>\thttps://evil.example',
      'Area\tA lake\t',
    ]);
    const page = await browse();
    await page.tab.goto(`${world.base}${paths.table}?as=map&column=town&is=eq&value=Kew`);
    await page.until('document.querySelector(".map").dataset.ready || document.querySelector(".map.failed")');
    expect(await page.evaluate('document.querySelector(".map").dataset.ready')).toBe('80');
    expect(page.problems).toEqual([]);
    expect(page.requests.filter((url) => !isOwn(url))).toEqual([]);
    await page.tab.locator('.map canvas').click();
  });

  it('sends places of files without links, and reports the number of omitted places', async () => {
    const { status, text } = await get(`${paths.geojson}/places`);
    expect(status).toBe(200);
    const { features, isCut } = JSON.parse(text);
    expect(features.map(({ properties }: any) => properties)).toEqual([{ name: 'A <i>park</i>' }, { name: 'A lake' }]);
    expect(isCut).toBe(false);
    expect((await get(paths.geojson!)).text).toContain('1 place is not shown.');
  });

  it('applies a saved view despite unrelated parameters, and replaces it for those of previews', async () => {
    const query = 'as=chart&kind=bars&x=town&y=level&figure=SUM&column=town&is=eq&value=Kew';
    const saved = await view(paths.table!, 'recline_view', { config: { query } });
    expect((await get(`${saved}?fbclid=x`)).text).toContain('aria-label="Sum of level by Town"');
    const map = (await get(`${saved}?as=map`)).text;
    expect(map).not.toContain('Conditions: town');
    const [, places = ''] = /data-places="([^"]+)"/.exec(map) ?? [];
    const count = async (path: string) => JSON.parse((await get(path.replaceAll('&amp;', '&'))).text).features.length;
    expect(await count(places)).toBe(400);
    expect(await count(`${saved}/places`)).toBe(80);
    const fixed = await view(paths.table!, 'recline_map_view', {
      fields: {
        ...{ map_field_type: 'lat_long', latitude_field: 'lat', longitude_field: 'lon' },
        ...{ filter_fields: ['town'], filter_values: ['Bath'] },
      },
    });
    const { text } = await get(`${fixed}?q=York`);
    expect(text).toContain('Conditions: town is Bath');
    expect(text).toContain('Records with the words “York”.');
  });

  it('lets editors save a preview as a view, which visitors see', async () => {
    const page = await browse();
    const { tab } = page;
    await tab.goto(`${world.base}/user/login`);
    await tab.getByLabel('Name or e-mail address').fill('ann');
    await tab.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await tab.getByRole('button', { name: 'Log in', exact: true }).click();
    await tab.waitForURL(/\/user\/ann|\/$|\/dashboard/);
    await tab.goto(`${world.base}${paths.table}?as=chart&kind=bars&x=town&y=level&figure=SUM`);
    await tab.getByText('Save as a view').click();
    await tab.getByLabel('Title of the view').fill('   ');
    await tab.getByRole('button', { name: 'Save', exact: true }).click();
    expect(await tab.getByText('Missing value').count()).toBe(1);
    expect(await tab.getByRole('img', { name: 'Sum of level by Town' }).count()).toBe(1);
    await tab.getByLabel('Title of the view').fill('Sum by town');
    const sent = await page.evaluate(`(async (form) => {
      const body = new URLSearchParams(new FormData(form));
      return (await fetch(form.action, { method: 'POST', body })).url;
    })(document.querySelector('details.save form'))`);
    expect(sent).toContain('/view/');
    await tab.getByRole('button', { name: 'Save', exact: true }).click();
    await tab.waitForURL(/\/view\//);
    expect(tab.url()).toBe(sent); // a second click does not create a second view
    const visitor = await get(new URL(tab.url()).pathname);
    expect(visitor.text).toContain('aria-label="Sum of level by Town"');
    expect((await get(`${paths.table}?as=chart&kind=bars&x=town`)).text).not.toContain('Save as a view');
    const refused = await world.request(`${paths.table}/view`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: world.base },
      body: 'title=x&query=as%3Dchart',
    });
    expect(refused.status).toBeGreaterThanOrEqual(400);
  });

  const shown = () => ({
    table: paths.table!,
    conditions: `${paths.table}?column=level&is=gte&value=5&sort=level+desc`,
    chart: `${paths.table}?as=chart`,
    bars: `${paths.table}?as=chart&kind=bars&x=town&y=level&y=lat&figure=AVG`,
    map: `${paths.table}?as=map`,
    sql: `${paths.table}?as=sql&sql=SELECT+town,+level%0AFROM+nothing`,
    record: `${paths.table}/record/1`,
    embed: `${paths.table}/embed?as=chart`,
    geojson: paths.geojson!,
    json: paths.json!,
    text: paths.text!,
    image: paths.image!,
    page: paths.page!,
  });

  it.each(['light', 'dark'] as const)(
    'has no accessibility violation in the %s scheme, and fits phones and wide screens',
    async (colorScheme) => {
      const page = await browse({ colorScheme, bypassCSP: true });
      const folder = process.env.PICTURES;
      if (folder) mkdirSync(folder, { recursive: true });
      for (const [name, path] of Object.entries(shown())) {
        for (const width of [1440, 390]) {
          await page.tab.setViewportSize({ width, height: 900 });
          await page.tab.goto(world.base + path);
          if (name === 'map' || name === 'geojson') await page.until('document.querySelector(".map").dataset.ready');
          expect([name, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([name, width]);
          if (folder)
            await page.tab.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png`, fullPage: true });
        }
        await page.tab.evaluate(axe);
        const { violations } = await page.evaluate('axe.run(document, { resultTypes: ["violations"] })');
        const found = violations.flatMap(({ id, nodes }: { id: string; nodes: { html: string }[] }) =>
          nodes.map(({ html }) => `${name} ${id}: ${html.slice(0, 200)}`),
        );
        expect(found).toEqual([]);
      }
    },
  );

  it('sends scripts with maps only, and small pages', async () => {
    for (const [name, path] of Object.entries(shown())) {
      const { text } = await get(path);
      expect([name, text.includes('<script src'), text.length < 60_000]).toEqual([
        name,
        name === 'map' || name === 'geojson',
        true,
      ]);
    }
    const { text } = await get(shown().map);
    const scripts = [...text.matchAll(/<script src="([^"]+)"/g)].map(([, path]) => path!);
    const own = await world.request(scripts.at(-1)!);
    expect(gzipSync(own.text).length).toBeLessThan(4_000);
    expect((await world.request(scripts[0]!)).headers.get('cache-control')).toContain('immutable');
  });
});
