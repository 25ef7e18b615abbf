import type { Resolvers } from '../../generated/graph.ts';
import { markdownToHtml } from '../../infra/markdown.ts';
import { isNameFree, slug } from './name.service.ts';

export const nameResolvers: Resolvers = {
  Query: {
    slug: (_root, args) => slug(args),
    isNameFree: (_root, args, { call }) => isNameFree(call, args),
    markdownHtml: (_root, { text }) => markdownToHtml(text),
  },
  Slug: {
    isFree: ({ text }, _args, { call }) => isNameFree(call, { name: text, of: 'DATASET' }),
  },
};
