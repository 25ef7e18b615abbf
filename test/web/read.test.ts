/** Read-only pages: resources, activities, members and details of organizations and groups, users, statistics, revisions. */
import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
// @ts-expect-error: a script without types
import { ensureChromium } from '../../scripts/chromium.mjs';
import { openPage } from '../helpers/browser.ts';
import type { TestUser } from '../helpers/make.ts';
import { describeWith } from '../helpers/runtime.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let editor: TestUser;
let tableId: string;
let linkId: string;
let hiddenId: string;
beforeAll(async () => {
  world = await createWorld({ 'catalog.site_title': 'Data of Town' });
  await world.datastore();
  admin = await world.make.sysadmin();
  editor = await world.make.user({ name: 'ann' });
  const as = editor;
  const users = [{ name: 'ann', capacity: 'editor' }];
  await world.result(
    'organization_create',
    {
      name: 'town',
      title: 'Town & Country',
      description: 'Publishes **levels**.',
      users,
      extras: [{ key: 'Phone', value: '<b>123</b>' }],
    },
    { as: admin },
  );
  await world.result('group_create', { name: 'water', title: 'Water', users }, { as: admin });
  const dataset = await world.result(
    'package_create',
    {
      name: 'rivers',
      title: 'Levels <of> rivers',
      owner_org: 'town',
      tags: [{ name: 'levels' }],
      groups: [{ name: 'water' }],
      license_id: 'cc-by',
      resources: [
        {
          url: 'http://town.example/levels.csv',
          name: 'Levels',
          format: 'CSV',
          description: 'One row an hour.\n<script>1</script>',
        },
        { url: 'http://town.example/about', name: "Page of 'the' rivers", format: 'HTML', size: 1536 },
      ],
    },
    { as },
  );
  [tableId, linkId] = dataset.resources.map(({ id }: { id: string }) => id);
  await world.result(
    'datastore_create',
    {
      resource_id: tableId,
      force: true,
      fields: [
        { id: 'station', type: 'text', info: { label: 'Station <x>', notes: 'Name of the station' } },
        { id: 'level', type: 'numeric' },
        { id: 'at', type: 'timestamp' },
      ],
      primary_key: ['station', 'at'],
      records: [{ station: 'Kew', level: 1.5, at: '2026-01-01T00:00:00' }],
    },
    { as },
  );
  for (let step = 0; step < 23; step++)
    await world.result(
      'package_patch',
      { id: 'rivers', notes: `Step ${step}`, tags: [{ name: 'levels' }, { name: `t${step}` }] },
      { as },
    );
  const hidden = await world.result(
    'package_create',
    {
      name: 'secret',
      title: 'Secret levels',
      owner_org: 'town',
      private: true,
      resources: [{ url: 'http://town.example/secret.csv' }],
    },
    { as },
  );
  hiddenId = hidden.resources[0].id;
});
afterAll(() => world.end());

const get = (path: string, as?: TestUser) =>
  world.request(path, { redirect: 'manual', headers: { accept: 'text/html', ...(as && { authorization: as.key }) } });

describe('the page of a resource', () => {
  it('shows metadata, downloads, the columns of its table, and example calls', async () => {
    const { status, text } = await get(`/dataset/rivers/resource/${tableId}`);
    expect(status).toBe(200);
    expect(text).toContain('<h1>Levels</h1>');
    expect(text).toContain('href="http://town.example/levels.csv"');
    expect(text).toContain(`href="/datastore/dump/${tableId}?format=parquet"`);
    expect(text).toContain('1 record, 3 columns');
    expect(text).toContain('Station &lt;x>');
    expect(text.match(/>key</g)).toHaveLength(2);
    expect(text).not.toContain('_id</th>');
    expect(text).not.toContain('<script>1');
    for (const language of ['curl', 'Python', 'R', 'JavaScript', 'GraphQL'])
      expect(text).toContain(`<summary>${language}</summary>`);
  });

  it('shows a link without a table', async () => {
    const { text } = await get(`/dataset/rivers/resource/${linkId}`);
    expect(text).toContain('Open link');
    expect(text).toContain('1.5 KiB');
    expect(text).not.toContain('Data dictionary');
    expect(text).toContain('resource_show');
  });

  it('is shown to authorized readers of the dataset only', async () => {
    const path = `/dataset/secret/resource/${hiddenId}`;
    expect([(await get(path)).status, (await get(path)).headers.get('location')]).toEqual([
      303,
      `/user/login?notice=needed&came_from=${encodeURIComponent(path)}`,
    ]);
    const own = await get(path, editor);
    expect([own.status, own.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
    expect((await get('/dataset/rivers/resource/nothing')).status).toBe(404);
    expect((await get(`/dataset/rivers/resource/${hiddenId}`)).headers.get('location')).not.toContain(
      '/dataset/secret',
    );
  });

  it('has working example calls', async () => {
    const { text } = await get(`/dataset/rivers/resource/${tableId}`);
    const [url] = /http:\/\/catalog\.test\/api\/3\/action\/datastore_search\?[^'&]+&amp;limit=\d/.exec(text)!;
    const { body } = await world.request(url.replace('http://catalog.test', '').replaceAll('&amp;', '&'));
    expect(body.result.records).toHaveLength(1);
    const [, json] = /-d &#39;(.*?)&#39;<|-d '(.*?)'</s.exec(text)!.filter(Boolean);
    const answer = await world.request('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: json!.replaceAll('&quot;', '"').replaceAll('&amp;', '&'),
    });
    expect(answer.body.data.table.records.nodes).toMatchObject([{ station: 'Kew' }]);
  });
});

describe('activities', () => {
  const itemsOf = (text: string) =>
    [...text.matchAll(/<li><p>(.*?)<\/p>/g)].map(([, item]) => item!.replace(/<[^>]+>/g, '').replace(/\s+/g, ' '));
  const nextOf = (text: string) => /href="([^"]+)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&');

  it.each([
    '/dataset/activity/rivers',
    '/organization/activity/town',
    '/group/activity/water',
    '/user/activity/ann',
    '/activity',
  ])('%s lists every public change once, page by page, newest first', async (path) => {
    const items: string[] = [];
    let next: string | undefined = path;
    for (let page = 0; next && page < 5; page++) {
      const { status, text }: { status: number; text: string } = await get(next);
      expect(status).toBe(200);
      expect(text).not.toContain('Secret');
      items.push(...itemsOf(text));
      next = nextOf(text);
    }
    const changes = items.filter((item) => item.includes('changed the dataset'));
    expect(changes.length).toBeGreaterThanOrEqual(23);
    expect(items.filter((item) => item.startsWith('ann created the dataset Levels &lt;of> rivers'))).toHaveLength(1);
    expect(items.findIndex((item) => item.includes('created the dataset'))).toBeGreaterThan(20);
  });

  it('name the changed parts', async () => {
    const { text } = await get('/dataset/activity/rivers');
    expect(text).toContain('Added tag “t22”');
    expect(text).toContain('Removed tag “t21”');
  });

  it('refuse invalid cursors and unknown objects, and hide private datasets', async () => {
    expect((await get('/dataset/activity/rivers?after=nonsense')).status).toBe(422);
    expect((await get('/dataset/activity/nothing')).status).toBe(404);
    expect((await get('/dataset/activity/secret')).status).toBe(303);
    expect((await get('/user/activity/nobody')).status).toBe(404);
    expect((await get('/organization/activity/water')).status).toBe(404);
  });
});

it('shows members with their roles', async () => {
  const { text } = await get('/organization/members/town');
  expect(text).toMatch(/<a href="\/user\/ann">ann<\/a><\/th><td>Editor<\/td>/);
  expect((await get('/group/members/water')).text).toContain('/user/ann');
  expect((await get('/organization/members/nothing')).status).toBe(404);
});

it('shows details of organizations and groups', async () => {
  const { text } = await get('/organization/about/town');
  expect(text).toContain('Publishes <strong>levels</strong>.');
  expect(text).toContain('<dt>Phone</dt><dd>&lt;b>123&lt;/b></dd>');
  expect((await get('/group/about/water')).text).toContain('About Water');
});

it('shows datasets and memberships of a user, private ones to the user only', async () => {
  const { text } = await get('/user/ann');
  expect(text).toContain('href="/dataset/rivers"');
  expect(text).toContain('Town &amp; Country');
  expect(text).not.toContain('secret');
  expect((await get('/user/ann', editor)).text).toContain('href="/dataset/secret"');
});

it('shows statistics of the datasets that the reader may see', async () => {
  const figure = (text: string, label: string) => new RegExp(`<dt>${label}</dt><dd>([^<]+)</dd>`).exec(text)?.[1];
  const { text } = await get('/stats');
  expect([figure(text, 'Datasets'), figure(text, 'Resources'), figure(text, 'Tables')]).toEqual(['1', '2', '1']);
  expect(text).toContain('href="/dataset?organization=town"');
  expect(figure((await get('/stats', editor)).text, 'Datasets')).toBe('2');
});

it('shows a revision with its dataset', async () => {
  const { revision_id: id } = await world.result('package_show', { id: 'rivers' });
  expect((await get(`/revision/${id}`)).text).toContain('href="/dataset/rivers"');
  expect((await get('/revision/nothing')).status).toBe(404);
});

const chromium = ensureChromium() as string | null;
const pages = () => ({
  resource: `/dataset/rivers/resource/${tableId}`,
  link: `/dataset/rivers/resource/${linkId}`,
  dataset: '/dataset/rivers',
  'dataset-activity': '/dataset/activity/rivers',
  organization: '/organization/town',
  'organization-about': '/organization/about/town',
  'organization-members': '/organization/members/town',
  user: '/user/ann',
  statistics: '/stats',
  activity: '/activity',
});
describeWith('Chromium', chromium !== null, 'in a browser', () => {
  it.each([390, 1280])('fits %s pixels, without an error, a cookie or a request to another host', async (width) => {
    const page = await openPage(chromium!, world.base, {
      viewport: { width, height: 844 },
      javaScriptEnabled: width > 390,
    });
    const folder = process.env.PICTURES;
    if (folder) mkdirSync(folder, { recursive: true });
    try {
      for (const [name, path] of Object.entries(pages())) {
        await page.tab.goto(world.base + path);
        expect([name, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([name, width]);
        if (folder) await page.tab.screenshot({ path: `${folder}/${name}-${width}.png`, fullPage: true });
      }
      expect(page.problems).toEqual([]);
      expect(await page.tab.context().cookies()).toEqual([]);
      expect(page.requests.filter((url) => !url.startsWith(world.base) && !url.startsWith('data:'))).toEqual([]);
    } finally {
      await page.close();
    }
  });
});
