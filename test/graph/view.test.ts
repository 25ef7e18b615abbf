import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { toGlobalId } from '../../src/kernel/ids.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
beforeAll(async () => {
  world = await createWorld({}, { counts: true });
  admin = await world.make.sysadmin();
});
afterAll(() => world.end());

const CREATE = `mutation ($input: CreateResourceViewInput!) {
  createResourceView(input: $input) { view { databaseId version } errors { code message path } } }`;

it('lists the enabled view types', async () => {
  const { body } = await world.graph(
    '{ resourceViewTypes { name title isDefault requiresDatastore fields { name kind required options description } } }',
  );
  expect(body.data.resourceViewTypes).toContainEqual({
    name: 'image_view',
    title: 'Image',
    isDefault: true,
    requiresDatastore: false,
    fields: [{ name: 'image_url', kind: 'ADDRESS', required: false, options: [], description: expect.any(String) }],
  });
  expect(body.data.resourceViewTypes.map(({ name }: { name: string }) => name)).not.toContain('recline_map_view');
});

it('lists the view types that suit a resource', async () => {
  const resources = ['CSV', 'png', ''].map((format, n) => ({ url: `http://x/${n}`, format }));
  const { name } = await world.make.dataset({ resources });
  const query = '{ dataset(name: "NAME") { resources { viewTypes { name } } } }'.replace('NAME', name);
  const { body } = await world.graph(query);
  const kinds = body.data.dataset.resources.map((it: any) => it.viewTypes.map((type: any) => type.name));
  expect(kinds[0]).toContain('recline_view');
  expect(kinds[1]).toContain('image_view');
  expect(kinds[2]).not.toContain('image_view');
  expect(kinds[2]).not.toContain('recline_view');
});

it('reads the views of all resources of a page with one statement', async () => {
  const formats = ['csv', 'png', 'txt'];
  for (let n = 0; n < 4; n++)
    await world.make.dataset({ resources: formats.map((format) => ({ url: `http://x/${n}.${format}`, format })) });
  const query = '{ datasets(first: 10) { nodes { resources { views { viewType title position } } } } }';
  let body: any;
  const ask = async () => void (body = (await world.graph(query)).body);
  await ask();
  const views = (await world.statementsOf(ask)).filter((text) => text.includes('resource_view'));
  expect(views).toHaveLength(1);
  const types = body.data.datasets.nodes[0].resources.map((it: any) => it.views.map((view: any) => view.viewType));
  expect(types).toEqual([['recline_view'], ['image_view'], ['text_view']]);
});

it('returns a view as a node only to readers of its dataset', async () => {
  const owner = await world.make.organization();
  const { body } = await world.make.dataset({
    private: true,
    ownerOrganization: owner.id,
    resources: [{ url: 'http://x/a.csv', format: 'csv' }],
  });
  const [view] = await world.result('resource_view_list', { id: body.resources[0]!.id }, { as: admin });
  const ask = async (as: TestUser | null) =>
    (
      await world.graph(
        'query ($id: ID!) { node(id: $id) { id } }',
        { id: toGlobalId('ResourceView', view.id) },
        { as },
      )
    ).body.data.node;
  expect(await ask(admin)).not.toBeNull();
  expect(await ask(null)).toBeNull();
});

it('returns a refusal as data, with its path in the input', async () => {
  const { body } = await world.make.dataset({ resources: [{ url: 'http://x/a' }] });
  const input = { resourceId: body.resources[0]!.id, viewType: 'image_view', title: 'T', fields: { colour: 'red' } };
  const refused = await world.graph(CREATE, { input }, { as: admin });
  expect(refused.body.data.createResourceView).toEqual({
    view: null,
    errors: [{ code: 'VALIDATION', message: 'The input field colour was not expected.', path: ['fields', 'colour'] }],
  });
  const made = await world.graph(CREATE, { input: { ...input, fields: null } }, { as: admin });
  expect(made.body.data.createResourceView).toEqual({
    view: { databaseId: expect.any(String), version: 1 },
    errors: [],
  });
});

it('gives each view its own position under concurrent writers', async () => {
  const { body } = await world.make.dataset({ resources: [{ url: 'http://x/a' }] });
  const resourceId = body.resources[0]!.id;
  await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      world.graph(CREATE, { input: { resourceId, viewType: 'text_view', title: `${n}` } }, { as: admin }),
    ),
  );
  const shown = await world.graph('query ($id: ID!) { resource(id: $id) { views { position } } }', {
    id: resourceId,
  });
  expect(shown.body.data.resource.views.map((view: any) => view.position)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

it('logs a change for each write', async () => {
  const { body } = await world.make.dataset({ resources: [{ url: 'http://x/a' }] });
  const input = { resourceId: body.resources[0]!.id, viewType: 'text_view', title: 'T' };
  const { databaseId } = (await world.graph(CREATE, { input }, { as: admin })).body.data.createResourceView.view;
  await world.result('resource_view_update', { id: databaseId, title: 'U' }, { as: admin });
  await world.result('resource_view_delete', { id: databaseId }, { as: admin });
  const { rows } = await world.database.pool.query(
    "SELECT action FROM change WHERE object_type = 'view' AND object_id = $1 ORDER BY sequence",
    [databaseId],
  );
  expect(rows.map(({ action }) => action)).toEqual(['created', 'updated', 'deleted']);
});
