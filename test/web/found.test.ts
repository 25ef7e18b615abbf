/** Files and markup for search engines and feed readers: robots.txt, site maps, icons, heads of pages, and Atom feeds. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { childTexts, type Element, parseXml } from '../helpers/xml.ts';

const SITE = 'http://catalog.test';

let world: World;
let member: TestUser;
beforeAll(async () => {
  world = await createWorld({
    'catalog.site_title': 'Data of Town',
    'catalog.site_description': 'Open data & more.',
    'catalog.limits.rows': 20,
  });
  member = await world.make.user({ name: 'ann' });
  const town = await world.make.organization({
    name: 'town',
    title: 'Town & Country',
    members: { [member.id]: 'admin' },
  });
  const water = await world.make.group({ name: 'water', title: 'Water' });
  for (let index = 0; index < 45; index++)
    await world.make.dataset({
      name: `river-${index}`,
      title: `Levels <${index}> & more`,
      notes: 'Measured **every hour**, \u0001 see [the map](http://town.example/map).',
      ownerOrganization: town.id,
      groups: [{ id: water.id }],
      tags: [{ name: 'open data' }, { name: `n.${index % 2}.atom` }],
      ...(index === 0 && { author: 'Ann "Author"' }),
    });
  await world.make.dataset({
    name: 'hidden-private',
    title: 'Hidden',
    private: true,
    ownerOrganization: town.id,
    tags: [{ name: 'hidden tag' }],
    groups: [{ id: water.id }],
  });
  await world.make.dataset({
    name: 'hidden-draft',
    title: 'Hidden',
    state: 'draft',
    ownerOrganization: town.id,
    tags: [{ name: 'open data' }],
  });
  await world.make.dataset({
    name: 'hidden-deleted',
    title: 'Hidden',
    state: 'deleted',
    ownerOrganization: town.id,
    tags: [{ name: 'open data' }],
  });
});
afterAll(() => world.end());

const get = (path: string, headers: Record<string, string> = {}) =>
  world.request(path, { redirect: 'manual', headers: { accept: 'text/html', ...headers } });
const local = (url: string): string => {
  expect(url.startsWith(`${SITE}/`)).toBe(true);
  return url.slice(SITE.length);
};

describe('robots.txt', () => {
  it('names the site map, and excludes the API', async () => {
    const { status, headers, text } = await get('/robots.txt');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain;charset=utf-8']);
    expect(text).toContain('User-agent: *\n');
    expect(text).toContain('\nDisallow: /api/\n');
    expect(text).toMatch(/\nSitemap: http:\/\/catalog\.test\/sitemap\.xml\n$/);
  });
});

describe('the site map', () => {
  /** Rules of sitemaps.org: namespace, at most 50,000 entries, absolute URLs, times of the W3C. */
  const entriesOf = (text: string, root: string, item: string) => {
    const map = parseXml(text);
    expect([map.name, map.attributes.xmlns]).toEqual([root, 'http://www.sitemaps.org/schemas/sitemap/0.9']);
    expect(map.children.length).toBeLessThanOrEqual(50_000);
    return map.children.map((entry) => {
      expect(entry.name).toBe(item);
      const [[loc], times] = [childTexts(entry, 'loc'), childTexts(entry, 'lastmod')];
      for (const time of times) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      return { path: local(loc!), time: times[0] };
    });
  };
  const files = async () => entriesOf((await get('/sitemap.xml')).text, 'sitemapindex', 'sitemap');

  it('lists every public dataset with its time of change, organization, group and tag once, and nothing hidden', async () => {
    const index = await files();
    expect(index.map(({ path }) => path)).toEqual(
      ['pages', 'dataset', 'organization', 'group', 'tag'].map((kind) => `/sitemap-${kind}-1.xml`),
    );
    const found: Record<string, { path: string; time: string | undefined }[]> = {};
    for (const { path } of index) {
      const { headers, text } = await get(path);
      expect(headers.get('content-type')).toBe('application/xml;charset=utf-8');
      found[path] = entriesOf(text, 'urlset', 'url');
    }
    const datasets = found['/sitemap-dataset-1.xml']!;
    expect(datasets.map(({ path }) => path)).toEqual(Array.from({ length: 45 }, (_it, n) => `/dataset/river-${n}`));
    expect(datasets.map(({ time }) => time)).toEqual(datasets.map(({ time }) => time).sort());
    expect(index[1]!.time).toBe(datasets.at(-1)!.time);
    expect(found['/sitemap-organization-1.xml']!.map(({ path }) => path)).toEqual(['/organization/town']);
    expect(found['/sitemap-group-1.xml']!.map(({ path }) => path)).toEqual(['/group/water']);
    expect(found['/sitemap-tag-1.xml']!.map(({ path }) => path)).toEqual(
      ['n.0.atom', 'n.1.atom', 'open%20data'].map((tag) => `/dataset?tags=${tag}`),
    );
    const paths = Object.values(found)
      .flat()
      .map(({ path }) => path);
    expect(JSON.stringify(paths)).not.toMatch(/hidden/);
    const dead: [string, number][] = [];
    for (const path of paths) {
      const { status } = await get(path);
      if (status !== 200) dead.push([path, status]);
    }
    expect(dead).toEqual([]);
  });

  it('is the same for a member', async () => {
    const own = (await get('/sitemap-dataset-1.xml', { authorization: member.key })).text;
    expect(own).toBe((await get('/sitemap-dataset-1.xml')).text);
  });

  it('has no further files, and answers HEAD without a body', async () => {
    expect((await get('/sitemap-dataset-2.xml')).status).toBe(404);
    expect((await get('/sitemap-pages-2.xml')).status).toBe(404);
    expect((await get('/sitemap-dataset-0.xml')).status).toBe(404);
    const head = await world.request('/sitemap-dataset-1.xml', { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
  });
});

it('has icons in the formats that browsers request', async () => {
  const { text } = await get('/');
  const links = [...text.matchAll(/<link rel="(?:icon|apple-touch-icon)" href="([^"]+)"/g)].map(([, href]) => href!);
  expect(links).toHaveLength(3);
  for (const path of links) {
    const answer = await fetch(world.base + path);
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect([path, answer.status]).toEqual([path, 200]);
    if (path.endsWith('.png')) expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([180, 180]);
    if (path.endsWith('.ico')) expect(bytes.subarray(0, 6).toString('hex')).toBe('000001000100');
  }
});

describe('the head of a page', () => {
  const canonicalOf = (text: string) =>
    /<link rel="canonical" href="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
  const dataOf = (text: string) =>
    [...text.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/g)].map(([, json]) => JSON.parse(json!));

  it.each([
    ['/?utm_source=x', '/'],
    ['/dataset?sort=name+asc&foo=bar&_tags_limit=0', '/dataset'],
    ['/dataset?page=2&tags=open+data', '/dataset?tags=open+data&page=2'],
    ['/dataset?tags=open+data&page=1', '/dataset?tags=open+data'],
    ['/dataset/river-1?x=y', '/dataset/river-1'],
    ['/organization/town?sort=name+asc', '/organization/town'],
    ['/organization?sort=name+asc&page=1', '/organization'],
    ['/tag?x=y', '/tag'],
    ['/user/ann?x=y', '/user/ann'],
    ['/about?x', '/about'],
  ])('of %s names the canonical URL %s', async (path, canonical) => {
    const { text } = await get(path);
    expect(canonicalOf(text)).toBe(SITE + canonical);
    expect(/<meta property="og:url" content="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')).toBe(
      SITE + canonical,
    );
    expect(text).toMatch(/<meta name="description" content="[^"]{5,300}"/);
    expect(text).not.toContain('name="robots"');
  });

  it.each(['/dataset?q=river', '/dataset?tags=open+data&res_format=CSV', '/tag?q=open', '/user/login', '/nothing'])(
    'of %s asks search engines not to index the page',
    async (path) => {
      expect((await get(path)).text).toMatch(/<meta name="robots" content="noindex/);
    },
  );

  it('describes dataset, catalog and organization as JSON-LD', async () => {
    const [dataset] = dataOf((await get('/dataset/river-0')).text);
    expect(dataset).toMatchObject({
      '@type': 'Dataset',
      '@id': `${SITE}/dataset/river-0`,
      name: 'Levels <0> & more',
      description: expect.stringContaining('Measured'),
      publisher: { '@type': 'Organization', '@id': `${SITE}/organization/town`, name: 'Town & Country' },
      includedInDataCatalog: { '@type': 'DataCatalog', '@id': `${SITE}/`, name: 'Data of Town' },
    });
    expect(dataOf((await get('/')).text)).toMatchObject([
      { '@type': 'DataCatalog', '@id': `${SITE}/`, description: 'Open data & more.', url: `${SITE}/` },
    ]);
    expect(dataOf((await get('/organization/town')).text)).toMatchObject([
      { '@type': 'Organization', '@id': `${SITE}/organization/town`, name: 'Town & Country' },
    ]);
  });
});

describe('Atom feeds', () => {
  const feedOf = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await get(path, headers);
    expect([path, answer.status, answer.headers.get('content-type')]).toEqual([
      path,
      200,
      'application/atom+xml;charset=utf-8',
    ]);
    return parseXml(answer.text);
  };
  const linkOf = ({ children }: Element, rel: string) => {
    const href = children.find(({ name, attributes }) => name === 'link' && attributes.rel === rel)?.attributes.href;
    return href === undefined ? undefined : local(href);
  };
  const entriesOf = ({ children }: Element) => children.filter(({ name }) => name === 'entry');
  const namesOf = (feed: Element) =>
    entriesOf(feed).map((entry) => linkOf(entry, 'alternate')!.slice('/dataset/'.length));

  const FEEDS = [
    ['/feeds/dataset.atom', 45],
    ['/feeds/organization/town.atom', 45],
    ['/feeds/organization/town', 45],
    ['/feeds/group/water.atom', 45],
    ['/feeds/group/water', 45],
    ['/feeds/tag/open%20data.atom', 45],
    ['/feeds/tag/n.1.atom.atom', 22],
    ['/feeds/custom.atom?q=levels', 45],
    ['/feeds/custom.atom?fq=name:river-1*&fq=tags:%22n.1.atom%22', 6],
    ['/feeds/custom.atom?organization=town&tags=n.1.atom', 22],
    ['/feeds/custom.atom?q=nowhere', 0],
  ] as const;

  it.each(FEEDS)(
    '%s has every public dataset once, page by page, newest first, and nothing hidden',
    async (path, count) => {
      const names: string[] = [];
      let next: string | undefined = path;
      let before: string | undefined;
      for (let number = 1; next !== undefined; number++) {
        const feed: Element = await feedOf(next);
        names.push(...namesOf(feed));
        expect(linkOf(feed, 'previous') === undefined).toBe(number === 1);
        if (before !== undefined) expect(linkOf(feed, 'previous')).toBe(before);
        before = linkOf(feed, 'self');
        next = linkOf(feed, 'next');
        if (next === undefined && count > 0) expect(linkOf(feed, 'last')).toBe(linkOf(feed, 'self'));
      }
      expect(names).toHaveLength(count);
      expect(new Set(names).size).toBe(count);
      expect(names.join()).not.toContain('hidden');
      const number = (name: string) => Number(name.replace('river-', ''));
      expect(names.map(number)).toEqual(names.map(number).sort((a, b) => b - a));
    },
  );

  it.each(FEEDS.map(([path]) => path))('%s has the elements that RFC 4287 requires', async (path) => {
    const feed = await feedOf(path);
    for (const element of [feed, ...entriesOf(feed)])
      for (const name of ['id', 'title', 'updated'])
        expect([name, childTexts(element, name)]).toEqual([name, [expect.stringMatching(/./)]]);
    expect(feed.attributes.xmlns).toBe('http://www.w3.org/2005/Atom');
    expect(feed.children.filter(({ name }) => name === 'author')).toHaveLength(1);
    const ids = entriesOf(feed).flatMap((entry) => childTexts(entry, 'id'));
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids.slice(0, 2)) expect([301, 302, 303]).toContain((await get(local(id))).status);
  });

  it('are the same for members of the organization', async () => {
    const own = await get('/feeds/organization/town.atom', { authorization: member.key });
    expect(own.text).toBe((await get('/feeds/organization/town.atom')).text);
    expect(own.headers.get('cache-control')).toMatch(/^public/);
  });

  it('are linked from the pages of the same datasets', async () => {
    for (const [page, feed] of [
      ['/', '/feeds/dataset.atom'],
      ['/dataset', '/feeds/dataset.atom'],
      ['/organization/town', '/feeds/organization/town.atom'],
      ['/group/water', '/feeds/group/water.atom'],
      ['/dataset?tags=open+data', '/feeds/tag/open%20data.atom'],
    ] as const)
      expect((await get(page)).text).toMatch(
        new RegExp(`<link rel="alternate" type="application/atom\\+xml"[^>]* href="${feed}"`),
      );
  });

  it('return 404 for unknown objects, and refuse invalid queries', async () => {
    expect((await get('/feeds/organization/nobody.atom')).status).toBe(404);
    expect((await get('/feeds/group/town.atom')).status).toBe(404);
    expect((await get('/feeds/tag/hidden%20tag.atom')).status).toBe(404);
    expect((await get('/feeds/custom.atom?q=title:(')).status).toBe(400);
    expect((await get('/feeds/custom.atom?page=-3&x[y]=1&fq=')).status).toBe(200);
    expect((await get('/feeds/custom.atom?fq=capacity:private')).text).not.toContain('hidden');
  });
});
