/** The dataset form: fields of declared types, and tags of vocabularies. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { marked, named, textsIn } from '../helpers/forms.ts';
import { createWorld, type World } from '../helpers/world.ts';

const LOGIN =
  'mutation ($login: String!, $password: String!) { login(input: { login: $login, password: $password }) { session { secret } } }';
const SCHEMA = {
  type: 'object',
  required: ['frequency', 'depth'],
  properties: {
    frequency: { type: 'string', enum: ['daily', 'yearly'], title: 'Update frequency' },
    depth: { type: 'number', maximum: 100, description: 'In metres.' },
    is_tidal: { type: ['boolean', 'null'] },
    begun: { type: 'string', format: 'date' },
    stations: { type: 'array', items: { type: 'string', minLength: 2 } },
    years: { type: 'array', items: { type: 'integer' } },
    'remark on it': { type: 'string' },
    box: { type: 'object' },
  },
};
const FORM = '/dataset/new?type=measurement';

let world: World;
let cookie: string;
let small: string;
let large: string;
beforeAll(async () => {
  // Fewer rows than the tags that the form lists of a vocabulary.
  world = await createWorld({ 'catalog.dataset_types': { measurement: SCHEMA } as never, 'catalog.limits.rows': 50 });
  const as = await world.make.sysadmin();
  const person = { name: 'ann', email: 'ann@example.org', password: 'correct horse' };
  const { id } = await world.result('user_create', person, { as });
  const { body } = await world.graph(LOGIN, { login: 'ann', password: 'correct horse' });
  cookie = `catalog_session=${body.data.login.session.secret}`;
  await world.make.organization({ name: 'town', members: { [id]: 'editor' } });
  const vocabulary = async (name: string, tags: string[]): Promise<string> =>
    (await world.result('vocabulary_create', { name, tags: tags.map((tag) => ({ name: tag })) }, { as })).id;
  small = await vocabulary('Waters', ['lakes', 'rivers', 'seas']);
  large = await vocabulary(
    'Places',
    Array.from({ length: 120 }, (_, index) => `place ${index}`),
  );
});
afterAll(() => world.end());

const get = (path: string) => world.request(path, { redirect: 'manual', headers: { accept: 'text/html', cookie } });
const send = (path: string, texts: Record<string, string> | URLSearchParams, as = cookie) =>
  world.request(path, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: as },
    body: new URLSearchParams(texts),
  });
/** Opens a form and changes the fields with these labels. */
async function filled(path: string, changes: Record<string, string>) {
  const { text } = await get(path);
  const texts = textsIn(text);
  for (const [label, value] of Object.entries(changes)) texts[named(text, label)] = value;
  return texts;
}
const show = (id: string) => world.result('package_show', { id });
const PUBLISHED = { state: 'active' };

describe('fields of a declared type', () => {
  it('are in the form of that type only, with their inputs, hints and required marks', async () => {
    const { text } = await get(FORM);
    expect(text).toMatch(/<select[^>]*name="fields-frequency"[^>]* required/);
    expect(text).toMatch(/Required\. In metres\./);
    expect(text).toMatch(/<input[^>]*name="fields-begun"[^>]*type="date"/);
    expect(text).toMatch(/<textarea[^>]*name="fields-stations"/);
    expect(text).toMatch(/<label for="field-fields-remark%20on%20it">Remark on it</);
    const plain = await get('/dataset/new');
    expect(plain.text).not.toMatch(/name="fields-/);
    expect(plain.text).toContain(`href="${FORM}"`);
    expect((await get('/dataset/new?type=other')).status).toBe(404);
  });

  it('show all errors at once beside them, and preserve the input', async () => {
    const texts = await filled(FORM, {
      Title: 'Faulty',
      'Is tidal': 'maybe',
      Depth: 'deep',
      Begun: 'soon',
      Stations: 'Kew\r\nX',
      Years: '2001\r\nlast',
      Box: '[1]',
    });
    const { status, text } = await send(FORM, { ...texts, ...PUBLISHED });
    expect([status, marked(text).sort()]).toEqual([
      422,
      ['begun', 'box', 'depth', 'frequency', 'is_tidal', 'stations', 'years'].map((name) => `fields-${name}`),
    ]);
    expect(textsIn(text)).toMatchObject({
      ...{ 'fields-depth': 'deep', 'fields-begun': 'soon', 'fields-is_tidal': 'maybe' },
      ...{ 'fields-years': '2001\nlast', 'fields-box': '[1]' },
    });
  });

  it('refuse infinite numbers, values that are nested too deep, and values of another type', async () => {
    const given = { Title: 'Deep', 'Update frequency': 'daily', Depth: '1e999' };
    for (const box of ['['.repeat(200_000), `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 'null', '"x"', '{']) {
      const { status, text } = await send(FORM, { ...(await filled(FORM, { ...given, Box: box })), ...PUBLISHED });
      expect([status, marked(text)]).toEqual([422, box === 'null' ? ['fields-depth'] : ['fields-depth', 'fields-box']]);
    }
  });

  it('are saved once with their types, and merged field by field after a conflict', async () => {
    const changes = { Title: 'River depth', 'Update frequency': 'daily', Depth: '3.5', 'Is tidal': 'false' };
    const more = { Begun: '2020-02-29', Stations: 'Kew\r\n\r\nRichmond', Years: '2001\r\n2002', Box: '{"a":1}' };
    const texts = { ...(await filled(FORM, { ...changes, ...more, 'Remark on it': 'None' })), ...PUBLISHED };
    const first = await send(FORM, texts);
    expect(first.headers.get('location')).toBe('/dataset/river-depth');
    expect((await send(FORM, texts)).headers.get('location')).toBe('/dataset/river-depth'); // a second click
    const stored = {
      ...{ type: 'measurement', frequency: 'daily', depth: 3.5, is_tidal: false, begun: '2020-02-29' },
      ...{ stations: ['Kew', 'Richmond'], years: [2001, 2002], box: { a: 1 }, 'remark on it': 'None' },
    };
    expect(await show('river-depth')).toMatchObject(stored);
    const edit = '/dataset/edit/river-depth';
    const other = await filled(edit, { Depth: '4' });
    await send(edit, await filled(edit, { 'Remark on it': '', Years: '2003' }));
    const conflict = await send(edit, other);
    expect(conflict.status).toBe(409);
    expect((await send(edit, textsIn(conflict.text))).status).toBe(303);
    const { 'remark on it': _gone, ...rest } = stored;
    const after = await show('river-depth');
    expect(after).toMatchObject({ ...rest, depth: 4, years: [2003] });
    expect(after).not.toHaveProperty('remark on it');
  });

  it('preserve the input when the session has ended', async () => {
    const texts = await filled('/dataset/edit/river-depth', { Depth: '7' });
    const { status, text } = await send('/dataset/edit/river-depth', texts, '');
    expect([status, textsIn(text)['fields-depth']]).toEqual([401, '7']);
    expect((await show('river-depth')).depth).toBe(4);
  });
});

describe('tags of vocabularies', () => {
  const tags = async (name: string) => (await show(name)).tags.map((tag: any) => [tag.name, tag.vocabulary_id]).sort();

  it('are chosen from a list, or typed for large vocabularies', async () => {
    const { text } = await get('/dataset/new');
    expect(text).toMatch(new RegExp(`<select[^>]*name="tags-${small}"[^>]* multiple`));
    expect(text).toMatch(new RegExp(`<input[^>]*name="tags-${large}"`));
    const texts = await filled('/dataset/new', { Title: 'Tagged', Tags: 'free', Places: 'place 7, place 8' });
    const sent = new URLSearchParams({ ...texts, ...PUBLISHED });
    for (const tag of ['lakes', 'seas']) sent.append(`tags-${small}`, tag); // as browsers send a choice of several
    expect((await send('/dataset/new', sent)).status).toBe(303);
    const all = [
      ['free', null],
      ['lakes', small],
      ['place 7', large],
      ['place 8', large],
      ['seas', small],
    ];
    expect(await tags('tagged')).toEqual(all);
    const edit = '/dataset/edit/tagged';
    expect(textsIn((await get(edit)).text)).toMatchObject({ [`tags-${small}`]: 'lakes,seas', tags: 'free' });
    await send(edit, await filled(edit, { Title: 'Tagged again' }));
    expect(await tags('tagged')).toEqual(all);
    await send(edit, await filled(edit, { Waters: '' }));
    expect(await tags('tagged')).toEqual(all.filter(([, vocabulary]) => vocabulary !== small));
    await send(edit, await filled(edit, { Tags: '' }));
    expect(await tags('tagged')).toEqual(all.filter(([, vocabulary]) => vocabulary === large));
  });

  it('show an error beside their field if they do not exist', async () => {
    const texts = await filled('/dataset/edit/tagged', { Places: 'place 7, nowhere', Tags: 'ok, b/d' });
    const { status, text } = await send('/dataset/edit/tagged', texts);
    expect([status, marked(text)]).toEqual([422, ['tags', `tags-${large}`]]);
    expect(textsIn(text)).toMatchObject({ [`tags-${large}`]: 'place 7, nowhere', tags: 'ok, b/d' });
  });

  it('show both versions of a conflict', async () => {
    const edit = '/dataset/edit/tagged';
    const mine = await filled(edit, { Waters: 'rivers' });
    await send(edit, await filled(edit, { Places: 'place 9' }));
    const conflict = await send(edit, mine);
    expect(conflict.status).toBe(409);
    expect((await send(edit, textsIn(conflict.text))).status).toBe(303);
    expect(await tags('tagged')).toEqual([
      ['place 9', large],
      ['rivers', small],
    ]);
  });
});
