import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exportLines } from '../../src/cli/export.ts';
import { importFile } from '../../src/cli/import.ts';
import type { Summary } from '../../src/records/import/lines.ts';
import { KINDS } from '../../src/records/kinds.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.end());

/** Imports records or raw lines into a world. `said` has the messages on invalid lines. */
async function bring(records: (object | string)[], into = world): Promise<Summary & { said: string[] }> {
  const said: string[] = [];
  const lines = records.map((record) => (typeof record === 'string' ? record : JSON.stringify(record)));
  const progress = { report: () => {}, say: (line: string) => void said.push(line), stop: () => {} };
  return { ...(await importFile(into.app, Readable.from([lines.join('\n')]), progress)), said };
}

const show = (name: string, from = world) => from.result('package_show', { id: name }, { get: true });

/** A dataset as exported by another catalog. */
const foreign = (name: string, more: object = {}) => ({
  id: world.id(),
  name,
  title: `The ${name}`,
  type: 'dataset',
  state: 'active',
  private: false,
  notes: 'line\r\nline　',
  owner_org: null,
  metadata_created: '2019-11-01T04:54:45.142823',
  revision_id: world.id(),
  creator_user_id: world.id(),
  num_resources: 1,
  isopen: true,
  license_title: 'Of old',
  tracking_summary: { total: 1, recent: 0 },
  resources: [
    {
      id: world.id(),
      url: 'http://example.com/a.csv',
      format: 'CSV',
      created: '2018-06-03T15:00:00',
      position: 0,
      note: 'kept',
    },
  ],
  tags: [{ name: 'water', display_name: 'water', id: world.id(), state: 'active', vocabulary_id: null }],
  extras: [{ key: '更新頻度', value: '不定期' }],
  groups: [],
  organization: null,
  ...more,
});

const organization = (name: string) => ({
  id: world.id(),
  name,
  title: `Board of ${name}`,
  description: 'x',
  image_url: '',
  type: 'organization',
  is_organization: true,
  state: 'active',
  approval_status: 'approved',
  created: '2019-11-01T03:27:21.341618',
  revision_id: world.id(),
});
const group = (name: string) => ({
  id: world.id(),
  name,
  title: `About ${name}`,
  display_name: name,
  description: '',
  image_display_url: 'http://example.com/i.png',
});

describe('catalog import', () => {
  it('keeps ids, and creates the organizations and groups that datasets name', async () => {
    const [board, topic] = [organization('rivers'), group('nature')];
    const record = foreign('levels', { organization: board, owner_org: board.id, groups: [topic] });
    expect(await bring([record])).toMatchObject({ created: 1, failed: 0 });
    expect(await show('levels')).toMatchObject({
      id: record.id,
      title: 'The levels',
      notes: 'line\r\nline　',
      extras: record.extras,
      resources: [{ ...record.resources[0] }],
      organization: { id: board.id, name: 'rivers', title: 'Board of rivers' },
      groups: [{ id: topic.id, image_display_url: 'http://example.com/i.png' }],
    });
  });

  it('skips unchanged datasets, and updates changed ones', async () => {
    const record = foreign('tides', { groups: [group('sea'), group('air')], tags: [{ name: 'b b' }, { name: 'a a' }] });
    await bring([record]);
    const before = await show('tides');
    expect(await bring([record])).toMatchObject({ unchanged: 1, updated: 0 });
    expect(await show('tides')).toEqual(before);
    const changed = { ...record, resources: [{ ...record.resources[0], note: undefined }] };
    expect(await bring([changed])).toMatchObject({ updated: 1 });
    expect((await show('tides')).resources[0]).not.toHaveProperty('note');
    expect(await bring([{ name: 'tides', title: 'By name', type: 'dataset' }])).toMatchObject({ updated: 1, said: [] });
    expect(await show('tides')).toMatchObject({ id: record.id, title: 'By name', resources: [], tags: [] });
  });

  it('reports line, field and fault of invalid records, and imports the others', async () => {
    const taken = foreign('taken');
    const summary = await bring([
      taken,
      'no json',
      '',
      '[1]',
      foreign('hidden', { private: true }),
      foreign('bad', {
        name: 'Bad Name',
        resources: [{ url: 'http://a.example' }, { size: 'big', url: 'http://b.example' }],
      }),
      foreign('unknown', { owner_org: world.id() }),
      foreign('good'),
    ]);
    expect(summary).toMatchObject({ created: 2, failed: 5 });
    expect(summary.said.sort()).toEqual([
      expect.stringMatching(/^line 2: not JSON: /),
      'line 4: not an object',
      "line 5: dataset hidden: private: Datasets with no organization can't be private.",
      expect.stringMatching(
        /^line 6: dataset Bad Name: resources.1.size: Invalid integer; name: Must be purely lowercase/,
      ),
      'line 7: dataset unknown: owner_org: Organization does not exist',
    ]);
    expect((await show('taken')).id).toBe(taken.id);
  });

  it('imports records of one dataset in their order', async () => {
    const record = foreign('turns');
    const versions = Array.from({ length: 6 }, (_, index) => ({ ...record, title: `Turn ${index}` }));
    expect(await bring(versions)).toMatchObject({ created: 1, updated: 5 });
    expect((await show('turns')).title).toBe('Turn 5');
  });

  it('finds an organization by name if it has another id here', async () => {
    const here = await world.make.organization({ name: 'harbour', title: 'Harbour here' });
    const there = organization('harbour');
    expect(await bring([foreign('ships', { organization: there, owner_org: there.id })])).toMatchObject({ created: 1 });
    expect((await show('ships')).organization).toMatchObject({ id: here.id, title: 'Harbour here' });
  });

  it('updates an organization, and keeps members that the record does not name', async () => {
    const user = await world.make.user();
    const board = await world.make.organization({ name: 'parks', members: { [user.id]: 'editor' } });
    expect(
      await bring([
        { id: board.id, name: 'parks', title: 'Parks', is_organization: true, packages: [{ name: 'nowhere' }] },
      ]),
    ).toMatchObject({ updated: 1, said: [] });
    const shown = await world.result('organization_show', { id: 'parks' });
    expect(shown).toMatchObject({ title: 'Parks', users: [{ id: user.id, capacity: 'editor' }] });
  });
});

describe('catalog export', () => {
  const exported = async (from: World, all: boolean): Promise<string[]> => {
    const lines: string[] = [];
    for await (const line of exportLines(from.app, KINDS, all)) lines.push(line.trimEnd());
    return lines;
  };

  it('writes records that an import reproduces', async () => {
    const top = await world.make.group({ name: 'zz-top' });
    await world.result(
      'group_create',
      { name: 'below', groups: [{ name: top.name }] },
      { as: await world.make.sysadmin() },
    );
    const owner = await world.make.organization();
    await world.make.dataset({ name: 'hidden', private: true, ownerOrganization: owner.id });
    const lines = await exported(world, true);
    const other = await createWorld();
    try {
      expect(await bring(lines, other)).toMatchObject({ created: lines.length, said: [] });
      expect(await bring(lines, other)).toMatchObject({ unchanged: lines.length });
      expect((await exported(other, true)).map(stable)).toEqual(lines.map(stable));
      expect(await other.result('group_show', { id: 'below' })).toMatchObject({ groups: [{ name: 'zz-top' }] });
    } finally {
      await other.end();
    }
  });

  it('omits private datasets by default', async () => {
    const names = (lines: string[]) => lines.map((line) => JSON.parse(line).name);
    expect(names(await exported(world, false))).not.toContain('hidden');
    expect(names(await exported(world, true))).toContain('hidden');
  });

  /** Removes the fields that the server owns, and members, who do not exist elsewhere. */
  function stable(line: string): unknown {
    const own = new Set([
      'revision_id',
      'metadata_created',
      'metadata_modified',
      'created',
      'creator_user_id',
      'users',
      'tags',
    ]);
    const record = JSON.parse(line, (key, value) => (own.has(key) ? undefined : value));
    return {
      ...record,
      ...(record.extras && { extras: record.extras.map(({ key, value }: Record<string, string>) => [key, value]) }),
    };
  }
});

// Last, because other catalogs refuse its dataset, which names a vocabulary by its id here.
describe('catalog import of tags', () => {
  it('finds vocabularies by name or id, and refuses unknown ones', async () => {
    const admin = await world.make.sysadmin();
    const { id } = await world.result('vocabulary_create', { name: 'genre', tags: [{ name: 'fact' }] }, { as: admin });
    const record = (vocabulary: string) => foreign('told', { tags: [{ name: 'fact', vocabulary_id: vocabulary }] });
    expect(await bring([record('genre')])).toMatchObject({ created: 1, said: [] });
    expect((await show('told')).tags).toMatchObject([{ name: 'fact', vocabulary_id: id }]);
    expect(await bring([{ ...(await show('told')), title: 'Told' }])).toMatchObject({ updated: 1, said: [] });
    expect(await bring([foreign('untold', { tags: [{ name: 'fact', vocabulary_id: world.id() }] })])).toMatchObject({
      failed: 1,
      said: ['line 1: dataset untold: tags.0.vocabulary_id: Tag vocabulary was not found.'],
    });
  });
});
