/** Harvests of organization hierarchies, records of another kind, equal names and invalid resources. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { harvest } from '../../src/harvest/run/harvest.ts';
import { sourceCreate } from '../../src/harvest/source/source.service.ts';
import { type Answers, catalog, createHarvestScene, type HarvestScene } from '../helpers/harvest.ts';
import { createWorld, type World } from '../helpers/world.ts';

let scene: HarvestScene;
let world: World;
beforeAll(async () => {
  scene = await createHarvestScene();
  ({ world } = scene);
});
afterAll(() => scene.end());

const parentsOf = async (name: string, kind = 'organization', of = world): Promise<string[]> =>
  (await of.result(`${kind}_show`, { id: name })).groups.map((parent: { name: string }) => parent.name).sort();

/** A source with these organizations and groups. */
const listing =
  (organizations: readonly object[], groups: readonly object[] = [], datasets: never[] = []): Answers =>
  (action, query, res) =>
    action === 'organization_list'
      ? organizations
      : action === 'group_list'
        ? groups
        : catalog(datasets)(action, query, res);

const group = (name: string, above: readonly object[] = [], more: object = {}) => ({
  id: world.id(),
  name,
  title: name,
  groups: above,
  ...more,
});

describe('the hierarchy of a source', () => {
  it('is copied from another catalog, and stays unchanged by later runs', async () => {
    const [far, here] = await Promise.all([createWorld(), createWorld()]);
    try {
      const as = await far.make.sysadmin();
      // Children come first by name.
      for (const [name, above] of [
        ['z-top', []],
        ['m-middle', ['z-top']],
        ['a-low', ['m-middle', 'z-top']],
      ] as const)
        await far.result('organization_create', { name, title: name, groups: above.map((name) => ({ name })) }, { as });
      await far.result('group_create', { name: 'topic', title: 'Topic' }, { as });
      await far.result('group_create', { name: 'below-topic', title: 'B', groups: [{ name: 'topic' }] }, { as });
      const call = () => here.app.callAs(here.system);
      const source = await sourceCreate(call(), { url: far.base, kind: 'CKAN', perSecond: 1_000 });
      const run = () =>
        harvest({
          runner: { run: here.app.run, call },
          source,
          databaseUrl: here.database.url,
          mayReachPrivate: true,
        });
      for (let times = 0; times < 2; times += 1) {
        expect(await run()).toMatchObject({ state: 'done', failed: 0 });
        expect(await parentsOf('a-low', 'organization', here)).toEqual(['m-middle', 'z-top']);
        expect(await parentsOf('m-middle', 'organization', here)).toEqual(['z-top']);
        expect(await parentsOf('below-topic', 'group', here)).toEqual(['topic']);
      }
      const revisions = async () =>
        (await here.database.pool.query('SELECT count(*)::int AS n FROM revision')).rows[0].n;
      const before = await revisions();
      await run();
      expect(await revisions()).toBe(before);
    } finally {
      await Promise.all([far.end(), here.end()]);
    }
  });

  it('is matched by names if parents have no ids, also for renamed parents', async () => {
    await world.make.organization({ name: 'by-name-top' });
    const top = group('by-name-top', [], { title: 'There' });
    const taken = await world.make.group({ name: 'by-name-taken' });
    scene.answers = listing([group('by-name-low', [{ name: 'by-name-top', capacity: 'public' }]), top]);
    expect(await scene.run(await scene.sourceOf())).toMatchObject({
      state: 'done',
      failed: 0,
      said: [expect.stringContaining('already exists as by-name-top')],
    });
    expect(await parentsOf('by-name-low')).toEqual(['by-name-top']);
    scene.answers = listing([group('under-taken', [{ name: 'by-name-taken' }]), group('by-name-taken')]);
    const { said } = await scene.run(await scene.sourceOf());
    expect(said).toEqual([expect.stringContaining(`was renamed to ${taken.name}-2`)]);
    expect(await parentsOf('under-taken')).toEqual(['by-name-taken-2']);
  });

  it('is reported where it is broken: unknown parents, cycles and self-references', async () => {
    const [one, two] = [group('ring-one', [{ name: 'ring-two' }]), group('ring-two', [{ name: 'ring-one' }])];
    scene.answers = listing([
      one,
      two,
      group('own-parent', [{ name: 'own-parent' }]),
      group('lost', [{ name: 'nobody-here' }]),
    ]);
    const source = await scene.sourceOf();
    const { state, failed, said } = await scene.run(source);
    expect({ state, failed }).toEqual({ state: 'done', failed: 0 });
    expect(said.sort()).toEqual([
      expect.stringMatching(/^organization lost .*: its parent nobody-here does not exist in this catalog/),
      expect.stringMatching(/^organization own-parent .*: parent 1 .*cannot be a parent of itself/),
      expect.stringMatching(/^organization ring-(one|two) .*: parent 1 .*cannot be a parent of itself/),
    ]);
    expect([...(await parentsOf('ring-one')), ...(await parentsOf('ring-two'))]).toHaveLength(1);
    expect(await parentsOf('lost')).toEqual([]);
  });

  it('stays unchanged if the source does not send it', async () => {
    const [top, low] = [group('untold-top'), group('untold-low')];
    scene.answers = listing([{ ...low, groups: [{ name: top.name }] }, top]);
    const source = await scene.sourceOf();
    await scene.run(source);
    scene.answers = listing([{ ...low, groups: undefined, title: 'Changed' }, top]);
    await scene.run(source);
    expect(await parentsOf('untold-low')).toEqual(['untold-top']);
    expect((await world.result('organization_show', { id: 'untold-low' })).title).toBe('Changed');
  });

  it('may have 300 levels', async () => {
    const chain = Array.from({ length: 300 }, (_, n) =>
      group(`deep-${n}`, n === 0 ? [] : [{ name: `deep-${n - 1}` }]),
    ).reverse();
    scene.answers = listing(chain);
    expect(await scene.run(await scene.sourceOf())).toMatchObject({ state: 'done', failed: 0, said: [] });
    expect(await parentsOf('deep-299')).toEqual(['deep-298']);
  });
});

it('refuses records of another kind than requested', async () => {
  const user = scene.dataset('a-person', { resources: undefined, type: undefined, email_hash: 'x', fullname: 'A' });
  const board = scene.dataset('a-board', { is_organization: true, type: 'organization', resources: undefined });
  scene.answers = catalog([user, board, scene.dataset('a-dataset')]);
  const { created, failed, said } = await scene.run(await scene.sourceOf());
  expect({ created, failed }).toEqual({ created: 1, failed: 2 });
  expect(said.sort()).toEqual([
    expect.stringMatching(/^dataset a-board .*returned a record of kind organization in place/),
    expect.stringMatching(/^dataset a-person .*returned a user in place/),
  ]);
  expect((await world.action('package_show', { id: 'a-person' })).body.success).toBe(false);
});

it('renames a dataset whose name is taken, and does not overwrite an organization of the same name', async () => {
  const board = { ...group('same-board', [], { title: 'Theirs' }), is_organization: true, type: 'organization' };
  const here = await world.make.organization({ name: 'same-board', title: 'Ours' });
  for (const [title, name] of [
    ['First', 'same-name'],
    ['Second', 'same-name-2'],
  ]) {
    const dataset = scene.dataset('same-name', { title, organization: board, owner_org: board.id });
    scene.answers = listing([board], [], [dataset as never]);
    expect(await scene.run(await scene.sourceOf({ adopt: true }))).toMatchObject({ created: 1, failed: 0 });
    expect(await world.result('package_show', { id: name! })).toMatchObject({ title, owner_org: here.id });
  }
  expect(await world.result('organization_show', { id: 'same-board' })).toMatchObject({ title: 'Ours' });
});

it('omits an invalid resource and reports it, or refuses the dataset with the setting `refuse`', async () => {
  const good = { id: world.id(), url: 'https://x.example/a.csv' };
  const dataset = scene.dataset('partly-bad', { resources: [{ name: 'bad', url: 'javascript:alert(1)' }, good] });
  scene.answers = catalog([dataset]);
  const source = await scene.sourceOf();
  const { created, failed, said } = await scene.run(source);
  expect({ created, failed }).toEqual({ created: 1, failed: 0 });
  expect(said).toEqual([expect.stringContaining('resource 1 (bad) was omitted: url: Must not be a script')]);
  // The resource turns invalid at the source, and the harvested one stays.
  dataset.resources = [{ ...good, url: 'data:text/html,x' }];
  dataset.metadata_modified = '2026-01-02T00:00:00.000000';
  await scene.run(source);
  expect((await world.result('package_show', { id: 'partly-bad' })).resources).toMatchObject([good]);
  const strict = await createHarvestScene({ 'catalog.import.bad_resources': 'refuse' });
  try {
    strict.answers = catalog([{ ...dataset, name: 'refused' }]);
    expect(await strict.run(await strict.sourceOf())).toMatchObject({ created: 0, failed: 1 });
  } finally {
    await strict.end();
  }
});
