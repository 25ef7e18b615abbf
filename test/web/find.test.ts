/** Pages that find datasets: home, search with facets, organizations, groups, tags, users, and URLs of CKAN. */
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
// @ts-expect-error: a script without types
import { ensureChromium } from '../../scripts/chromium.mjs';
import { openPage } from '../helpers/browser.ts';
import type { TestUser } from '../helpers/make.ts';
import { describeWith } from '../helpers/runtime.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let editor: TestUser;
beforeAll(async () => {
  world = await createWorld({ 'catalog.site_title': 'Data of Town', 'catalog.site_about': 'We **publish** data.' });
  editor = await world.make.user({ name: 'ed' });
  const town = await world.make.organization({
    name: 'town',
    title: 'Town & Country',
    members: { [editor.id]: 'editor' },
  });
  const water = await world.make.group({ name: 'water', title: 'Water' });
  for (let index = 0; index < 25; index++)
    await world.make.dataset({
      name: `river-${index}`,
      title: `Levels of river ${index}`,
      notes: 'Measured **every hour**, see [the map](http://town.example/map).',
      ownerOrganization: town.id,
      groups: [{ id: water.id }],
      tags: [{ name: 'rivers' }, { name: `number ${index}` }],
      licenseId: 'cc-by',
      resources: [{ url: 'http://town.example/levels.csv', format: index % 2 ? 'CSV' : 'GeoJSON' }],
    });
  await world.make.dataset({ name: 'budget', title: 'Budget "2026" \\ draft', tags: [{ name: 'money' }] });
  await world.make.dataset({ name: 'hidden', title: 'Hidden levels', private: true, ownerOrganization: town.id });
});
afterAll(() => world.end());

const get = (path: string, headers: Record<string, string> = {}) =>
  world.request(path, { redirect: 'manual', headers: { accept: 'text/html', ...headers } });
const names = (html: string) => [...html.matchAll(/<h3><a href="\/dataset\/([^"]+)"/g)].map(([, name]) => name);

describe('/dataset', () => {
  it('lists public datasets, 20 on a page', async () => {
    const { status, text } = await get('/dataset');
    expect(status).toBe(200);
    expect(text).toContain('<strong>26 datasets</strong>');
    expect(names(text)).toHaveLength(20);
    expect(names((await get('/dataset?page=2')).text)).toHaveLength(6);
    expect((await get('/dataset?page=9')).text).toContain('Go to the first page');
  });

  it('reports a page of resources that does not exist', async () => {
    const { text } = await get('/dataset/budget?page=9');
    expect(text).toContain('<a href="/dataset/budget">Go to the first page.</a>');
    expect(/<link rel="canonical" href="[^"]*(\/dataset\/[^"]*)"/.exec(text)?.[1]).toBe('/dataset/budget');
    expect((await get('/dataset/budget')).text).not.toContain('Go to the first page');
  });

  it('preserves the language in links with a query, and in links to all values of a facet', async () => {
    expect((await get('/de/dataset')).text).toContain('data-whole="/de/dataset?_tags_limit=0"');
    expect((await get('/de/dataset?q=rss.xml&tags=rivers')).text).toContain('href="/de/dataset?q=rss.xml"');
  });

  it('searches words and marks them', async () => {
    const { text } = await get('/dataset?q=budget');
    expect(names(text)).toEqual(['budget']);
    expect(text).toContain('<mark>Budget</mark>');
  });

  it('combines values of several facets and of one facet', async () => {
    expect((await get('/dataset?tags=rivers&res_format=CSV')).text).toContain('<strong>12 datasets</strong>');
    const { text } = await get('/dataset?tags=rivers&tags=number+3');
    expect(names(text)).toEqual(['river-3']);
    expect(text).toContain('href="/dataset?tags=rivers"'); // removes the other
  });

  it('shows ten values of a facet, and more on request', async () => {
    const { text } = await get('/dataset');
    expect(text).toContain('href="/dataset?_tags_limit=0#filters"');
    expect(text).not.toContain('number 24');
    expect((await get('/dataset?_tags_limit=0')).text).toContain('number 24');
  });

  it('applies the sort order of the URL', async () => {
    expect(names((await get('/dataset?sort=title_string+asc')).text)[0]).toBe('budget');
    expect(names((await get('/dataset?sort=name+desc')).text)[0]).toBe('river-9');
  });

  it.each(['title:(', 'a:[1 TO', 'title:"open', 'x:^'])('shows the error in the query %s with the form', async (q) => {
    const { status, text } = await get(`/dataset?q=${encodeURIComponent(q)}`);
    expect(status).toBe(422);
    expect(text).toContain('role="alert"');
    expect(text).toContain('type="search"');
  });

  it.each([
    'page=-1',
    'page=x&page=2',
    'page=1e99',
    'tags=',
    'foo=bar&ext_bbox=1',
    'tags[a]=b&q[]=c',
    'sort=',
    `q=${'a'.repeat(300)}`,
    'tags=%22%20OR%20name:*%20%22',
    'tags=a%5C',
  ])('answers with a page to ?%s', async (query) => {
    const { status, text } = await get(`/dataset?${query}`);
    expect({ status, text: status === 200 ? '' : text }).toEqual({ status: 200, text: '' });
  });

  it('escapes markup in a query', async () => {
    const { text } = await get(`/dataset?q=${encodeURIComponent('<script>alert(1)</script>')}&tags=%22%3E%3Cimg%3E`);
    expect(text).not.toContain('<script>alert');
    expect(text).not.toContain('"><img>');
  });

  it('finds private datasets for members only', async () => {
    expect(names((await get('/dataset?q=hidden')).text)).toEqual([]);
    const { text } = await get('/dataset?q=hidden', { authorization: editor.key });
    expect(names(text)).toEqual(['hidden']);
    expect(text).toContain('Private');
  });
});

describe.each([
  ['organization', 'town', 'Town &amp; Country'],
  ['group', 'water', 'Water'],
])('/%s', (kind, name, title) => {
  it('lists and searches', async () => {
    const { text } = await get(`/${kind}`);
    expect(text).toContain(`<a href="/${kind}/${name}">${title}</a>`);
    expect(text).toContain('25 datasets');
    expect((await get(`/${kind}?q=${name}`)).text).toContain(`href="/${kind}/${name}"`);
    expect((await get(`/${kind}?q=nothing`)).text).toContain('Nothing matches.');
  });

  it('searches the datasets of one', async () => {
    const { text } = await get(`/${kind}/${name}?q=7`);
    expect(names(text)).toContain('river-7');
    expect(text).not.toContain('budget');
    expect(text).toContain(`/${kind}/${name}?q=7&amp;tags=`);
  });

  it('is not found under the other kind, or when unknown', async () => {
    expect((await get(`/${kind === 'group' ? 'organization' : 'group'}/${name}`)).status).toBe(404);
    expect((await get(`/${kind}/nobody`)).status).toBe(404);
  });
});

it('lists tags and users in pages', async () => {
  expect((await get('/tag?q=money')).text).toContain('<a href="/dataset?tags=money">money</a>');
  expect((await get('/user')).text).toContain('<a href="/user/ed">');
  expect((await get('/tag?after=nonsense')).status).toBe(422);
});

it("shows the operator's texts and style", async () => {
  expect((await get('/about')).text).toContain('We <strong>publish</strong> data.');
  const style = async () => /href="(\/static\/site\/custom\/[^"]+)"/.exec((await get('/')).text)?.[1];
  expect(await style()).toBeUndefined();
  const admin = await world.make.sysadmin();
  const change = (value: string | null) =>
    world.request('/api/3/action/config_option_update', {
      method: 'POST',
      headers: { authorization: admin.key, 'content-type': 'application/json' },
      body: JSON.stringify({ 'catalog.site_custom_css': value, 'catalog.site_logo': value && '/logo.png' }),
    });
  await change('h1 { color: red }');
  expect((await get((await style())!)).text).toBe('h1 { color: red }');
  expect((await get('/')).text).toContain('<img src="/logo.png"');
  await change(null);
});

it('changes texts, logo and layout of the site without a restart', async () => {
  const admin = await world.make.sysadmin();
  const set = (options: object) =>
    world.request('/api/3/action/config_option_update', {
      method: 'POST',
      headers: { authorization: admin.key, 'content-type': 'application/json' },
      body: JSON.stringify(options),
    });
  /** Headings of the home page, in their order. */
  const parts = async () => [...(await get('/')).text.matchAll(/<h2[^>]*>([^<]*)</g)].map(([, title]) => title);
  const first = await parts();
  expect(first.slice(0, 3)).toEqual(['Themes', 'Recently updated', 'Newest']);
  await set({
    'catalog.homepage_style': 2,
    'catalog.site_intro_text': 'Find **all**.',
    'catalog.site_about': 'By *us*.',
  });
  expect((await parts()).slice(0, 3)).toEqual(['Recently updated', 'Newest', 'Themes']);
  expect((await get('/')).text).toContain('Find <strong>all</strong>.');
  expect((await get('/about')).text).toContain('By <em>us</em>.');
  await set({ 'catalog.homepage_style': 3, 'catalog.site_logo': 'https://logo.example/l.svg' });
  expect(await parts()).not.toContain('Themes');
  const { text, headers } = await get('/');
  expect(text).toContain('<img src="https://logo.example/l.svg"');
  expect(headers.get('content-security-policy')).toContain("img-src 'self' data: https://logo.example;");
  await set({
    'catalog.homepage_style': null,
    'catalog.site_logo': null,
    'catalog.site_intro_text': null,
    'catalog.site_about': null,
  });
  expect(await parts()).toEqual(first);
});

it('shows an initial instead of pictures from other hosts', async () => {
  const as = await world.make.sysadmin();
  await world.result(
    'organization_create',
    {
      name: 'far',
      title: 'Émile',
      image_url: 'https://far.example/logo.png',
      description: '![x](https://far.example/x.png)',
    },
    { as },
  );
  for (const path of ['/organization', '/organization/far', '/organization/about/far']) {
    const { text, headers } = await get(path);
    expect(text).not.toMatch(/<img[^>]* src="https?:/);
    expect(text).toMatch(/<span class="initial tint-\d[^"]*" aria-hidden="true">É</);
    expect(headers.get('content-security-policy')).toContain("img-src 'self' data:;");
  }
});

describe('URLs of CKAN', () => {
  it.each([
    ['/package/budget', '/dataset/budget'],
    ['/dataset/search?q=a', '/dataset?q=a'],
    ['/tag/money', '/dataset?tags=money'],
    ['/tag/a%20%26%20b', '/dataset?tags=a%20%26%20b'],
    ['/organizations', '/organization'],
    ['/es/dataset?q=a', '/dataset?q=a'],
    ['/pt_BR/organization/town', '/organization/town'],
    ['/ko_KR', '/'],
    ['/login', '/user/login'],
  ])('%s leads to %s', async (old, now) => {
    const { status, headers } = await get(old);
    expect([301, 302]).toContain(status);
    expect(headers.get('location')).toBe(now);
    expect((await get(now)).status).toBe(200);
  });

  it.each(['/en//evil.example', '/de/%5Cevil.example', '/xx/dataset', '/api/nothing'])(
    '%s leads nowhere else',
    async (path) => {
      const { status, headers } = await get(path);
      expect([404, 302, 301]).toContain(status);
      expect(headers.get('location') ?? '/').toMatch(/^\/(?![/\\])/);
    },
  );
});

const chromium = ensureChromium() as string | null;
describeWith('Chromium', chromium !== null, 'in a browser', () => {
  it('suggests datasets while typing, by keys', async () => {
    const page = await openPage(chromium!, world.base);
    try {
      await page.tab.getByRole('combobox').pressSequentially('lev');
      await page.tab.getByRole('option').first().waitFor();
      await page.tab.keyboard.press('ArrowDown');
      expect(await page.evaluate('document.querySelector("[aria-selected=true]").id')).toBe('q-suggestions-0');
      await page.tab.keyboard.press('Enter');
      await page.tab.waitForURL('**/dataset/*');
      await page.tab.goBack();
      await page.tab.getByRole('combobox').fill('lev');
      await page.tab.getByRole('option').first().waitFor();
      await page.tab.keyboard.press('Escape');
      expect(await page.tab.getByRole('option').count()).toBe(0); // hidden options have no role
      expect(page.problems).toEqual([]);
    } finally {
      await page.close();
    }
  });

  it('leads from the home page by search and facet to a dataset', async () => {
    const page = await openPage(chromium!, world.base);
    try {
      await page.tab.fill('input[type=search]', 'levels');
      await page.tab.press('input[type=search]', 'Enter');
      await page.until('document.title.startsWith("levels")');
      await page.tab.click('#filters >> text=CSV');
      await page.until('document.querySelector(".chosen")');
      expect(await page.evaluate('document.querySelector("#q").value')).toBe('levels');
      await page.tab.selectOption('#sort', 'title_string asc');
      await page.tab.click('text=Apply');
      await page.until('location.search.includes("title_string")');
      expect(await page.evaluate('document.querySelectorAll(".chosen li").length')).toBe(1);
      if (process.env.PICTURES) writeFileSync(`${process.env.PICTURES}/search.png`, await page.picture());
      await page.tab.click('.card h3 a');
      await page.until('document.title.startsWith("Levels of river")');
      await page.tab.click('.pills >> text=rivers');
      await page.until('location.pathname === "/dataset"');
      expect(page.problems).toEqual([]);
      expect(page.requests.filter((url) => !url.startsWith(world.base) && !url.startsWith('data:'))).toEqual([]);
    } finally {
      await page.close();
    }
  });

  it('fits a phone', async () => {
    const page = await openPage(chromium!, world.base, { viewport: { width: 390, height: 844 } });
    try {
      for (const path of [
        '/',
        '/dataset',
        '/organization',
        '/organization/town',
        '/group',
        '/tag',
        '/user',
        '/about',
      ]) {
        await page.tab.goto(world.base + path);
        expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 390]);
      }
      expect(page.problems).toEqual([]);
    } finally {
      await page.close();
    }
  });
});
