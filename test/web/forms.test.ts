/** Forms of data dictionaries, views and related items, as each role, without JavaScript. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { marked, named, textsIn } from '../helpers/forms.ts';
import { createWorld, type World } from '../helpers/world.ts';

const ROLES = ['visitor', 'stranger', 'member', 'editor', 'admin', 'sysadmin'] as const;
type Role = (typeof ROLES)[number];
const LOGIN =
  'mutation ($login: String!, $password: String!) { login(input: { login: $login, password: $password }) { session { secret } } }';
const ID = '8b7cbb0c-6d2b-4fb1-a1c5-0d8a2f0a7a11';
const AT = `/dataset/river/resource/${ID}`;
const DICTIONARY = `/dataset/river/dictionary/${ID}`;

let world: World;
const cookies: Record<string, string> = { visitor: '' };
beforeAll(async () => {
  world = await createWorld({
    'catalog.plugins': ['datastore', 'recline_view', 'recline_grid_view', 'recline_graph_view', 'text_view'],
  });
  await world.datastore();
  const as = await world.make.sysadmin();
  const ids: Record<string, string> = {};
  for (const name of ROLES.slice(1)) {
    const person = { name, email: `${name}@example.org`, password: 'correct horse', sysadmin: name === 'sysadmin' };
    ids[name] = (await world.result('user_create', person, { as })).id;
    const { body } = await world.graph(LOGIN, { login: name, password: 'correct horse' });
    cookies[name] = `catalog_session=${body.data.login.session.secret}`;
  }
  const members = { [ids.member!]: 'member', [ids.editor!]: 'editor', [ids.admin!]: 'admin' } as const;
  const town = await world.make.organization({ name: 'town', title: 'Town', members });
  const resources = [{ id: ID, url: 'http://town.example/levels.csv', name: 'Levels', format: 'CSV' }];
  await world.result('package_create', { name: 'river', title: 'River', owner_org: town.id, resources }, { as });
  await world.result(
    'datastore_create',
    {
      resource_id: ID,
      force: true,
      fields: [{ id: 'station' }, { id: 'le vel', type: 'int4', info: { label: 'Level', unit: 'cm' } }],
      records: [{ station: 'Kew', 'le vel': 1 }],
    },
    { as },
  );
});
afterAll(() => world.end());

const get = (path: string, role: string) =>
  world.request(path, { redirect: 'manual', headers: { accept: 'text/html', cookie: cookies[role]! } });
const submit = (path: string, role: string, texts: Record<string, string>) =>
  world.request(path, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: cookies[role]! },
    body: new URLSearchParams(texts),
  });
/** Opens a form, changes the fields with these labels, and sends it. */
async function fill(path: string, role: string, changes: Record<string, string>) {
  const { text } = await get(path, role);
  const texts = textsIn(text);
  for (const [label, value] of Object.entries(changes)) texts[named(text, label)] = value;
  return { texts, answer: await submit(path, role, texts) };
}
const isAbove = (role: Role, lowest: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(lowest);
/** Sends a form that a system administrator has opened, as another role with that role's token. */
async function forged(path: string, role: Role, from: string, changes: Record<string, string>) {
  const { text } = await get(from, 'sysadmin');
  const texts = textsIn(text);
  for (const [label, value] of Object.entries(changes)) texts[named(text, label)] = value;
  const login = await get('/user/reset', role);
  const cookie = cookies[role] || login.headers.get('set-cookie')!.split(';')[0]!;
  const token = /name="_csrf_token" value="([^"]+)"/.exec(login.text)![1]!;
  return world.request(path, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie },
    body: new URLSearchParams({ ...texts, _csrf_token: token }),
  });
}

describe('data dictionary', () => {
  const infos = async () =>
    Object.fromEntries(
      (await world.result('datastore_search', { resource_id: ID, limit: 0 })).fields.map((field: any) => [
        field.id,
        field.info,
      ]),
    );

  it.each(ROLES)('is open to editors only: %s', async (role) => {
    const { status, headers, text } = await get(DICTIONARY, role);
    const may = isAbove(role, 'editor');
    expect(status).toBe(may ? 200 : role === 'visitor' ? 303 : 403);
    if (role === 'visitor')
      expect(headers.get('location')).toBe(`/user/login?notice=needed&came_from=${encodeURIComponent(DICTIONARY)}`);
    if (may) return expect(named(text, 'Label of station')).toMatch(/^label-/);
    const before = await infos();
    const sent = await forged(DICTIONARY, role, DICTIONARY, { 'Label of station': 'Mine' });
    expect(sent.status).toBe(role === 'visitor' ? 401 : 403);
    if (role === 'visitor') expect(sent.text).toMatch(/value="Mine"/);
    expect(await infos()).toEqual(before);
  });

  it('writes only the changed fields, and preserves other keys', async () => {
    const changes = {
      'Label of station': 'Station',
      'Description of le vel': 'Above\r\nthe sea',
      'Type of station': 'text',
    };
    const { answer, texts } = await fill(DICTIONARY, 'editor', changes);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `${AT}#columns`]);
    const after = {
      _id: undefined,
      station: { label: 'Station', type_override: 'text' },
      'le vel': { label: 'Level', unit: 'cm', notes: 'Above\nthe sea' },
    };
    expect(await infos()).toEqual(after);
    const again = await submit(DICTIONARY, 'editor', texts); // a second click
    expect([303, 409]).toContain(again.status);
    expect(await infos()).toEqual(after);
    await fill(DICTIONARY, 'editor', { 'Label of le vel': '' });
    expect((await infos())['le vel']).toEqual({ unit: 'cm', notes: 'Above\nthe sea' });
  });

  it('shows both versions of a conflict, and saves the chosen values', async () => {
    const { text } = await get(DICTIONARY, 'editor');
    const mine = { ...textsIn(text), [named(text, 'Label of station')]: 'Mine' };
    await fill(DICTIONARY, 'admin', { 'Label of station': 'Theirs', 'Label of le vel': 'Also theirs' });
    const conflict = await submit(DICTIONARY, 'editor', mine);
    expect(conflict.status).toBe(409);
    expect(conflict.text).toMatch(/saved this data dictionary/);
    expect((await infos()).station.label).toBe('Theirs');
    const merged = textsIn(conflict.text);
    expect((await submit(DICTIONARY, 'editor', merged)).status).toBe(303);
    expect([(await infos()).station.label, (await infos())['le vel'].label]).toEqual(['Mine', 'Also theirs']);
  });

  it('returns 404 for an unknown resource, and is linked for editors only', async () => {
    expect((await get('/dataset/river/dictionary/nothing', 'editor')).status).toBe(404);
    expect((await get(AT, 'editor')).text).toContain(`href="${DICTIONARY}"`);
    expect((await get(AT, 'visitor')).text).not.toContain(DICTIONARY);
  });

  it('survives tampered forms', async () => {
    const { text } = await get(DICTIONARY, 'editor');
    const before = await infos();
    for (const columns of ['', 'x', '{}', '[[1]]', 'null', '[{"toString":1}]'])
      expect([303, 409]).toContain((await submit(DICTIONARY, 'editor', { ...textsIn(text), columns })).status);
    expect((await submit(DICTIONARY, 'visitor', { columns: '[{"toString":1}]' })).status).toBe(401);
    expect(await infos()).toEqual(before);
  });

  it('preserves columns that a form of a wide table does not show', async () => {
    const as = await world.make.sysadmin();
    const resource = { package_id: 'river', url: 'http://town.example/wide.csv' };
    const { id } = await world.result('resource_create', resource, { as });
    const fields = Array.from({ length: 900 }, (_, index) => ({ id: `c${index}`, type: 'int4', info: { label: 'L' } }));
    await world.result('datastore_create', { resource_id: id, force: true, fields }, { as });
    const { answer } = await fill(`/dataset/river/dictionary/${id}`, 'editor', { 'Label of c1': 'One' });
    expect(answer.status).toBe(303);
    const { fields: after } = await world.result('datastore_search', { resource_id: id, limit: 0 });
    expect([2, 900].map((index) => after[index].info.label)).toEqual(['One', 'L']);
  });
});

describe('views', () => {
  const NEW = `${AT}/new_view?view_type=recline_graph_view`;
  const views = async (): Promise<any[]> =>
    world.result('resource_view_list', { id: ID }, { as: (await world.make.sysadmin()) as never });
  const clear = async () => {
    const as = (await world.make.sysadmin()) as never;
    for (const { id } of await views()) await world.result('resource_view_delete', { id }, { as });
  };
  const make = async (title: string, more: Record<string, unknown> = {}) =>
    world.result(
      'resource_view_create',
      { resource_id: ID, view_type: 'recline_view', title, ...more },
      { as: (await world.make.sysadmin()) as never },
    );

  it.each(ROLES)('are open to editors only: %s', async (role) => {
    await clear();
    const { id } = await make('One');
    const may = isAbove(role, 'editor');
    for (const path of [`${AT}/views`, NEW, `${AT}/edit_view/${id}`, `${AT}/delete_view/${id}`]) {
      const { status, headers } = await get(path, role);
      expect([path, status]).toEqual([path, may ? 200 : role === 'visitor' ? 303 : 403]);
      if (role === 'visitor')
        expect(headers.get('location')).toBe(`/user/login?notice=needed&came_from=${encodeURIComponent(path)}`);
    }
    if (may) return;
    const before = await views();
    const sent = [
      await forged(NEW, role, NEW, { Title: 'Forged' }),
      await forged(`${AT}/edit_view/${id}`, role, `${AT}/edit_view/${id}`, { Title: 'Forged' }),
      await forged(`${AT}/delete_view/${id}`, role, NEW, {}),
      await forged(`${AT}/views/${id}/move`, role, NEW, {}),
    ];
    expect(sent.map(({ status }) => status)).toEqual(role === 'visitor' ? [401, 401, 303, 303] : [403, 403, 403, 403]);
    if (role === 'visitor') for (const { text } of sent.slice(0, 2)) expect(text).toMatch(/value="Forged"/);
    expect(await views()).toEqual(before);
  });

  it('are added once, with the fields of their type', async () => {
    await clear();
    expect((await get(`${AT}/views`, 'editor')).text).toContain('new_view?view_type=recline_graph_view');
    const changes = {
      Title: 'Levels',
      'Column of the first axis': 'station',
      'Columns of the second axis': 'le vel\r\n',
    };
    const { texts, answer } = await fill(NEW, 'editor', { ...changes, 'Kind of chart': 'bars', 'Maximum rows': '20' });
    expect(answer.status).toBe(303);
    const again = await submit(NEW, 'editor', texts); // a second click
    expect(again.headers.get('location')).toBe(answer.headers.get('location'));
    expect(await views()).toMatchObject([
      {
        title: 'Levels',
        view_type: 'recline_graph_view',
        graph_type: 'bars',
        group: 'station',
        series: ['le vel'],
        limit: 20,
      },
    ]);
  });

  it('show errors beside their fields', async () => {
    await clear();
    const { answer } = await fill(NEW, 'editor', { Title: ' ', 'Maximum rows': 'many', 'Kind of chart': 'pie' });
    expect([answer.status, marked(answer.text)]).toEqual([422, ['title', 'fields-limit', 'fields-graph_type']]);
    expect(textsIn(answer.text)).toMatchObject({ 'fields-limit': 'many', 'fields-graph_type': 'pie' });
    expect((await get(`${AT}/new_view?view_type=nothing`, 'editor')).status).toBe(404);
    expect(await views()).toEqual([]);
  });

  it('change only in the edited fields, and preserve the rest', async () => {
    await clear();
    const { id } = await make('One', { view_type: 'recline_grid_view', limit: 3, offset: 1, description: 'Old' });
    const at = `${AT}/edit_view/${id}`;
    const { text } = await get(at, 'editor');
    const mine = { ...textsIn(text), [named(text, 'Maximum rows')]: '7' };
    expect((await fill(at, 'admin', { Description: 'New' })).answer.status).toBe(303);
    const conflict = await submit(at, 'editor', mine);
    expect(conflict.status).toBe(409);
    expect((await submit(at, 'editor', textsIn(conflict.text))).status).toBe(303);
    expect(await views()).toMatchObject([{ title: 'One', description: 'New', limit: 7, offset: 1 }]);
    const { answer } = await fill(at, 'editor', { 'Maximum rows': '-1' });
    expect([answer.status, marked(answer.text)]).toEqual([422, ['fields-limit']]);
  });

  it('are reordered and deleted', async () => {
    await clear();
    const [one, two] = [await make('One'), await make('Two')];
    const { text } = await get(`${AT}/views`, 'editor');
    const token = /name="_csrf_token" value="([^"]+)"/.exec(text)![1]!;
    for (const _ of [1, 2]) await submit(`${AT}/views/${two.id}/move`, 'editor', { _csrf_token: token, position: '0' });
    expect((await views()).map(({ title }) => title)).toEqual(['Two', 'One']);
    expect((await submit(`${AT}/delete_view/${one.id}`, 'editor', { _csrf_token: token })).status).toBe(303);
    expect((await submit(`${AT}/delete_view/${one.id}`, 'editor', { _csrf_token: token })).status).toBe(404);
    expect((await views()).map(({ title }) => title)).toEqual(['Two']);
  });
});

describe('related items', () => {
  const LIST = '/dataset/river/related';
  const items = async (): Promise<any[]> => world.result('related_list', { id: 'river' });
  const owned = async (title: string): Promise<string> => {
    const { answer } = await fill(`${LIST}/new`, 'stranger', { Title: title });
    expect(answer.headers.get('location')).toBe(LIST);
    return (await items()).find((item) => item.title === title).id;
  };

  it.each(ROLES)('can be added by all signed-in users: %s', async (role) => {
    const { status, headers } = await get(`${LIST}/new`, role);
    expect(status).toBe(role === 'visitor' ? 303 : 200);
    expect((await get(LIST, role)).status).toBe(200);
    expect((await get(LIST, role)).text.includes(`href="${LIST}/new"`)).toBe(role !== 'visitor');
    if (role !== 'visitor') return;
    expect(headers.get('location')).toBe(`/user/login?notice=needed&came_from=${encodeURIComponent(`${LIST}/new`)}`);
    const sent = await forged(`${LIST}/new`, role, `${LIST}/new`, { Title: 'Forged' });
    expect([sent.status, /value="Forged"/.test(sent.text), await items()]).toEqual([401, true, []]);
  });

  it('are added once, and appear in both lists', async () => {
    const changes = {
      Title: 'Flood <map>',
      URL: 'https://town.example/map',
      Type: 'visualization',
      Description: 'Shows it',
    };
    const { texts, answer } = await fill(`${LIST}/new`, 'stranger', changes);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, LIST]);
    expect((await submit(`${LIST}/new`, 'stranger', texts)).status).toBe(303); // a second click
    expect(await items()).toMatchObject([
      { title: 'Flood <map>', type: 'visualization', url: 'https://town.example/map' },
    ]);
    for (const path of [LIST, '/related', '/related?type=visualization'])
      expect((await get(path, 'visitor')).text).toMatch(/Flood &lt;map(&gt;|>)/);
    expect((await get('/related?type=idea', 'visitor')).text).not.toMatch(/Flood/);
    expect((await get('/related?type=idea&after=x', 'visitor')).status).toBe(422);
  });

  it('show all errors at once beside their fields', async () => {
    const { answer } = await fill(`${LIST}/new`, 'stranger', {
      Title: '',
      URL: 'javascript:1',
      Picture: 'x',
      Type: '',
    });
    expect([answer.status, marked(answer.text)]).toEqual([422, ['title', 'type', 'url', 'imageUrl']]);
    expect(textsIn(answer.text)).toMatchObject({ url: 'javascript:1', imageUrl: 'x' });
  });

  it.each(ROLES)('are changed by their owner, and deleted by editors too: %s', async (role) => {
    const id = await owned(`Item for ${role}`);
    const [edit, remove] = [`${LIST}/edit/${id}`, `${LIST}/delete/${id}`];
    const mayEdit = role === 'stranger' || role === 'sysadmin';
    const mayDelete = mayEdit || isAbove(role, 'editor');
    const refused = role === 'visitor' ? 303 : 403;
    expect((await get(edit, role)).status).toBe(mayEdit ? 200 : refused);
    expect((await get(remove, role)).status).toBe(mayDelete ? 200 : refused);
    const { text } = await get(LIST, role);
    expect([text.includes(edit), text.includes(remove)]).toEqual([mayEdit, mayDelete]);
    if (!mayEdit) {
      const sent = await forged(edit, role, edit, { Title: 'Forged' });
      expect(sent.status).toBe(role === 'visitor' ? 401 : 403);
    }
    const sent = await forged(remove, role, edit, {});
    expect(sent.status).toBe(mayDelete ? 303 : refused);
    expect((await items()).map((item) => item.title).includes(`Item for ${role}`)).toBe(!mayDelete);
  });

  it('show both versions of a conflict', async () => {
    const edit = `${LIST}/edit/${await owned('Contested')}`;
    const { text } = await get(edit, 'stranger');
    const mine = { ...textsIn(text), [named(text, 'URL')]: 'http://mine.example/' };
    await fill(edit, 'sysadmin', { Title: 'Theirs' });
    const conflict = await submit(edit, 'stranger', mine);
    expect([conflict.status, /saved this related item/.test(conflict.text)]).toEqual([409, true]);
    expect((await submit(edit, 'stranger', textsIn(conflict.text))).status).toBe(303);
    expect((await items()).find(({ title }) => title === 'Theirs')).toMatchObject({ url: 'http://mine.example/' });
    expect((await get(`${LIST}/edit/nothing`, 'stranger')).status).toBe(404);
  });
});
