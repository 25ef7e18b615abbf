/** The graph as a part of a federation. */
import { composeServices } from '@apollo/composition';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type GraphQLUnionType, parse } from 'graphql';
import { ENTITIES } from '../../src/graph/federation/subgraph.ts';
import { schema } from '../../src/graph/schema.ts';
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
  it('composes with another one that extends an entity', async () => {
    const { sdl } = (await world.graph('{ _service { sdl } }')).body.data._service;
    for (const name of ENTITIES) expect(sdl).toMatch(new RegExp(`^type ${name}\\b.*@key\\(fields: "id"\\)`, 'm'));
    const link = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])';
    const stars = `${link} type Query { top: [Dataset!]! } type Dataset @key(fields: "id") { id: ID! stars: Int! }`;
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
    ).toEqual([...ENTITIES].sort());
  });
});

describe('entities', () => {
  it('come in the order asked for, each of its own type', async () => {
    const organization = await world.make.organization();
    const dataset = await world.make.dataset({
      ownerOrganization: organization.id,
      resources: [{ url: 'http://x.test/a' }],
    });
    const { id, resources } = (
      await world.graph('query ($id: String!) { dataset(idOrName: $id) { id resources { id } } }', { id: dataset.name })
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

  it('are null where nothing is, where it is hidden, and where the type is not its own', async () => {
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

  it('are a hundred at most', async () => {
    const key = { __typename: 'Tag', id: toGlobalId('Tag', world.id()) };
    expect((await entities(Array(100).fill(key))).body.errors).toBeUndefined();
    expect((await entities(Array(101).fill(key))).body.errors[0].extensions.code).toBe('LIMIT');
    const dear = await entities(Array(6_000).fill(key));
    expect(dear.body.errors[0].extensions.limit.name).toBe('cost');
  });
});
