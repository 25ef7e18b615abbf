/** A crawl from the home page over real metadata: it reaches all public data, and no link of the site is dead. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { CHARTS, DASHBOARDS } from '../../facades/web/site/dashboards/charts.ts';
// @ts-expect-error: a script without types
import { ensureChromium } from '../../scripts/chromium.mjs';
import { embedded, expectedDatasets, readSample } from '../compat/sample.ts';
import { openPage } from '../helpers/browser.ts';
import { describeWith } from '../helpers/runtime.ts';
import { createWorld, type World } from '../helpers/world.ts';

const SITE = 'http://catalog.test';
/** Datasets of the sample in this catalog. */
const DATASETS = 30;

const chromium: string | null = ensureChromium();
let world: World;
/** Pages that the crawl found. */
const pages: string[] = [];
beforeAll(async () => {
  world = await createWorld();
  const as = await world.make.sysadmin();
  const sample = expectedDatasets(readSample()).slice(0, DATASETS);
  const { organizations, groups } = embedded(sample);
  for (const organization of organizations) await world.result('organization_create', organization, { as });
  for (const group of groups) await world.result('group_create', group, { as });
  for (const dataset of sample) await world.result('package_create', dataset, { as });
  while ((await world.app.score()) > 0);
});
afterAll(() => world.end());

/** Parameters of lists. Links that combine filters or change the order have no end, and robots.txt excludes them. */
const FOLLOWED = new Set(['page', 'after', 'tags']);

/** Path of a link that a crawler follows; null for other hosts, and for paths that robots.txt excludes. */
function pathOf(href: string, at: string): string | null {
  const url = new URL(href.replaceAll('&amp;', '&'), SITE + at);
  if (
    url.origin !== SITE ||
    /^\/(api\/(?!docs)|graphql|user\/(login|register|reset)|datastore|catalog)/.test(url.pathname)
  )
    return null;
  const names = [...url.searchParams.keys()];
  return names.every((name) => FOLLOWED.has(name)) && names.length <= 1 ? url.pathname + url.search : null;
}

it('reaches every public dataset, resource, organization, group and tag, without a dead link', async () => {
  const seen = new Set(['/']);
  const queue = ['/'];
  const dead: string[] = [];
  for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
    const answer = await world.request(at, { headers: { accept: 'text/html' }, redirect: 'manual' });
    if (answer.status >= 400) dead.push(`${answer.status} ${at}`);
    const location = answer.headers.get('location');
    const isPage = answer.headers.get('content-type')?.startsWith('text/html');
    if (isPage && !location) pages.push(at);
    const links = location
      ? [location]
      : isPage
        ? [...answer.text.matchAll(/<a [^>]*?href="([^"]*)"/g)].map(([, href]) => href!)
        : [];
    for (const link of links) {
      const path = pathOf(link, at);
      if (path === null || seen.has(path)) continue;
      seen.add(path);
      queue.push(path);
    }
  }
  expect(dead).toEqual([]);
  const names = async (action: string): Promise<string[]> => world.result(action, {});
  const datasets = await names('package_list');
  expect(datasets).toHaveLength(DATASETS);
  const expected = [
    ...datasets.map((name) => `/dataset/${name}`),
    ...(await names('organization_list')).map((name) => `/organization/${name}`),
    ...(await names('group_list')).map((name) => `/group/${name}`),
    ...(await names('tag_list')).map((name) => `/dataset?tags=${encodeURIComponent(name)}`),
  ];
  for (const name of datasets)
    for (const { id } of (await world.result('package_show', { id: name })).resources)
      expected.push(`/dataset/${name}/resource/${id}`);
  for (const { dashboard, id, isPrivate } of CHARTS)
    if (!DASHBOARDS[dashboard]!.isPrivate && !isPrivate)
      expected.push(`/dashboards/${dashboard}`, `/dashboards/${dashboard}/${id}.csv`);
  expected.push(...datasets.map((name) => `/dataset/${name}/quality.ttl`));
  const missing = expected.filter((path) => !seen.has(path));
  expect(missing).toEqual([]);
}, 900_000);

/** The kind of a path: the path without its language and names. */
const kindOf = (path: string): string =>
  path
    .replace(/^\/(?:de|en|fr|ja)(?=\/|$)/, '')
    .replace(
      /^\/(dataset|organization|group|user|revision|feeds)\/((?:activity|about|members|groups)\/)?[^/?]+/,
      '/$1/$2*',
    )
    .replace(/[0-9a-f-]{36}/g, '*')
    .replace(/=.*/, '=');

describeWith('chromium', chromium !== null, 'a browser on one page of each kind', () => {
  it('logs no error, and requests nothing from other hosts', async () => {
    const kinds = new Map(pages.map((path) => [kindOf(path), path]));
    expect(kinds.size).toBeGreaterThan(20);
    expect(kinds.size).toBeLessThan(100);
    const page = await openPage(chromium!, world.base);
    for (const path of kinds.values()) await page.tab.goto(world.base + path);
    await page.close();
    expect(page.problems).toEqual([]);
    expect(page.requests.filter((url) => !/^(?:data|blob):/.test(url) && !url.startsWith(world.base))).toEqual([]);
  }, 600_000);
});
