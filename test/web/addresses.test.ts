/** URLs of CKAN's pages, which are in bookmarks and search engines: each leads authorized readers to a page. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createWorld, type World } from '../helpers/world.ts';

const ID = '8b7cbb0c-6d2b-4fb1-a1c5-0d8a2f0a7a11';
const VIEW = 'c4a9f2de-0b53-4c55-9c1d-2f3f1d8a9b22';

/** Address, and the address that it redirects to. `ann` is an editor, `root` a system administrator, both signed in. */
type Row = readonly [path: string, end: string, as?: 'ann' | 'root'];

const ADDRESSES: readonly Row[] = [
  ['/', '/'],
  ['/about', '/about'],
  ['/stats', '/stats'],
  ['/login', '/user/login'],
  ['/user/login', '/user/login'],
  ['/user/register', '/user/register'],
  ['/user/reset', '/user/reset'],
  ['/user/_logout', '/'],
  ['/user/logged_out_redirect', '/user/logged-out'],
  ['/user', '/user'],
  ['/user/ann', '/user/ann'],
  ['/user/activity/ann', '/user/activity/ann'],
  ['/user/followers/ann', '/user/ann'],
  ['/user/me', '/user/ann', 'ann'],
  ['/user/dashboard', '/dashboard', 'ann'],
  ['/user/dashboard/datasets', '/dashboard/datasets', 'ann'],
  ['/dashboard', '/dashboard', 'ann'],
  ['/dashboard/datasets', '/dashboard/datasets', 'ann'],
  ['/dashboard/organizations', '/dashboard/organizations', 'ann'],
  ['/dashboard/groups', '/dashboard/groups', 'ann'],
  ['/dashboard', '/user/login'],
  ['/dataset', '/dataset'],
  ['/dataset/search?q=river', '/dataset?q=river'],
  ['/dataset/river', '/dataset/river'],
  ['/dataset/activity/river', '/dataset/activity/river'],
  ['/dataset/groups/river', '/dataset/groups/river'],
  ['/dataset/followers/river', '/dataset/river'],
  ['/dataset/history/river', '/dataset/activity/river'],
  [`/dataset/river/resource/${ID}`, `/dataset/river/resource/${ID}`],
  [`/dataset/river/resource/${ID}/view/${VIEW}`, `/dataset/river/resource/${ID}`],
  [`/dataset/river/resource/${ID}/views`, `/dataset/river/resource/${ID}/views`, 'ann'],
  [
    `/dataset/river/resource/${ID}/new_view?view_type=text_view`,
    `/dataset/river/resource/${ID}/new_view?view_type=text_view`,
    'ann',
  ],
  ['/dataset/river/related', '/dataset/river/related'],
  ['/dataset/river/related/new', '/dataset/river/related/new', 'ann'],
  ['/dataset/river/related/new', '/user/login'],
  ['/related', '/related'],
  ['/related/dashboard', '/related'],
  ['/apps', '/related'],
  ['/dataset/new', '/dataset/new', 'ann'],
  ['/dataset/new', '/user/login'],
  ['/dataset/edit/river', '/dataset/edit/river', 'ann'],
  ['/dataset/new_resource/river', '/dataset/river/resource/new', 'ann'],
  [`/dataset/river/resource_edit/${ID}`, `/dataset/river/resource/${ID}/edit`, 'ann'],
  ['/package/river', '/dataset/river'],
  ['/organization', '/organization'],
  ['/organization/town', '/organization/town'],
  ['/organization/members/town', '/organization/members/town'],
  ['/organization/activity/town', '/organization/activity/town'],
  ['/organization/about/town', '/organization/about/town'],
  ['/organization/admins/town', '/organization/members/town'],
  ['/group', '/group'],
  ['/group/water', '/group/water'],
  ['/group/members/water', '/group/members/water'],
  ['/group/activity/water', '/group/activity/water'],
  ['/group/about/water', '/group/about/water'],
  ['/group/followers/water', '/group/water'],
  ['/tag', '/tag'],
  ['/tag/open%20data', '/dataset?tags=open%20data'],
  ['/revision', '/activity'],
  ['/revision/list', '/activity'],
  ['/revision/REVISION', '/revision/REVISION'],
  ['/feeds/dataset.atom', '/feeds/dataset.atom'],
  ['/feeds/organization/town.atom', '/feeds/organization/town.atom'],
  ['/organization/new', '/organization/new', 'ann'],
  ['/organization/new', '/user/login'],
  ['/organization/edit/town', '/organization/edit/town', 'root'],
  ['/organization/edit/town', '/user/login'],
  ['/organization/bulk_process/town', '/organization/bulk_process/town', 'root'],
  ['/group/new', '/group/new', 'ann'],
  ['/group/edit/water', '/group/edit/water', 'root'],
  ['/user/edit', '/user/edit/ann', 'ann'],
  ['/user/edit', '/user/login'],
  ['/ckan-admin', '/ckan-admin', 'root'],
  ['/ckan-admin', '/user/login'],
  ['/ckan-admin/config', '/ckan-admin/config', 'root'],
  ['/ckan-admin/trash', '/ckan-admin/trash', 'root'],
  ['/en/dataset', '/en/dataset'],
  ['/ja/dataset/river', '/ja/dataset/river'],
  ['/pt_BR/organization/town', '/organization/town'],
];

let world: World;
const cookies: Record<string, string> = {};
let revision: string;
beforeAll(async () => {
  world = await createWorld();
  const as = await world.make.sysadmin();
  const password = 'correct horse';
  const { id } = await world.result('user_create', { name: 'ann', email: 'ann@example.org', password }, { as });
  const root = { name: 'root', email: 'root@example.org', password, sysadmin: true };
  await world.result('user_create', root, { as });
  const login =
    'mutation ($login: String!, $password: String!) { login(input: { login: $login, password: $password }) { session { secret } } }';
  for (const name of ['ann', 'root']) {
    const { body } = await world.graph(login, { login: name, password });
    cookies[name] = `catalog_session=${body.data.login.session.secret}`;
  }
  await world.make.organization({ name: 'town', members: { [id]: 'editor' } });
  await world.result('group_create', { name: 'water', title: 'Water' }, { as });
  const dataset = await world.result(
    'package_create',
    {
      name: 'river',
      owner_org: 'town',
      groups: [{ name: 'water' }],
      tags: [{ name: 'open data' }],
      resources: [{ id: ID, url: 'http://town.example/levels.csv', name: 'Levels' }],
    },
    { as },
  );
  revision = dataset.revision_id;
});
afterAll(() => world.end());

/** Follows redirects of an address. Returns the last path, its status, and the first status. */
async function follow(path: string, headers: Record<string, string>) {
  let at = path;
  for (let step = 0; step < 5; step++) {
    const answer = await world.request(at, {
      redirect: 'manual',
      headers: { accept: 'text/html', ...headers },
      signal: AbortSignal.timeout(5000),
    });
    const location = answer.headers.get('location');
    if (!location || answer.status < 300 || answer.status > 399)
      return { at, status: answer.status, text: answer.text };
    at = location.replace(/#.*$/, '');
  }
  return { at, status: 0, text: '' };
}

it('are 72', () => expect(new Set(ADDRESSES.map(([path]) => path)).size).toBe(72));

it.each(ADDRESSES.map(([path, end, as = 'visitor']) => [path, end, as] as const))(
  '%s leads to %s (as %s)',
  async (path, end, as) => {
    const fill = (text: string) => text.replace('REVISION', revision);
    const { at, status } = await follow(fill(path), cookies[as] ? { cookie: cookies[as] } : {});
    expect({ status, at: at.replace(/\?notice=.*/, '') }).toEqual({ status: 200, at: fill(end) });
  },
);

it('leads ids to names', async () => {
  const { id } = await world.result('package_show', { id: 'river' });
  expect((await follow(`/dataset/${id}/resource/${ID}`, {})).at).toBe(`/dataset/river/resource/${ID}`);
  expect((await follow(`/dataset/activity/${id}`, {})).at).toBe('/dataset/activity/river');
  expect((await follow(`/dataset/other/resource/${ID}`, {})).at).toBe(`/dataset/river/resource/${ID}`);
});
