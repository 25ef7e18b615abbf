/** The graph as a subgraph of a federation. */
import { composeServices } from '@apollo/composition';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type GraphQLUnionType, parse } from 'graphql';
import { KEYS } from '../../src/graph/federation/subgraph.ts';
import { publicSchema as schema } from '../../src/graph/schema.ts';
import { toGlobalId } from '../../src/kernel/ids.ts';
import { createWorld, type World } from '../helpers/world.ts';

const ENTITY_QUERY = `query ($representations: [_Any!]!) { _entities(representations: $representations) {
  __typename ... on Dataset { id name } ... on Organization { id name } ... on Group { id name } ... on User { id name } ... on Tag { id name }
  ... on Resource { id url } } }`;

let world: World;
beforeAll(async () => {
  world = await createWorld({}, { counts: true });
});
afterAll(() => world.end());

const entities = (representations: unknown, as: Parameters<World['graph']>[2] = {}) =>
  world.graph(ENTITY_QUERY, { representations }, as);

describe('the schema of the subgraph', () => {
  it('composes with another subgraph that extends an entity', async () => {
    const { sdl } = (await world.graph('{ _service { sdl } }')).body.data._service;
    for (const [name, keys] of Object.entries(KEYS))
      for (const key of keys) expect(sdl).toMatch(new RegExp(`^type ${name}\\b.*@key\\(fields: "${key}"\\)`, 'm'));
    expect(sdl).not.toContain('@contract');
    const link =
      'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable", "@external"])';
    // The other subgraph has its own pages and nodes, and identifies datasets by `databaseId`.
    const stars = `${link}
      type Query { top(first: Int): DatasetStars! node(id: ID!): Node @shareable }
      interface Node { id: ID! }
      type Star implements Node @key(fields: "id") { id: ID! }
      type DatasetStars { nodes: [Dataset!]! pageInfo: PageInfo! }
      type PageInfo @shareable { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }
      type Dataset implements Node @key(fields: "id") @key(fields: "databaseId") { id: ID! databaseId: String! stars: Int! }
      type License @key(fields: "code") { code: String! uses: Int! }`;
    const { errors, supergraphSdl } = composeServices([
      { name: 'catalog', url: `${world.base}/graphql`, typeDefs: parse(sdl) },
      { name: 'stars', url: 'http://stars.test/graphql', typeDefs: parse(stars) },
    ]);
    expect(errors).toBeUndefined();
    expect(supergraphSdl).toContain('stars: Int! @join__field(graph: STARS)');
  });

  it('has a key for every type of the union', () => {
    const union = schema.getType('_Entity') as GraphQLUnionType;
    expect(
      union
        .getTypes()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(Object.keys(KEYS).sort());
  });
});

describe('entities', () => {
  it('are returned in the requested order, each with its own type', async () => {
    const organization = await world.make.organization();
    const dataset = await world.make.dataset({
      ownerOrganization: organization.id,
      resources: [{ url: 'http://x.test/a' }],
    });
    const { id, resources } = (
      await world.graph('query ($id: String!) { dataset(name: $id) { id resources { id } } }', { id: dataset.name })
    ).body.data.dataset;
    const keys = [
      { __typename: 'Organization', id: toGlobalId('Organization', organization.id) },
      { __typename: 'Dataset', id },
      { __typename: 'Resource', id: resources[0].id },
      { __typename: 'Dataset', id },
    ];
    const { body } = await entities(keys);
    expect(body.data._entities).toMatchObject(keys);
    const statements = await world.statementsOf(() => entities(Array.from({ length: 100 }, () => keys[1])));
    expect(statements.length).toBeLessThan(4);
  });

  it('are found by each of their keys', async () => {
    const organization = await world.make.organization();
    const dataset = await world.make.dataset({ resources: [{ url: 'http://x.test/a' }] });
    const vocabulary = await world.make.vocabulary();
    const user = await world.make.user();
    const keys = [
      { __typename: 'Dataset', databaseId: dataset.id },
      { __typename: 'Dataset', name: dataset.name },
      { __typename: 'Organization', name: organization.name },
      { __typename: 'User', name: user.name },
      { __typename: 'Vocabulary', name: vocabulary.name },
      { __typename: 'Resource', databaseId: dataset.body.resources[0]!.id },
      { __typename: 'License', code: 'cc-by' },
    ];
    const query = `query ($representations: [_Any!]!) { _entities(representations: $representations) { __typename
      ... on Dataset { databaseId name } ... on Organization { name } ... on User { name } ... on Vocabulary { name }
      ... on Resource { databaseId } ... on License { code title } } }`;
    const { body } = await world.graph(query, { representations: keys });
    expect(body.data._entities).toMatchObject(keys);
    const missing = [
      { __typename: 'Group', name: organization.name },
      { __typename: 'Dataset', name: 'nothing here' },
      { __typename: 'License', code: 'none' },
      { __typename: 'Tag', name: 'no key' },
    ];
    expect((await world.graph(query, { representations: missing })).body.data._entities).toEqual(
      missing.map(() => null),
    );
    const many = Array.from({ length: 100 }, () => keys[1]);
    const statements = await world.statementsOf(() => world.graph(query, { representations: many }));
    expect(statements.length).toBeLessThan(4);
  });

  it('are null if they are missing, hidden, malformed or of another type', async () => {
    const admin = await world.make.sysadmin();
    const { id: ownerOrganization } = await world.make.organization();
    const hidden = await world.make.dataset({ private: true, ownerOrganization });
    const key = { __typename: 'Dataset', id: toGlobalId('Dataset', hidden.id) };
    const odd = [
      key,
      { __typename: 'Dataset', id: toGlobalId('Dataset', world.id()) },
      { __typename: 'Organization', id: key.id },
      { __typename: 'Revision', id: toGlobalId('Revision', world.id()) },
      { __typename: 'Nothing', id: 'x' },
      { __typename: 'Dataset' },
      { id: key.id },
      {},
      'text',
      5,
      [],
    ];
    expect((await entities(odd)).body.data._entities).toEqual(odd.map(() => null));
    expect((await entities([key], { as: admin })).body.data._entities).toMatchObject([key]);
  });

  it('are limited to 100', async () => {
    const key = { __typename: 'Tag', id: toGlobalId('Tag', world.id()) };
    expect((await entities(Array(100).fill(key))).body.errors).toBeUndefined();
    expect((await entities(Array(101).fill(key))).body.errors[0].extensions.code).toBe('LIMIT');
    const dear = await entities(Array(6_000).fill(key));
    expect(dear.body.errors[0].extensions.limit.name).toBe('cost');
  });
});
