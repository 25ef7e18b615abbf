import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isInterfaceType, isObjectType } from 'graphql';
import { nodeReaders } from '../../src/graph/node/readers.ts';
import { schema } from '../../src/graph/schema.ts';
import { enqueue } from '../../src/jobs/queue.service.ts';
import { toGlobalId } from '../../src/kernel/ids.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
/** Global ids of one object of each type. */
const ids: Record<string, string> = {};
/** Global ids of a private dataset, of its resource, and of the revision that made them. */
let hidden: string[];

beforeAll(async () => {
  world = await createWorld({}, { counts: true });
  admin = await world.make.sysadmin();
  const vocabulary = await world.make.vocabulary();
  const owner = await world.make.organization();
  const resources = [{ url: 'http://example.com/a.csv', format: 'csv' }];
  const open = await world.make.dataset({ tags: [{ name: 'water' }], resources });
  const secret = await world.make.dataset({ private: true, ownerOrganization: owner.id, resources });
  const tag = await world.database.db.tag.findFirstOrThrow({ where: { name: 'water' } });
  const own: Record<string, string> = {
    User: admin.id,
    Organization: owner.id,
    Group: (await world.make.group()).id,
    Vocabulary: vocabulary.id,
    Tag: tag.id,
    Dataset: open.id,
    Resource: open.body.resources[0]!.id,
  };
  const views = await world.result('resource_view_list', { id: open.body.resources[0]!.id });
  own.ResourceView = views[0].id;
  const related = await world.result('related_create', { title: 'App', type: 'application' }, { as: admin });
  own.RelatedItem = related.id;
  own.Revision = open.body.revision_id;
  own.Activity = (await world.result('package_activity_list', { id: open.id }))[0].id;
  own.Job = (await enqueue(world.app.callAs(world.system), { kind: 'note', subjectType: 'thing', subjectId: 'x' })).id;
  const source = { name: 'source', title: 'source', url: 'http://example.com/', kind: 'ckan', createdAt: new Date() };
  own.HarvestSource = (await world.database.db.harvestSource.create({ data: { id: world.id(), ...source } })).id;
  const address = {
    name: 'hook',
    url: 'https://example.com/',
    secret: 'sealed',
    batchSize: 1,
    createdAt: new Date(),
    cursor: 0,
  };
  const hook = { id: world.id(), userId: admin.id, ...address };
  own.Webhook = (await world.database.db.webhook.create({ data: hook })).id;
  for (const [type, id] of Object.entries(own)) ids[type] = toGlobalId(type, id);
  hidden = [
    toGlobalId('Dataset', secret.id),
    toGlobalId('Resource', secret.body.resources[0]!.id),
    toGlobalId('Revision', secret.body.revision_id),
  ];
});
afterAll(() => world.end());

const NODE = 'query ($id: ID!) { node(id: $id) { __typename id } }';
const NODES = 'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }';
const types = Object.values(schema.getTypeMap())
  .filter((type) => isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Node'))
  .map(({ name }) => name);

it('has a reader for every type that implements Node, and for no other', () => {
  expect(isInterfaceType(schema.getType('Node'))).toBe(true);
  expect(Object.keys(nodeReaders).sort()).toEqual([...types].sort());
});

describe('node', () => {
  it.each(types)('returns a %s by its global id', async (type) => {
    for (let time = 0; time < 4; time++) {
      expect((await world.graph(NODE, { id: ids[type] }, { as: admin })).body).toMatchObject({
        data: { node: { __typename: type, id: ids[type] } },
      });
    }
  });

  it('returns the fields of the type', async () => {
    const { body } = await world.graph(
      'query ($id: ID!) { node(id: $id) { ... on Dataset { tags { name } } ... on Tag { databaseId } } }',
      { id: ids.Dataset },
    );
    expect(body).toMatchObject({ data: { node: { tags: [{ name: 'water' }] } } });
  });

  it('returns null for both hidden and missing objects', async () => {
    const missing = toGlobalId('Dataset', world.id());
    for (const id of [...hidden, missing])
      expect((await world.graph(NODE, { id })).body).toMatchObject({ data: { node: null } });
    for (const id of hidden) expect((await world.graph(NODE, { id }, { as: admin })).body.data.node.id).toBe(id);
  });

  it('returns null for invalid ids', async () => {
    const odd = [
      '',
      'x',
      'ä',
      '%',
      toGlobalId('Nothing', '1'),
      toGlobalId('__proto__', '1'),
      toGlobalId('toString', '1'),
      toGlobalId('Query', '1'),
      toGlobalId('Dataset', ''),
      toGlobalId('Dataset', 'a\0b'),
      toGlobalId('User', '\0'),
      toGlobalId('Dataset', 'x'.repeat(10_000)),
      `${ids.Dataset}=`,
      ids.Dataset!.slice(0, -1),
      toGlobalId('Group', admin.id),
    ];
    for (const id of odd)
      expect({ id, body: (await world.graph(NODE, { id }, { as: admin })).body }).toMatchObject({
        id,
        body: { data: { node: null } },
      });
  });

  it('does not return an organization as a group', async () => {
    const { data } = (
      await world.graph(NODES, {
        ids: [
          ids.Organization,
          toGlobalId('Group', Buffer.from(ids.Organization!, 'base64url').toString().split(':')[1]!),
        ],
      })
    ).body;
    expect(data.nodes).toEqual([{ __typename: 'Organization', id: ids.Organization }, null]);
  });
});

describe('nodes', () => {
  it('keeps the order, with null for missing objects and repeats for repeated ids', async () => {
    const asked = [ids.Tag, 'nothing', ids.Dataset, hidden[0], ids.Tag, ids.Organization];
    const { body } = await world.graph(NODES, { ids: asked });
    expect(body.data.nodes.map((node: { id: string } | null) => node?.id ?? null)).toEqual([
      ids.Tag,
      null,
      ids.Dataset,
      null,
      ids.Tag,
      ids.Organization,
    ]);
  });

  it('needs as many statements for four datasets as for one', async () => {
    const datasets: string[] = [];
    for (let n = 0; n < 4; n++) datasets.push(toGlobalId('Dataset', (await world.make.dataset()).id));
    const one = await world.statementsOf(() => world.graph(NODES, { ids: datasets.slice(0, 1) }));
    const four = await world.statementsOf(() => world.graph(NODES, { ids: datasets }));
    expect(four).toHaveLength(one.length);
  });

  it('accepts at most 100 ids', async () => {
    expect(
      (await world.graph(NODES, { ids: Array.from({ length: 100 }, () => ids.Tag) })).body.data.nodes,
    ).toHaveLength(100);
    const { body } = await world.graph(NODES, { ids: Array.from({ length: 101 }, () => ids.Tag) });
    expect(body.errors[0]).toMatchObject({ message: 'ids: At most 100 ids (got 101)', extensions: { code: 'LIMIT' } });
    expect((await world.graph(NODES, { ids: [] })).body).toMatchObject({ data: { nodes: [] } });
  });
});
