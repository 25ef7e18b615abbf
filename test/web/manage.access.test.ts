/** Permissions to open and submit each form of organizations, groups, members, users and the administration. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWorld, type World } from '../helpers/world.ts';

const ROLES = ['visitor', 'stranger', 'member', 'editor', 'admin', 'sysadmin'] as const;
type Role = (typeof ROLES)[number];
const LOGIN =
  'mutation ($login: String!, $password: String!) { login(input: { login: $login, password: $password }) { session { secret } } }';

let world: World;
const cookies: Record<string, string> = { visitor: '' };
const ids: Record<string, string> = {};
beforeAll(async () => {
  world = await createWorld({
    'catalog.auth.user_create_groups': false,
    'catalog.auth.user_create_organizations': false,
  });
  const as = await world.make.sysadmin();
  for (const name of ROLES.slice(1)) {
    const person = { name, email: `${name}@example.org`, password: 'correct horse', sysadmin: name === 'sysadmin' };
    ids[name] = (await world.result('user_create', person, { as })).id;
    const { body } = await world.graph(LOGIN, { login: name, password: 'correct horse' });
    cookies[name] = `catalog_session=${body.data.login.session.secret}`;
  }
  const members = { [ids.member!]: 'member', [ids.editor!]: 'editor', [ids.admin!]: 'admin' } as const;
  const town = await world.make.organization({ name: 'town', title: 'Town', members });
  await world.make.group({ name: 'water', title: 'Water', members });
  await world.make.dataset({ name: 'river', ownerOrganization: town.id });
  await world.make.dataset({ name: 'secret', title: 'Hidden words', ownerOrganization: town.id, private: true });
});
afterAll(() => world.end());

const get = (path: string, role: string, headers: Record<string, string> = {}) =>
  world.request(path, { redirect: 'manual', headers: { accept: 'text/html', cookie: cookies[role]!, ...headers } });
const tokenIn = (text: string): string => /name="_csrf_token" value="([^"]+)"/.exec(text)?.[1] ?? '';
/** Sends a form with a token that is valid for the role. */
async function post(path: string, role: string, fields: Record<string, string>) {
  const login = await get('/user/reset', role);
  const cookie = cookies[role] || login.headers.get('set-cookie')!.split(';')[0]!;
  const body = new URLSearchParams({ _csrf_token: tokenIn(login.text), ...fields });
  return world.request(path, { method: 'POST', redirect: 'manual', headers: { cookie }, body });
}
const isAbove = (role: Role, lowest: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(lowest);
const show = (action: string, id: string) => world.result(action, { id }, { as: null });

describe.each(ROLES)('as %s', (role) => {
  const refused = role === 'visitor' ? 303 : 403;
  it.each([
    ['/organization/new', 'sysadmin'],
    ['/group/new', 'sysadmin'],
    ['/organization/edit/town', 'admin'],
    ['/organization/delete/town', 'admin'],
    ['/organization/bulk_process/town', 'admin'],
    ['/group/edit/water', 'admin'],
    ['/group/delete/water', 'admin'],
    ['/user/edit/admin', 'admin'],
    ['/dashboard', 'stranger'],
    ['/dashboard/datasets', 'stranger'],
    ['/dashboard/organizations', 'stranger'],
    ['/dashboard/groups', 'stranger'],
    ['/ckan-admin', 'sysadmin'],
    ['/ckan-admin/config', 'sysadmin'],
    ['/ckan-admin/reset_config', 'sysadmin'],
    ['/ckan-admin/trash', 'sysadmin'],
    ['/ckan-admin/jobs', 'sysadmin'],
  ] as const)('opens %s to the role %s and above', async (path, lowest) => {
    const { status, headers, text } = await get(path, role);
    const may = isAbove(role, lowest);
    expect(status).toBe(may ? 200 : refused);
    expect(headers.get('cache-control')).toMatch(/no-store/);
    if (!may) expect(text).not.toMatch(/Hidden words|admin@example/);
    if (status === 303)
      expect(headers.get('location')).toBe(`/user/login?notice=needed&came_from=${encodeURIComponent(path)}`);
  });

  it.each([
    ['/organization/new', { name: 'made' }, 'sysadmin'],
    ['/group/new', { name: 'made-group' }, 'sysadmin'],
    ['/organization/edit/town', { title: 'x', version: '1' }, 'admin'],
    ['/organization/delete/town', {}, 'admin'],
    ['/organization/restore/town', {}, 'admin'],
    ['/organization/members/town', { user: 'stranger', capacity: 'admin' }, 'admin'],
    ['/organization/members/town', { user: 'admin', verb: 'remove' }, 'admin'],
    ['/organization/bulk_process/town', { change: 'MAKE_PRIVATE', 'dataset-river': 'on' }, 'admin'],
    ['/group/edit/water', { title: 'x', version: '1' }, 'admin'],
    ['/group/delete/water', {}, 'admin'],
    ['/group/members/water', { user: 'stranger', capacity: 'member' }, 'admin'],
    ['/dataset/groups/river', { group: 'water' }, 'member'],
    ['/user/edit/admin', { fullName: 'x', version: '1' }, 'admin'],
    ['/ckan-admin/config', { 'catalog.site_title': 'Taken' }, 'sysadmin'],
    ['/ckan-admin/reset_config', {}, 'sysadmin'],
    ['/ckan-admin/users/stranger', { verb: 'promote' }, 'sysadmin'],
    ['/ckan-admin/users/stranger', { verb: 'delete', confirmed: 'true' }, 'sysadmin'],
    ['/ckan-admin/trash/dataset/river', { confirmed: 'true' }, 'sysadmin'],
    ['/ckan-admin/trash/organization/town', { confirmed: 'true' }, 'sysadmin'],
  ] as const)('refuses %s %j to roles below %s', async (path, fields, lowest) => {
    if (isAbove(role, lowest)) return;
    const before = await Promise.all([show('organization_show', 'town'), show('group_show', 'water')]);
    const { status } = await post(path, role, fields as Record<string, string>);
    expect(role === 'visitor' ? [401, 303] : [403]).toContain(status);
    expect(await Promise.all([show('organization_show', 'town'), show('group_show', 'water')])).toEqual(before);
    expect((await show('user_show', 'stranger')).sysadmin).toBe(false);
    expect((await show('package_show', 'river')).groups).toEqual([]);
  });
});

describe('pages that caches store', () => {
  it.each(['/dataset/river', '/organization/town', '/group/water', '/user/admin', '/organization/members/town'])(
    '%s has no form, and varies by the header of keys',
    async (path) => {
      const { text, headers } = await get(path, 'visitor');
      expect(text).not.toMatch(/<form method="post"/);
      expect(headers.get('set-cookie')).toBeNull();
      expect(headers.get('vary')).toMatch(/X-CKAN-API-Key/i);
    },
  );
});

describe('faults', () => {
  const marked = (text: string) =>
    [...text.matchAll(/<(?:input|textarea|select)[^>]*name="([^"]+)"[^>]*aria-invalid="true"/g)].map(
      ([, name]) => name,
    );

  it('are beside their fields, and the input is preserved', async () => {
    const fields = { title: 'T'.repeat(200), name: 'No Name!', description: 'typed\r\nlines' };
    const { status, text } = await post('/organization/new', 'sysadmin', fields);
    expect([status, marked(text), text.includes('typed\nlines') || text.includes('typed\r\nlines')]).toEqual([
      422,
      ['name'],
      true,
    ]);
  });

  it.each([
    ['/organization/members/town', { user: 'nobody-here', capacity: 'admin' }, ['user']],
    ['/organization/members/town', { user: 'stranger', capacity: 'king' }, ['capacity']],
    ['/organization/members/town', { user: 'nobody-here', capacity: 'king' }, ['user', 'capacity']],
  ] as const)('of %s with %j are beside their fields', async (path, fields, names) => {
    const { status, text } = await post(path, 'admin', fields);
    expect([status, marked(text)]).toEqual([422, names]);
  });

  it('of settings are beside their fields', async () => {
    const { status, text } = await post('/ckan-admin/config', 'sysadmin', {
      'catalog.homepage_style': 'nine',
      'catalog.site_title': 'Kept',
    });
    expect([status, marked(text), text.includes('value="Kept"')]).toEqual([422, ['catalog.homepage_style'], true]);
  });

  it('show both versions of settings that another administrator has changed', async () => {
    const open = async () => {
      const { text } = await get('/ckan-admin/config', 'sysadmin');
      const hidden = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)![1]!;
      return { version: hidden('version'), base: hidden('base') };
    };
    const title = async () => /<a class="site"[^>]*>.*?<\/a>/s.exec((await get('/about', 'visitor')).text)![0];
    const save = (fields: Record<string, string>) => post('/ckan-admin/config', 'sysadmin', fields);
    const before = await open();
    expect((await save({ ...before, 'catalog.site_title': 'Theirs' })).status).toBe(303);
    expect((await save({ ...before, 'catalog.site_description': 'Another setting' })).status).toBe(303);
    const conflict = await save({ ...before, 'catalog.site_title': 'Mine' });
    expect([conflict.status, conflict.text.includes('name="choice-catalog.site_title" value="theirs"')]).toEqual([
      409,
      true,
    ]);
    expect(conflict.text).toContain('<h1>Another user has saved the settings</h1>');
    expect(await title()).toContain('Theirs');
    const chosen = { ...before, version: (await open()).version, 'catalog.site_title': 'Mine' };
    expect((await save({ ...chosen, 'choice-catalog.site_title': 'theirs' })).status).toBe(303);
    expect(await title()).toContain('Theirs');
    expect((await save({ ...chosen, 'choice-catalog.site_title': 'mine' })).status).toBe(303);
    expect(await title()).toContain('Mine');
  });

  it.each(['/organization/edit/town', '/group/new', '/user/edit/sysadmin', '/ckan-admin/config'])(
    '%s reports the limit of the form size',
    async (path) => {
      const { status, text } = await post(path, 'sysadmin', { description: 'x'.repeat(11 * 2 ** 20) });
      expect([status, text.includes('exceed 10485760 bytes')]).toEqual([413, true]);
    },
  );

  it.each(['/organization/edit/town', '/group/new', '/user/edit/sysadmin', '/ckan-admin/config'])(
    '%s preserves the input when the session has ended',
    async (path) => {
      const { status, text } = await post(path, 'visitor', { title: 'Typed before', fullName: 'Typed before' });
      expect([status, text.includes('Typed before')]).toEqual([401, true]);
    },
  );

  it.each(['abc', '', '-1', '99999999999999999999', '0'])('a version of %j is a conflict', async (version) => {
    const { status, text } = await post('/organization/edit/town', 'admin', { title: 'Mine', version });
    expect([status, text.includes('Another user has saved this organization')]).toEqual([409, true]);
  });

  it.each([
    ['/organization/nothing/town', 404],
    ['/organization/edit/nowhere', 404],
    ['/group/edit/town', 404],
    ['/ckan-admin/trash/star/sun', 404],
  ])('%s sent by a system administrator gets %i', async (path, status) => {
    expect((await post(path, 'sysadmin', { version: '1', confirmed: 'true' })).status).toBe(status);
  });
});
