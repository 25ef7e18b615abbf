import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
const schema = {
  type: 'object',
  required: ['frequency'],
  properties: {
    frequency: { type: 'string', enum: ['daily', 'yearly'] },
    stations: { type: 'array', items: { type: 'integer' } },
  },
};
beforeAll(async () => {
  world = await createWorld({ 'catalog.dataset_types': { measurement: schema } as never }, { counts: true });
  admin = await world.make.sysadmin();
  const organization = await world.make.organization();
  for (let index = 0; index < 7; index += 1) {
    await world.make.dataset({
      name: `listed-${index}`,
      ownerOrganization: organization.name,
      tags: [{ name: 'common' }],
      resources: [{ url: 'http://a.example' }, { url: 'http://b.example' }],
    });
  }
});
afterAll(() => world.end());

const LIST = `query ($first: Int, $after: String) { datasets(first: $first, after: $after) {
  totalCount pageInfo { hasNextPage hasPreviousPage endCursor } edges { cursor }
  nodes { id name embeddedOrganization { title } tags { name } groups { name } resources { url format } extras { key } } } }`;

describe('datasets', () => {
  it('pages by cursor through all datasets once, newest first', async () => {
    const names: string[] = [];
    let after: string | null = null;
    do {
      const { body } = await world.graph(LIST, { first: 3, after });
      expect(body.errors).toBeUndefined();
      const { nodes, pageInfo, totalCount } = body.data.datasets;
      expect(totalCount).toBe(7);
      expect(pageInfo.hasPreviousPage).toBe(after !== null);
      names.push(...nodes.map((node: { name: string }) => node.name));
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    } while (after);
    expect(names).toEqual([6, 5, 4, 3, 2, 1, 0].map((index) => `listed-${index}`));
  });

  it('needs as many statements for six datasets as for one', async () => {
    const one = await world.statementsOf(() => world.graph(LIST, { first: 1 }));
    const six = await world.statementsOf(() => world.graph(LIST, { first: 6 }));
    expect(six).toEqual(one);
    expect(one.length).toBe(2); // the page and the count
  });

  it('reads the datasets of three organizations with as many statements as of one', async () => {
    const owners =
      '{ organizations { nodes { name datasets(first: 2) { totalCount nodes { name resources { url } } } } } }';
    const one = await world.statementsOf(() => world.graph(owners));
    const more = await Promise.all(['o-one', 'o-two'].map((name) => world.make.organization({ name })));
    for (const { name } of more) await world.make.dataset({ name: `of-${name}`, ownerOrganization: name });
    const { body } = await world.graph(owners);
    expect(body.errors).toBeUndefined();
    const three = await world.statementsOf(() => world.graph(owners));
    expect(three).toEqual(one);
  });

  it('refuses invalid cursors, and pages beyond the limit', async () => {
    expect((await world.graph(LIST, { after: 'nonsense' })).body.errors[0].extensions.code).toBe('VALIDATION');
    expect((await world.graph(LIST, { first: 100_000 })).body.errors[0].extensions.code).toBe('LIMIT');
  });
});

describe('createDataset', () => {
  const CREATE = `mutation ($input: CreateDatasetInput!) { createDataset(input: $input) { dataset { name version fields } errors { code message path } } }`;

  it('returns errors as data', async () => {
    const { body } = await world.graph(
      CREATE,
      { input: { name: 'Not A Name', tags: [{ name: 'ok-tag' }, { name: '!' }] } },
      { as: admin },
    );
    expect(body.errors).toBeUndefined();
    expect(body.data.createDataset).toEqual({
      dataset: null,
      errors: [
        { code: 'VALIDATION', path: ['name'], message: expect.stringMatching(/lowercase/) },
        { code: 'VALIDATION', path: ['tags', '1'], message: expect.stringMatching(/length/) },
        { code: 'VALIDATION', path: ['tags', '1'], message: expect.stringMatching(/alphanumeric/) },
      ],
    });
    const anonymous = await world.graph(CREATE, { input: { name: 'anonymous' } });
    expect(anonymous.body.data.createDataset.errors[0].code).toBe('NOT_AUTHORIZED');
  });

  it('validates, stores and shows the fields of a declared type (ruling 21)', async () => {
    const wrong = await world.action(
      'package_create',
      { name: 'measured', type: 'measurement', stations: ['a'] },
      { as: admin },
    );
    expect(wrong.body.error).toMatchObject({
      __type: 'Validation Error',
      frequency: ['Missing value'],
      stations: ['must be integer'],
    });
    const created = await world.result(
      'package_create',
      { name: 'measured', type: 'measurement', frequency: 'daily', stations: [1, 2], unknown: 'x' },
      { as: admin },
    );
    expect(created).toMatchObject({ frequency: 'daily', stations: [1, 2] });
    expect(created).not.toHaveProperty('unknown');
    const { body } = await world.graph('{ dataset(id: "measured") { fields } }');
    expect(body.data.dataset.fields).toEqual({ frequency: 'daily', stations: [1, 2] });
    const patched = await world.result('package_patch', { id: 'measured', frequency: 'yearly' }, { as: admin });
    expect(patched).toMatchObject({ frequency: 'yearly', stations: [1, 2] });
  });

  it('is refused if expectedVersion is outdated', async () => {
    const patch = (version: number, title: string) =>
      world.graph(
        `mutation ($input: UpdateDatasetInput!) { updateDataset(input: $input) { dataset { version title } errors { code } } }`,
        { input: { dataset: 'listed-0', expectedVersion: version, title } },
        { as: admin },
      );
    const {
      body: {
        data: {
          dataset: { version },
        },
      },
    } = await world.graph('{ dataset(id: "listed-0") { version } }');
    expect((await patch(version, 'new title')).body.data.updateDataset.dataset).toEqual({
      version: version + 1,
      title: 'new title',
    });
    expect((await patch(version, 'too late')).body.data.updateDataset.errors[0].code).toBe('CONFLICT');
  });
});

it('hides private datasets from lists, shows them to members, and refuses visitors in both APIs', async () => {
  const member = await world.make.user();
  const organization = await world.make.organization({ members: { [member.id]: 'member' } });
  const { id } = await world.make.dataset({
    name: 'secret',
    private: true,
    ownerOrganization: organization.name,
    resources: [{ url: 'http://s.example', databaseId: 'secret-resource' }],
  });
  const show = '{ dataset(id: "secret") { name } }';
  expect((await world.graph(show)).body.errors[0].extensions.code).toBe('NOT_AUTHORIZED');
  expect((await world.graph(show, {}, { as: member })).body.data.dataset.name).toBe('secret');
  expect((await world.action('package_show', { id })).body.error.__type).toBe('Authorization Error');
  expect((await world.action('resource_show', { id: 'secret-resource' })).body.error.__type).toBe(
    'Authorization Error',
  );
  expect(await world.result('package_list')).not.toContain('secret');
  expect(await world.result('package_autocomplete', { q: 'secret' }, { as: member })).toEqual([]);
  expect((await world.result('resource_search', { query: 'url:s.example' })).count).toBe(0);
  expect(
    (await world.graph(LIST, { first: 50 })).body.data.datasets.nodes.map((node: { name: string }) => node.name),
  ).not.toContain('secret');
});
