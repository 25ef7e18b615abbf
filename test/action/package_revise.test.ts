/** package_revise: match, update, filter and include, uploaded files, and concurrent writers. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { documentsCheck } from '../../src/catalog/dataset/read/documents.service.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let editor: TestUser;
let stranger: TestUser;
let name: string;
let n = 0;
beforeAll(async () => {
  world = await createWorld({ 'catalog.action_api.status': 'http', 'catalog.auth.create_unowned_dataset': false });
  [editor, stranger] = await Promise.all([world.make.user({ name: 'editor' }), world.make.user({ name: 'stranger' })]);
  await world.make.organization({ name: 'office', members: { [editor.id]: 'editor' } });
});
beforeEach(async () => {
  name = `my-data-${n++}`;
  await world.make.dataset({
    name,
    notes: 'old notes',
    label: '1.0',
    ownerOrganization: 'office',
    tags: [{ name: 'water' }],
    extras: [{ key: 'area', value: 'north' }],
    resources: [
      { databaseId: `19cfad-${name}`, url: 'https://example.org/1.csv', name: 'one', extras: { license: 'own' } },
      { databaseId: `1f9ab0-${name}`, url: 'https://example.org/2.csv', name: 'two', size: 5 },
    ],
  });
});
afterAll(() => world.end());

const revise = async (params: object, as: TestUser | null = editor) => {
  const { status, body } = await world.action('package_revise', { ...params }, { as });
  const { __type, ...error } = body.error ?? {};
  return body.success ? body.result : { status, ...error };
};
const show = () => world.result('package_show', { id: name });

describe('match', () => {
  it('applies the change when every value matches', async () => {
    const { package: revised } = await revise({ match: { name, notes: 'old notes' }, update: { notes: 'new notes' } });
    expect(revised.notes).toBe('new notes');
    expect(revised).toEqual(await show());
    expect(revised.resources.map(({ name }: any) => name)).toEqual(['one', 'two']);
  });

  it('returns a conflict that names the differing fields, and writes nothing', async () => {
    const before = await show();
    expect(
      await revise({ match: { name, notes: 'x', resources: [{ name: 'big.csv' }] }, update: { notes: 'new' } }),
    ).toEqual({
      status: 409,
      match: ['notes', 'resources__0__name'],
      message: expect.stringContaining('notes, resources__0__name'),
    });
    expect(await show()).toEqual(before);
    const { body } = await world.full(
      'mutation ($input: ReviseDatasetInput!) { reviseDataset(input: $input) { revised { document } errors { code path message } } }',
      { input: { match: { name, notes: 'x' } } },
      { as: editor },
    );
    expect(body.data.reviseDataset).toEqual({
      revised: null,
      errors: [{ code: 'CONFLICT', path: ['match'], message: 'notes' }],
    });
  });

  it('accepts flattened keys, and JSON as strings', async () => {
    const given = {
      match__name: name,
      match__notes: 'old notes',
      match__version: '1.0',
      match__resources__1__size: '5',
    };
    expect((await revise({ ...given, update__notes: 'new' })).package.notes).toBe('new');
    expect(await revise({ ...given, update__notes: 'newer' })).toMatchObject({ status: 409, match: ['notes'] });
    expect((await revise({ match: JSON.stringify({ name }), update: '{"title": "T"}' })).package.title).toBe('T');
  });

  it('requires the id or name of a dataset that the caller may change', async () => {
    expect(await revise({ update: { notes: 'x' } })).toMatchObject({ status: 409, match: [expect.any(String)] });
    expect(await revise({ match: 'x' })).toMatchObject({ status: 409, match: ['Must be a dictionary'] });
    expect(await revise({ match: { name: 'nope' } })).toMatchObject({ status: 404 });
    for (const as of [stranger, null]) expect(await revise({ match: { name } }, as)).toMatchObject({ status: 403 });
    const { id } = await show();
    expect(await revise({ match: { id, name: 'other' } })).toMatchObject({ status: 409, match: ['name'] });
  });
});

describe('update', () => {
  it('changes resources by index or id prefix, and adds one', async () => {
    const { package: revised } = await revise({
      match: { name },
      update__resources__0: { description: 'first' },
      update__resources__1f9ab__description: 'guidebook',
      'update__resources__-1__name': 'three, at last',
      update__resources__extend: [{ name: 'three', url: 'https://example.org/3.csv' }],
    });
    expect(revised.resources).toMatchObject([
      { name: 'one', description: 'first', license: 'own' },
      { name: 'two', description: 'guidebook', size: 5 },
      { name: 'three, at last', url: 'https://example.org/3.csv' },
    ]);
    expect(revised.num_resources).toBe(3);
  });

  it('changes tags, extras and visibility', async () => {
    const { package: revised } = await revise({
      match: { name },
      update: { private: true, extras: [{ value: 'south' }] },
      update__tags__extend: [{ name: 'air' }],
    });
    expect(revised).toMatchObject({ private: true, extras: [{ key: 'area', value: 'south' }] });
    expect(revised.tags.map(({ name }: any) => name)).toEqual(['air', 'water']);
  });

  it('makes a dataset public only for an explicit false value', async () => {
    for (const word of ['yes', 'TRUE']) {
      await world.result('package_patch', { id: name, private: false }, { as: editor });
      const { package: revised } = await revise({ match: { name }, update: { private: word } });
      expect([word, revised.private]).toEqual([word, true]);
    }
    for (const kept of [{ update: { private: null } }, { filter: ['-private'] }, { update__private: 'True' }])
      expect((await revise({ match: { name }, ...kept })).package.private).toBe(true);
    for (const word of ['perhaps', '', 2, []])
      expect(await revise({ match: { name }, update: { private: word } })).toMatchObject({
        status: 409,
        private: ['Must be true or false'],
      });
    expect((await revise({ match: { name }, update: { private: 'off' } })).package.private).toBe(false);
  });

  it('names the invalid parameter or field', async () => {
    expect(await revise({ match: { name }, update__resources__7: { name: 'x' } })).toMatchObject({
      status: 409,
      update__resources__7: ['No item 7'],
    });
    expect(await revise({ match: { name }, update: { resources: 'x' } })).toMatchObject({
      status: 409,
      resources: ['Must be a list of dictionaries'],
    });
    expect(await revise({ match: { name }, update: { name: 'Not A Name', notes: {} } })).toMatchObject({
      status: 409,
      notes: ['Must be a string'],
    });
    expect(await revise({ match: { name }, update: { name: 'Not A Name' } })).toMatchObject({
      status: 409,
      name: [expect.stringContaining('lowercase')],
    });
    expect((await show()).notes).toBe('old notes');
  });

  it('refuses an organization that the caller may not add datasets to', async () => {
    await world.make.organization({ name: `closed-${name}` });
    expect(await revise({ match: { name }, update: { owner_org: `closed-${name}` } })).toMatchObject({
      status: 409,
      owner_org: ['You cannot add a dataset to this organization'],
    });
  });
});

describe('filter and include', () => {
  it('filter removes all fields that are not marked with +', async () => {
    const { package: revised } = await revise({
      match: { name },
      filter: ['+resources', '+owner_org', '-*'],
      update: { name: `${name}-fresh`, title: 'Fresh start' },
    });
    expect(revised).toMatchObject({ name: `${name}-fresh`, title: 'Fresh start', notes: null, tags: [], extras: [] });
    expect(revised.resources).toHaveLength(2);
  });

  it('filter and update together replace a whole resource', async () => {
    const { package: revised } = await revise({
      match: { name },
      filter: ['+resources__1f9ab__id', '-resources__1f9ab__*', '-resources__0'],
      update__resources__1f9ab: { name: 'edits here', url: 'http://example.com' },
    });
    expect(revised.resources).toHaveLength(1);
    expect(revised.resources[0]).toMatchObject({ id: `1f9ab0-${name}`, name: 'edits here', size: null });
  });

  it('include selects the returned fields, and entries without a sign are refused', async () => {
    expect(await revise({ match: { name }, include: '-*' })).toEqual({ package: {} });
    expect(await revise({ match: { name }, include: ['+name', '+resources__*__name', '-*'] })).toEqual({
      package: { name, resources: [{ name: 'one' }, { name: 'two' }] },
    });
    expect(await revise({ match: { name }, include: ['name'] })).toMatchObject({
      status: 409,
      include: [expect.any(String)],
    });
    expect(await revise({ match: { name }, filter: ['name'] })).toMatchObject({
      status: 409,
      filter: [expect.any(String)],
    });
  });
});

describe('files', () => {
  const send = async (fields: Record<string, string | Blob>) => {
    const form = new FormData();
    for (const [key, value] of Object.entries(fields))
      form.append(key, value, ...((value instanceof Blob ? ['my file.csv'] : []) as []));
    const { body } = await world.request('/api/3/action/package_revise', {
      method: 'POST',
      headers: { authorization: editor.key },
      body: form,
    });
    return body;
  };

  it('are stored for existing and new resources', async () => {
    const { result } = await send({
      match__name: name,
      update__resources__extend: JSON.stringify([{ name: 'three', url: '' }]),
      update__resources__0__upload: new Blob(['a,b\n1,2\n']),
      'update__resources__-1__upload': new Blob(['three']),
    });
    const urls = result.package.resources.map(({ url }: any) => new URL(url).pathname);
    expect(result.package.resources.map(({ url_type }: any) => url_type)).toEqual(['upload', null, 'upload']);
    expect((await world.request(urls[0])).text).toBe('a,b\n1,2\n');
    expect((await world.request(urls[2])).text).toBe('three');
    await revise({ match: { name }, update: { resources: [{ description: 'still a file' }] } });
    expect((await world.request(urls[0])).text).toBe('a,b\n1,2\n');
  });

  it('are not stored when the change is refused', async () => {
    const before = await world.database.db.resourceFile.count();
    const { error } = await send({
      match__name: name,
      match__notes: 'x',
      update__resources__0__upload: new Blob(['x']),
    });
    expect(error.match).toEqual(['notes']);
    const missing = await send({ match__name: name, update__resources__9__upload: new Blob(['x']) });
    expect(missing.error.update__resources__9__upload).toEqual(['No item 9']);
    expect(await world.database.db.resourceFile.count()).toBe(before);
  });
});

describe('concurrent writers', () => {
  it('add twelve resources without losing any', async () => {
    const added = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        revise({
          match: { name },
          update__resources__extend: [{ name: `n${index}`, url: `https://example.org/${index}` }],
        }),
      ),
    );
    expect(added.every(({ package: revised }) => revised)).toBe(true);
    const { resources } = await show();
    expect(new Set(resources.map(({ name }: any) => name)).size).toBe(14);
  });

  it('succeed only once for the same match', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        revise({ match: { name, notes: 'old notes' }, update: { notes: `by ${index}` } }),
      ),
    );
    expect(answers.filter(({ package: revised }) => revised)).toHaveLength(1);
    expect(answers.filter(({ status, match }) => status === 409 && match[0] === 'notes')).toHaveLength(7);
  });
});

it('writes one revision, and documents that equal the rows', async () => {
  const before = await world.database.db.revision.count();
  await revise({ match: { name }, update: { notes: 'x', resources: [{ name: 'y' }] }, log_message: 'because' });
  expect(await world.database.db.revision.count()).toBe(before + 1);
  expect((await world.result('package_revision_list', { id: name }))[0].message).toBe('because');
  for await (const { faults } of documentsCheck(world.app.callAs(world.system))) expect(faults).toEqual([]);
});
