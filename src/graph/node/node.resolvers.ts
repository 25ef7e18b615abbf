import type { NodeResolvers, Resolvers } from '../../generated/graph.ts';
import { nodesShow, typeOfNode } from './node.service.ts';
import { nodeReaders } from './readers.ts';

/** `typeOfNode` returns any type name. The schema refuses names of types that do not implement Node. */
const resolveType = typeOfNode as unknown as NonNullable<NodeResolvers['__resolveType']>;

export const nodeResolvers: Resolvers = {
  Query: {
    node: async (_root, { id }, { call }) => (await nodesShow(nodeReaders, call, [id]))[0] ?? null,
    nodes: (_root, { ids }, { call }) => nodesShow(nodeReaders, call, ids),
  },
  Node: { __resolveType: resolveType },
};
