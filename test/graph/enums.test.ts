/** Enums of the public schema: stored and served by other APIs as strings, and `OTHER` for unknown strings. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.make.sysadmin();
  await world.result('organization_create', { name: 'office' }, { as: admin });
});
afterAll(() => world.end());

const send = (query: string, variables: Record<string, unknown> = {}) => world.graph(query, variables, { as: admin });

describe('a state', () => {
  it('is an enum value, and OTHER for an unknown string written by another API', async () => {
    const states: [stored: string, shown: string][] = [
      ['active', 'ACTIVE'],
      ['draft', 'DRAFT'],
      ['deleted', 'DELETED'],
      ['embargoed', 'OTHER'],
      ['ACTIVE', 'OTHER'],
    ];
    for (const [at, [state, shown]] of states.entries()) {
      const { id } = await world.result('package_create', { name: `state-${at}`, state }, { as: admin });
      const { body } = await send('query ($id: ID!) { dataset(id: $id) { state } }', { id });
      expect(body.data).toEqual({ dataset: { state: shown } });
      expect((await world.result('package_show', { id }, { as: admin })).state).toBe(state);
    }
  });

  it('is written as an enum value, as a variable or a literal', async () => {
    const created = await send(
      'mutation { it: createDataset(input: { name: "made", state: DRAFT }) { dataset { state } } }',
    );
    expect(created.body.data.it).toEqual({ dataset: { state: 'DRAFT' } });
    const update = `mutation ($input: UpdateDatasetInput!) { it: updateDataset(input: $input) { dataset { state } } }`;
    const { body } = await send(update, { input: { dataset: 'made', state: 'ACTIVE' } });
    expect(body.data.it).toEqual({ dataset: { state: 'ACTIVE' } });
    expect((await world.result('package_show', { id: 'made' }, { as: admin })).state).toBe('active');
  });

  it.each(['OTHER', 'active', 'EMBARGOED'])('is refused as %s, as a variable or a literal', async (state) => {
    const update = `mutation ($input: UpdateDatasetInput!) { it: updateDataset(input: $input) { dataset { state } } }`;
    const byVariable = await send(update, { input: { dataset: 'made', state } });
    const inText = await send(`{ datasets(where: { states: [${state}] }) { totalCount } }`);
    for (const { status, body } of [byVariable, inText]) {
      expect(status).toBe(400);
      expect(body.errors[0].message).toContain(state);
      expect(body.errors[0].message).toContain('DatasetState');
    }
    expect((await world.result('package_show', { id: 'made' }, { as: admin })).state).toBe('active');
  });
});

describe('a capacity', () => {
  it('is an enum value, and OTHER for an unknown string written by another API', async () => {
    const shown = { admin: 'ADMIN', editor: 'EDITOR', member: 'MEMBER', public: 'PUBLIC', guest: 'OTHER' };
    for (const capacity of Object.keys(shown)) {
      const user = await world.make.user();
      await world.result(
        'member_create',
        { id: 'office', object: user.id, object_type: 'user', capacity },
        { as: admin },
      );
      const { body } = await send('query ($id: ID!) { user(id: $id) { memberships { nodes { capacity } } } }', {
        id: user.id,
      });
      expect(body.data.user.memberships.nodes).toEqual([{ capacity: shown[capacity as keyof typeof shown] }]);
    }
  });

  it('of the caller is an enum value, or null', async () => {
    const query = '{ organization(name: "office") { myCapacity } }';
    expect((await send(query)).body.data.organization).toEqual({ myCapacity: 'ADMIN' });
    expect((await world.graph(query)).body.data.organization).toEqual({ myCapacity: null });
  });
});
