import type { Resolvers } from '../../generated/graph.ts';
import { siteShow } from './site.service.ts';

export const siteResolvers: Resolvers = {
  Query: { site: (_root, _args, { call }) => siteShow(call) },
};
