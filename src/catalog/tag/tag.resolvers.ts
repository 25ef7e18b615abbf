import type { DeleteTagInput, Resolvers } from '../../generated/graph.ts';
import { connectionResolvers } from '../../kernel/connection.ts';
import { created } from '../../kernel/idempotency.ts';
import { toGlobalId } from '../../kernel/ids.ts';
import { localized } from '../../kernel/languages.ts';
import { lookUp } from '../../kernel/look-up.ts';
import { payload } from '../../kernel/mutation.ts';
import type { NodeReaders } from '../../kernel/node.ts';
import { tagConnection, tagCreate, tagDelete, tagList, tagNodes, tagShow, vocabularyTags } from './tag.service.ts';

export const tagResolvers: Resolvers = {
  Query: {
    tags: (_root, args, { call }) => tagConnection(call, args),
    tagList: (_root, args, { call }) => tagList(call, args),
    tag: (_root, { id, name, databaseId, vocabulary }, { call }) =>
      lookUp({ id, name, databaseId }, (by) => tagShow(call, { id: by, vocabulary })),
  },
  Mutation: {
    createTag: created('createTag', 'tag', tagCreate, tagNodes),
    deleteTag: payload('tag', (call, { input }: { input: DeleteTagInput }) => tagDelete(call, input)),
  },
  Tag: {
    id: (tag) => toGlobalId('Tag', tag.id),
    databaseId: (tag) => tag.id,
    displayName: (tag, { language }, { loaders }) => localized(tag.name, language, loaders),
  },
  Vocabulary: {
    tagConnection: (vocabulary, args, { call, loaders }) => vocabularyTags(call, loaders, vocabulary.id, args),
  },
  TagConnection: connectionResolvers,
  TagList: connectionResolvers,
};

export const tagNodeReaders: NodeReaders = { Tag: tagNodes };
