/** Global ids in requests: accepted if they name an object of the right type, and refused with a reason otherwise. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { toGlobalId } from '../../src/kernel/ids.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let id: string;
let name: string;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.make.sysadmin();
  ({ id, name } = await world.make.dataset({ resources: [{ url: 'u' }] }));
});
afterAll(() => world.end());

/** Sends a request unchanged: `world.graph` would turn names into ids. */
async function send(query: string, variables: object = {}) {
  const { body } = await world.request('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: admin.key },
    body: JSON.stringify({ query, variables }),
  });
  return body;
}
const refusal = async (query: string, variables: object = {}) => (await send(query, variables)).errors?.[0];

describe('a look-up', () => {
  it('accepts a global id, a name or a database id', async () => {
    const globalId = toGlobalId('Dataset', id);
    for (const by of [`id: "${globalId}"`, `name: "${name}"`, `databaseId: "${id}"`]) {
      expect((await send(`{ dataset(${by}) { id name } }`)).data.dataset).toEqual({ id: globalId, name });
    }
  });

  it('finds nothing by a database id as the name, or by a name as the database id', async () => {
    for (const by of [`name: "${id}"`, `databaseId: "${name}"`]) {
      expect((await send(`{ dataset(${by}) { id } }`)).data?.dataset ?? null).toBeNull();
    }
  });

  it('finds a dataset by a name that is also the id of another', async () => {
    const { id: named } = await world.make.dataset({ name: 'taken-as-an-id' });
    await world.result('package_create', { id: 'taken-as-an-id', name: 'another-name' }, { as: admin });
    expect((await send('{ dataset(name: "taken-as-an-id") { databaseId } }')).data.dataset).toEqual({
      databaseId: named,
    });
    const byId = '{ dataset(databaseId: "taken-as-an-id") { name } }';
    expect((await send(byId)).data.dataset).toEqual({ name: 'another-name' });
  });

  it('finds nothing by a global id built from a name', async () => {
    const made = toGlobalId('Dataset', name);
    expect(await refusal(`{ dataset(id: "${made}") { id } }`)).toMatchObject({ extensions: { code: 'NOT_FOUND' } });
    expect((await send(`{ node(id: "${made}") { id } }`)).data.node).toBeNull();
    const { name: group } = await world.make.group();
    const found = await send(
      `{ group(id: "${toGlobalId('Group', group)}") { name } user(id: "${toGlobalId('User', admin.name)}") { name } }`,
    );
    expect(found.data).toEqual({ group: null, user: null });
    const where = `{ datasets(where: { group: "${toGlobalId('Group', group)}" }) { totalCount } }`;
    expect(await refusal(where)).toMatchObject({ extensions: { code: 'VALIDATION' } });
  });

  it('accepts the global id of an object that was created with a custom id', async () => {
    await world.result('package_create', { id: 'chosen-id', name: 'chosen-name' }, { as: admin });
    const byId = `{ dataset(id: "${toGlobalId('Dataset', 'chosen-id')}") { name } }`;
    expect((await send(byId)).data.dataset).toEqual({ name: 'chosen-name' });
    expect(
      await refusal(byId.replace(toGlobalId('Dataset', 'chosen-id'), toGlobalId('Dataset', 'chosen-name'))),
    ).toMatchObject({
      extensions: { code: 'NOT_FOUND' },
    });
  });

  it('requires exactly one of id, name and databaseId', async () => {
    const message = expect.stringContaining('Give exactly one of id, name and databaseId');
    expect(await refusal('{ dataset { id } }')).toMatchObject({ message, extensions: { code: 'VALIDATION' } });
    expect(await refusal(`{ dataset(name: "${name}", databaseId: "${id}") { id } }`)).toMatchObject({ message });
  });

  it.each([
    ['a name', () => name, () => `(got "${name}")`],
    ['a database id', () => id, () => `(got "${id}")`],
    ['the id of another type', () => toGlobalId('Organization', id), () => '(got the id of an Organization)'],
    ['an unknown type', () => toGlobalId('constructor', id), () => '(got "'],
    ['NUL', () => toGlobalId('Dataset', 'a\0'), () => '(got '],
    ['a long text', () => 'x'.repeat(5_000), () => `(got "${'x'.repeat(100)}…")`],
  ])('refuses %s as id', async (_what, given, said) => {
    const error = await refusal('query ($id: ID) { dataset(id: $id) { id } }', { id: given() });
    expect(error.message).toContain('`id` must be the global id of a Dataset');
    expect(error.message).toContain(said());
    expect(error.extensions).toMatchObject({ code: 'VALIDATION' });
  });
});

describe('a mutation', () => {
  const PATCH = `mutation ($input: UpdateDatasetInput!) { it: updateDataset(input: $input) {
    dataset { title } errors { code message path } } }`;

  it('accepts ids, also in lists and nested inputs', async () => {
    const group = toGlobalId('Group', (await world.make.group()).id);
    const input = { dataset: toGlobalId('Dataset', id), title: 'T', groups: [{ id: group }] };
    expect((await send(PATCH, { input })).data.it).toEqual({ dataset: { title: 'T' }, errors: [] });
    const { id: resource } = (await send(`{ dataset(name: "${name}") { resources { id } } }`)).data.dataset
      .resources[0];
    const order = `mutation { reorderResources(input: { dataset: "${input.dataset}", order: ["${resource}"] }) { errors { path } } }`;
    expect((await send(order)).data.reorderResources.errors).toEqual([]);
  });

  it('refuses every invalid id with its path in the input', async () => {
    const input = { dataset: name, title: 'x', ownerOrganization: toGlobalId('Group', 'g'), groups: [{ id: 'g' }] };
    const { dataset, errors } = (await send(PATCH, { input })).data.it;
    expect(dataset).toBeNull();
    expect(errors).toEqual([
      expect.objectContaining({ code: 'VALIDATION', path: ['dataset'] }),
      expect.objectContaining({ path: ['groups', '0', 'id'] }),
      expect.objectContaining({
        path: ['ownerOrganization'],
        message: '`ownerOrganization` must be the global id of an Organization (got the id of a Group)',
      }),
    ]);
  });

  it('of a batch refuses only the items with invalid ids', async () => {
    const query = `mutation ($input: UpdateDatasetsInput!) { it: updateDatasets(input: $input) {
      results { dataset { title } errors { path } } errors { path } } }`;
    const items = [
      { dataset: name, title: 'no' },
      { dataset: toGlobalId('Dataset', id), title: 'yes' },
      { dataset: toGlobalId('User', id), title: 'no' },
    ];
    expect((await send(query, { input: { items } })).data.it).toEqual({
      results: [
        { dataset: null, errors: [{ path: ['dataset'] }] },
        { dataset: { title: 'yes' }, errors: [] },
        { dataset: null, errors: [{ path: ['dataset'] }] },
      ],
      errors: [],
    });
  });

  it('finds nothing by global ids built from names, alone and in a batch', async () => {
    const made = toGlobalId('Dataset', name);
    const one = (await send(PATCH, { input: { dataset: made, title: 'no' } })).data.it;
    expect(one).toMatchObject({ dataset: null, errors: [{ code: 'NOT_FOUND' }] });
    const query = `mutation ($input: UpdateDatasetsInput!) { it: updateDatasets(input: $input) {
      results { dataset { title } errors { code } } errors { path } } }`;
    const items = [
      { dataset: made, title: 'no' },
      { dataset: toGlobalId('Dataset', id), title: 'by its id' },
    ];
    expect((await send(query, { input: { items } })).data.it.results).toEqual([
      { dataset: null, errors: [{ code: 'NOT_FOUND' }] },
      { dataset: { title: 'by its id' }, errors: [] },
    ]);
  });

  it('returns the global id of a purged dataset', async () => {
    const { id: gone } = await world.make.dataset();
    const query = 'mutation ($id: ID!) { purgeDataset(input: { dataset: $id }) { purgedId errors { message } } }';
    const globalId = toGlobalId('Dataset', gone);
    expect((await send(query, { id: globalId })).data.purgeDataset).toEqual({ purgedId: globalId, errors: [] });
  });
});
