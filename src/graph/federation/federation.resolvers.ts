import type { _EntityResolvers, Resolvers, ResolversTypes } from '../../generated/graph.ts';
import { nodesShow, typeOfNode } from '../node/node.service.ts';
import { nodeReaders } from '../node/readers.ts';
import { idOf, subgraphSdl } from './subgraph.ts';

/** `typeOfNode` returns any type name. `idOf` accepts only ids of the union's types. */
const resolveType = typeOfNode as unknown as NonNullable<_EntityResolvers['__resolveType']>;

export const federationResolvers: Resolvers = {
  Query: {
    _service: () => ({ sdl: subgraphSdl() }),
    // An object read by the id of an entity is an entity.
    _entities: async (_root, { representations }, { call }) =>
      (await nodesShow(nodeReaders, call, representations.map(idOf))) as Awaited<ResolversTypes['_Entity']>[],
  },
  _Entity: { __resolveType: resolveType },
};
