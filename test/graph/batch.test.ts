/** Batch mutations: each item is written or refused separately, with its result at the same index. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { toGlobalId } from '../../src/kernel/ids.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.make.sysadmin();
});
afterAll(() => world.end());

const fresh = (): string => `n-${world.id().slice(0, 8)}`;

async function batch(mutation: string, items: unknown[], as: TestUser | null = admin) {
  const Name = mutation[0]!.toUpperCase() + mutation.slice(1);
  const made = mutation.endsWith('Datasets')
    ? 'dataset { name title state }'
    : mutation === 'deleteResources'
      ? 'deletedId'
      : 'resource { url }';
  const query = `mutation ($input: ${Name}Input!) { it: ${mutation}(input: $input) {
    results { ${made} errors { code path currentVersion } } errors { code message path } } }`;
  const { body, text } = await world.graph(query, { input: { items } }, { as });
  if (body.errors)
    throw new Error(`${mutation} ${JSON.stringify(items).slice(0, 500)}\nanswered ${text.slice(0, 1000)}`);
  return body.data.it;
}

describe('many datasets', () => {
  it('are created, replaced, updated and deleted separately, with a result for each', async () => {
    const [a, b] = [fresh(), fresh()];
    expect(
      await batch('createDatasets', [{ name: a, title: 'A' }, { name: 'NOT A NAME' }, { name: a }, { name: b }]),
    ).toEqual({
      results: [
        { dataset: { name: a, title: 'A', state: 'ACTIVE' }, errors: [] },
        { dataset: null, errors: [{ code: 'VALIDATION', path: ['name'], currentVersion: null }] },
        { dataset: null, errors: [{ code: 'VALIDATION', path: ['name'], currentVersion: null }] },
        { dataset: { name: b, title: b, state: 'ACTIVE' }, errors: [] },
      ],
      errors: [],
    });
    expect(
      await batch('updateDatasets', [
        { dataset: a, title: 'new', expectedVersion: 1 },
        { dataset: b, title: 'new', expectedVersion: 7 },
      ]),
    ).toEqual({
      results: [
        { dataset: { name: a, title: 'new', state: 'ACTIVE' }, errors: [] },
        { dataset: null, errors: [{ code: 'CONFLICT', path: ['expectedVersion'], currentVersion: 1 }] },
      ],
      errors: [],
    });
    expect((await batch('replaceDatasets', [{ dataset: b, title: 'other' }])).results[0].dataset.title).toBe('other');
    expect(await batch('deleteDatasets', [{ dataset: a }, { dataset: 'nowhere' }])).toEqual({
      results: [
        { dataset: { name: a, title: 'new', state: 'DELETED' }, errors: [] },
        { dataset: null, errors: [{ code: 'NOT_FOUND', path: [], currentVersion: null }] },
      ],
      errors: [],
    });
  });

  it('are created once if a batch with idempotency keys is sent twice', async () => {
    const items = [1, 2, 3].map(() => ({ name: fresh(), idempotencyKey: fresh() }));
    const first = await batch('createDatasets', items);
    const revisions = await world.database.db.revision.count();
    expect(await batch('createDatasets', items)).toEqual(first);
    expect(await world.database.db.revision.count()).toBe(revisions);
  });

  it('are limited to 100, and a larger batch writes nothing', async () => {
    const items = Array.from({ length: 101 }, () => ({ name: fresh() }));
    const datasets = await world.database.db.dataset.count();
    const limit = { code: 'LIMIT', message: 'At most 100 items (got 101)', path: ['items'] };
    expect(await batch('createDatasets', items)).toEqual({ results: null, errors: [limit] });
    expect(await world.database.db.dataset.count()).toBe(datasets);
    expect((await batch('createDatasets', items.slice(1))).results).toHaveLength(100);
    expect(await batch('createDatasets', [])).toEqual({ results: [], errors: [] });
  });

  it('are authorized separately, so one refusal does not affect the others', async () => {
    const editor = await world.make.user();
    const own = await world.make.organization({ members: { [editor.id]: 'editor' } });
    const other = await world.make.organization();
    const items = [own, other].map(({ name }) => ({ name: fresh(), ownerOrganization: name }));
    const { results } = await batch('createDatasets', items, editor);
    expect(results.map((it: { errors: { code: string }[] }) => it.errors.map(({ code }) => code))).toEqual([
      [],
      ['NOT_AUTHORIZED'],
    ]);
    const anonymous = await batch('deleteDatasets', [{ dataset: items[0]!.name }], null);
    expect(anonymous.results[0]).toMatchObject({ dataset: null, errors: [{ code: 'NOT_AUTHORIZED' }] });
  });
});

describe('many resources', () => {
  it('are created, updated and deleted separately, with a result for each', async () => {
    const { name } = await world.make.dataset();
    const items = ['http://a', 'http://b'].map((url) => ({ dataset: name, resource: { url } }));
    const added = await batch('createResources', [...items, { dataset: 'nowhere', resource: { url: 'c' } }]);
    expect(added.results.map((it: { resource: unknown }) => it.resource)).toEqual([
      { url: 'http://a' },
      { url: 'http://b' },
      null,
    ]);
    const { resources } = await world.result('package_show', { id: name });
    const [first, second] = resources as { id: string }[];
    const changed = await batch('updateResources', [
      { resourceId: first!.id, resource: { url: 'http://new' } },
      { resourceId: 'x', resource: {} },
    ]);
    expect(changed.results).toEqual([
      { resource: { url: 'http://new' }, errors: [] },
      { resource: null, errors: [{ code: 'NOT_FOUND', path: [], currentVersion: null }] },
    ]);
    const gone = await batch('deleteResources', [{ resourceId: second!.id }, { resourceId: 'x' }]);
    expect(gone.results.map((it: { deletedId: unknown }) => it.deletedId)).toEqual([
      toGlobalId('Resource', second!.id),
      null,
    ]);
    expect((await world.result('package_show', { id: name })).num_resources).toBe(1);
  });
});
