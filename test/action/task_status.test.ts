import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let other: TestUser;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.make.sysadmin();
  other = await world.make.user();
});
afterAll(() => world.end());

const task = { entity_id: 'e', entity_type: 'package', task_type: 'qa', key: 'k', value: 'v' };
const update = (more: object = {}) => world.result('task_status_update', { ...task, ...more }, { as: admin });
const refusal = async (name: string, params: object, as: TestUser | null = admin) => {
  const { body } = await world.action(name, params as Record<string, unknown>, { as });
  expect(body.success).toBe(false);
  return body.error;
};

describe('task_status_update', () => {
  it('creates a status, or updates the one with the same key or id', async () => {
    const first = await update({ error: 'broken' });
    expect(first).toEqual({
      ...task,
      id: expect.any(String),
      state: null,
      error: 'broken',
      last_updated: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?$/),
    });
    const second = await update({ value: 'w', last_updated: '2012-01-01T00:00:00' });
    expect(second).toEqual({ ...first, value: 'w', last_updated: '2012-01-01T00:00:00' });
    expect(await update({ id: first.id, key: 'moved', error: null })).toMatchObject({
      id: first.id,
      key: 'moved',
      error: null,
    });
  });

  it('reports missing and invalid parameters', async () => {
    expect(await refusal('task_status_update', {})).toEqual({
      __type: 'Validation Error',
      message: expect.any(String),
      entity_id: ['Missing value'],
      entity_type: ['Missing value'],
      task_type: ['Missing value'],
      key: ['Missing value'],
    });
    expect(await refusal('task_status_update', { ...task, last_updated: 'bad' })).toMatchObject({
      last_updated: ['Date format incorrect'],
    });
    expect(await refusal('task_status_update', { ...task, id: 'nope' })).toMatchObject({
      message: 'Not found: TaskStatus was not found.',
    });
    const one = await update({ key: 'one' });
    await update({ key: 'two' });
    expect((await refusal('task_status_update', { ...task, id: one.id, key: 'two' })).__type).toBe('Validation Error');
  });

  it('is for system administrators only', async () => {
    for (const as of [other, null])
      for (const [name, params] of [
        ['task_status_update', task],
        ['task_status_update_many', { data: [task] }],
        ['task_status_delete', { id: 'x' }],
      ] as const)
        expect((await refusal(name, params, as)).__type).toBe('Authorization Error');
  });
});

describe('task_status_update_many', () => {
  it('writes all statuses or none', async () => {
    const data = ['m1', 'm2'].map((key) => ({ ...task, key }));
    const { results } = await world.result('task_status_update_many', { data }, { as: admin });
    expect(results.map(({ key }: { key: string }) => key)).toEqual(['m1', 'm2']);
    expect(await world.result('task_status_update_many', { data: [] }, { as: admin })).toEqual({ results: [] });
    const bad = [{ ...task, key: 'm3' }, { entity_id: 'x' }];
    expect((await refusal('task_status_update_many', { data: bad })).data[1]).toMatchObject({ key: ['Missing value'] });
    expect((await refusal('task_status_show', { ...task, key: 'm3' })).__type).toBe('Not Found Error');
    expect(await refusal('task_status_update_many', {})).toMatchObject({ data: ['Missing value'] });
    expect(await refusal('task_status_update_many', { data: ['x'] })).toMatchObject({ data: ['Must be a dictionary'] });
  });
});

describe('task_status_show and task_status_delete', () => {
  it('show and delete by id, show by key', async () => {
    const made = await update({ key: 'shown' });
    for (const params of [{ id: made.id }, { entity_id: 'e', task_type: 'qa', key: 'shown' }])
      expect(await world.result('task_status_show', params, { get: true, as: admin })).toEqual(made);
    for (const as of [other, null])
      expect((await refusal('task_status_show', { id: made.id }, as)).__type).toBe('Not Found Error');
    expect(await world.result('resource_status_show', { id: 'e' }, { get: true })).toEqual([]);
    const free = await update({ entity_type: 'harvest', key: 'free' });
    expect(await world.result('task_status_show', { id: free.id }, { get: true })).toEqual(free);
    expect(await world.result('task_status_delete', { id: made.id }, { as: admin })).toBeNull();
    expect((await refusal('task_status_delete', { id: made.id })).__type).toBe('Not Found Error');
    expect(await refusal('task_status_delete', {})).toMatchObject({ id: ['Missing value'] });
    expect((await refusal('task_status_show', { id: made.id })).__type).toBe('Not Found Error');
  });

  it('report one missing parameter at a time', async () => {
    expect(await refusal('task_status_show', {})).toMatchObject({ entity_id: ['Missing value'] });
    expect(await refusal('task_status_show', { entity_id: 'e' })).toMatchObject({ task_type: ['Missing value'] });
    expect(await refusal('task_status_show', { entity_id: 'e', task_type: 'qa' })).toMatchObject({
      key: ['Missing value'],
    });
  });
});

describe('resource_status_show', () => {
  it('lists job statuses of a resource to callers who may read it', async () => {
    const owner = await world.make.organization();
    const { body } = await world.make.dataset({
      private: true,
      ownerOrganization: owner.id,
      resources: [{ url: 'http://x/a' }],
    });
    const id = body.resources[0]!.id;
    const made = await update({ entity_id: id, entity_type: 'resource' });
    expect(await world.result('resource_status_show', { id }, { as: admin, get: true })).toEqual([
      { ...made, status: null, date_done: null, traceback: null, task_status: made },
    ]);
    for (const as of [other, null]) {
      expect((await refusal('resource_status_show', { id }, as)).__type).toBe('Authorization Error');
      expect((await refusal('task_status_show', { id: made.id }, as)).__type).toBe('Authorization Error');
    }
    expect(await world.result('resource_status_show', { id: 'nope' }, { get: true })).toEqual([]);
    expect(await refusal('resource_status_show', {})).toMatchObject({ id: ['Missing value'] });
  });
});

describe('job statuses of a dataset', () => {
  it('stay while it is deleted, and purging it removes only these', async () => {
    const { id, body } = await world.make.dataset({ resources: [{ url: 'http://x/a' }, { url: 'http://x/b' }] });
    const other = await world.make.dataset({ resources: [{ url: 'http://x/c' }] });
    const [first, second] = body.resources.map((resource) => resource.id);
    const entities = [id, first!, second!, other.id, other.body.resources[0]!.id, `not-${id}`];
    for (const entity_id of entities) await update({ entity_id });
    const said = async () => {
      const rows = await world.database.sql.rows<{ entity: string }>(
        { text: 'SELECT entity_id AS entity FROM task_status WHERE entity_id = ANY ($1)' },
        [entities],
      );
      return entities.filter((entity) => rows.some((row) => row.entity === entity));
    };
    await world.result('package_delete', { id }, { as: admin });
    expect(await said()).toEqual(entities);
    await world.result('dataset_purge', { id }, { as: admin });
    expect(await said()).toEqual(entities.slice(3));
  });
});
