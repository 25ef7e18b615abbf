/** Pages of a site that allows only short lists (catalog.limits.rows). Each requests only permitted numbers of rows. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { CHARTS } from '../../facades/web/site/dashboards/charts.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

const ROWS = 3;
const ID = '8b7cbb0c-6d2b-4fb1-a1c5-0d8a2f0a7a21';
const PAGES = [
  ...['/', '/dataset', '/dataset?q=river&tags=a', '/dataset?page=2', '/organization', '/group', '/tag', '/user'],
  ...['/dataset/river-1', '/dataset/activity/river-1', '/dataset/groups/river-1', '/dataset/river-1/related'],
  ...[`/dataset/river-1/resource/${ID}`, `/dataset/river-1/resource/${ID}?as=chart`],
  ...[`/dataset/river-1/resource/${ID}?as=map`, `/dataset/river-1/resource/${ID}?as=sql`],
  ...['/organization/town', '/organization/about/town', '/organization/members/town', '/organization/activity/town'],
  ...['/group/water', '/group/activity/water', '/user/ann', '/user/activity/ann', '/activity', '/related', '/stats'],
  ...['/about', '/feeds/dataset.atom', '/feeds/organization/town.atom', '/sitemap.xml', '/sitemap-dataset-1.xml'],
  ...[...new Set(CHARTS.map(({ dashboard }) => `/dashboards/${dashboard}`))],
  ...CHARTS.filter(({ id }) => id !== 'growth').map(({ dashboard, id }) => `/dashboards/${dashboard}/${id}.csv`),
];
const FORMS = [
  ...['/dataset/new', '/dataset/edit/river-1', '/dataset/resources/river-1', '/dataset/river-1/resource/new'],
  ...[`/dataset/river-1/resource/${ID}/edit`, `/dataset/river-1/dictionary/${ID}`],
  ...[`/dataset/river-1/resource/${ID}/views`, '/dashboard', '/dashboard/datasets', '/dashboard/organizations'],
  ...['/organization/new', '/organization/edit/town', '/organization/members/town', '/organization/bulk_process/town'],
  ...['/user/edit/ann', '/ckan-admin?list=all', '/ckan-admin/config', '/ckan-admin/trash', '/ckan-admin/jobs'],
];

let world: World;
let admin: TestUser;
beforeAll(async () => {
  world = await createWorld({ 'catalog.limits.rows': ROWS });
  await world.datastore();
  admin = await world.make.sysadmin();
  const as = admin;
  await world.result('user_create', { name: 'ann', email: 'ann@example.org', password: 'correct horse' }, { as });
  await world.result('organization_create', { name: 'town', users: [{ name: 'ann', capacity: 'admin' }] }, { as });
  await world.result('group_create', { name: 'water' }, { as });
  for (let at = 1; at <= 2 * ROWS; at += 1) {
    const resources = [{ url: `http://town.example/${at}.csv`, format: `F${at}`, ...(at === 1 && { id: ID }) }];
    const more = { tags: [{ name: `t${at}` }, { name: 'all' }], groups: [{ name: 'water' }], resources };
    await world.result('package_create', { name: `river-${at}`, title: 'River', owner_org: 'town', ...more }, { as });
  }
  const records = Array.from({ length: 2 * ROWS }, (_, level) => ({ station: 'Kew', level, lat: 51, lon: level }));
  await world.result('datastore_create', { resource_id: ID, force: true, records }, { as });
  while ((await world.app.score()) > 0);
});
afterAll(() => world.end());

it.each([...PAGES, ...FORMS])('%s shows its content', async (path) => {
  const headers = { accept: 'text/html', authorization: admin.key };
  const { status, text } = await world.request(path, { headers });
  const refused = path === '/dashboards/catalog' ? 1 : 0; // the chart of the next test
  expect([status, text.split('class="notice bad"').length - 1]).toEqual([200, refused]);
});

it('a chart with more periods than the limit of rows is refused', async () => {
  const headers = { accept: 'text/html', authorization: admin.key };
  const { status, text } = await world.request('/dashboards/catalog/growth.csv', { headers });
  expect([status, text.includes('3')]).toEqual([429, true]);
});
