import type { _EntityResolvers, Resolvers, ResolversTypes } from '../../generated/graph.ts';
import { typeOfNode } from '../node/node.service.ts';
import { entitiesShow } from './federation.service.ts';
import { subgraphSdl } from './subgraph.ts';

/** `typeOfNode` returns any type name. `referenceOf` accepts only types of the union. */
const resolveType = typeOfNode as unknown as NonNullable<_EntityResolvers['__resolveType']>;

export const federationResolvers: Resolvers = {
  Query: {
    _service: () => ({ sdl: subgraphSdl() }),
    // An object read by the key of an entity is an entity.
    _entities: async (_root, { representations }, { call, loaders }) =>
      (await entitiesShow(call, loaders, representations)) as Awaited<ResolversTypes['_Entity']>[],
  },
  _Entity: { __resolveType: resolveType },
};
