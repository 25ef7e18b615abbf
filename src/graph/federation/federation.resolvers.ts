import type { _EntityResolvers, Resolvers, ResolversTypes } from '../../generated/graph.ts';
import { nodesShow, typeOfNode } from '../node/node.service.ts';
import { nodeReaders } from '../node/readers.ts';
import { idOf, subgraphSdl } from './subgraph.ts';

/** `typeOfNode` knows names only; `idOf` lets no other than those of the union through. */
const resolveType = typeOfNode as unknown as NonNullable<_EntityResolvers['__resolveType']>;

export const federationResolvers: Resolvers = {
  Query: {
    _service: () => ({ sdl: subgraphSdl() }),
    // What is read by an id of an entity is one.
    _entities: async (_root, { representations }, { call }) =>
      (await nodesShow(nodeReaders, call, representations.map(idOf))) as Awaited<ResolversTypes['_Entity']>[],
  },
  _Entity: { __resolveType: resolveType },
};
