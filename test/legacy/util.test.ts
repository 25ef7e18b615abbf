/** The Util interface. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { slugOf } from '../../src/catalog/name/name.rules.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
  const admin = await world.make.user({ name: 'admin', sysadmin: true });
  await world.result(
    'package_create',
    { name: 'rivers', title: 'All rivers', tags: [{ name: 'wet' }], resources: [{ url: 'http://a.b', format: 'CSV' }] },
    { as: admin },
  );
  await world.make.group({ name: 'water', title: 'Water' });
});
afterAll(() => world.end());

const util = async (path: string) => {
  const { status, body } = await world.request(`/api/2/util/${path}`);
  return status === 200 ? body : { status, body };
};

it.each([
  ['TITLE', 'Some Title: (2012)', 'some-title-2012'],
  ['TITLE', 'Łódź & Wien', 'od-wien'],
  ['TITLE', 'a', 'a_'],
  ['TITLE', '!!!', '__'],
  ['TITLE', `Report ${'long '.repeat(30)}2011`, `report-${'long-'.repeat(30)}`.slice(0, 90) + '-2011'],
  ['NAME', 'Some Name', 'some-name'],
  ['NAME', '', '__'],
  ['NAME', 'x'.repeat(120), 'x'.repeat(100)],
  ['TAG', 'Été, sun', 'ete-sun'],
  ['TAG', 'Some Tag!', 'some-tag'],
] as const)('makes a %s slug from %j', (kind, text, name) => {
  expect(slugOf(text, kind)).toBe(name);
});

it('suggests slugs and reports whether they are available', async () => {
  expect(await util('package/create_slug?title=My+Title')).toEqual({ valid: true, name: 'my-title' });
  expect(await util('package/create_slug?title=Rivers')).toEqual({ valid: false, name: 'rivers' });
  expect(await util('package/create_slug?title=New')).toEqual({ valid: false, name: 'new' });
  expect(await util('package/create_slug')).toMatchObject({ status: 409, body: { title: ['Missing value'] } });
  expect(await util('is_slug_valid?type=package&slug=rivers')).toEqual({ valid: false });
  expect(await util('is_slug_valid?type=group&slug=rivers')).toEqual({ valid: true });
  expect(await util('is_slug_valid?type=group&slug=water')).toEqual({ valid: false });
  expect(await util('is_slug_valid?type=bogus&slug=x')).toEqual({
    status: 400,
    body: 'Bad request - Bad slug type: bogus',
  });
});

it('completes names, tags, formats and users', async () => {
  expect((await util('dataset/autocomplete?incomplete=riv')).ResultSet.Result).toMatchObject([{ name: 'rivers' }]);
  expect((await util('dataset/autocomplete')).ResultSet.Result).toEqual([]);
  expect((await util('dataset/autocomplete?incomplete=r&limit=x')).status).toBe(409);
  expect((await util('tag/autocomplete?incomplete=we')).ResultSet.Result).toEqual([{ Name: 'wet' }]);
  expect((await util('tag/autocomplete')).ResultSet.Result).toEqual([]);
  expect((await util('resource/format_autocomplete?incomplete=c')).ResultSet.Result).toEqual([{ Format: 'csv' }]);
  expect(await util('group/autocomplete?q=wat&limit=x')).toMatchObject([{ name: 'water' }]);
  expect(await util('user/autocomplete?q=adm')).toMatchObject([{ name: 'admin' }]);
  expect(await util('user/autocomplete')).toEqual([]);
});

it('renders Markdown by GET and by form, and escapes HTML', async () => {
  expect(await util('markdown?q=**b**+_i_')).toBe('<p><strong>b</strong> <em>i</em></p>');
  const posted = await world.request('/api/util/markdown', {
    method: 'POST',
    body: new URLSearchParams({ q: '<b>x</b>' }),
  });
  expect(posted.body).toBe('<p>&lt;b&gt;x&lt;/b&gt;</p>');
  const long = '<i>'.repeat(20_000);
  const great = await world.request('/api/util/markdown', { method: 'POST', body: new URLSearchParams({ q: long }) });
  expect(great.body).toBe(`<pre>${'&lt;i&gt;'.repeat(20_000)}</pre>`);
});

it('serves the status, and exists only under versions 1 and 2', async () => {
  expect(await util('status')).toMatchObject({ ckan_version: '2.4.9' });
  expect((await world.request('/api/util/status?callback=f')).text).toMatch(/^\/\*\*\/f\(/);
  expect((await world.request('/api/3/util/status')).status).toBe(404);
  expect((await world.request('/api/2/util/dataset/autocomplete', { method: 'POST' })).status).toBe(404);
});

it('returns no translations', async () => {
  for (const prefix of ['/api', '/api/1', '/api/2']) expect((await world.request(`${prefix}/i18n/ja`)).text).toBe('{}');
});
