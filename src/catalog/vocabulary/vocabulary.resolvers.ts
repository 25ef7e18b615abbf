import type { DeleteVocabularyInput, Resolvers, UpdateVocabularyInput } from '../../generated/graph.ts';
import { connectionResolvers } from '../../kernel/connection.ts';
import { created } from '../../kernel/idempotency.ts';
import { asId, toGlobalId } from '../../kernel/ids.ts';
import { lookUp } from '../../kernel/look-up.ts';
import { payload } from '../../kernel/mutation.ts';
import type { NodeReaders } from '../../kernel/node.ts';
import {
  vocabularyConnection,
  vocabularyCreate,
  vocabularyDelete,
  vocabularyList,
  vocabularyNodes,
  vocabularyShow,
  vocabularyUpdate,
} from './vocabulary.service.ts';

export const vocabularyResolvers: Resolvers = {
  Query: {
    vocabularies: (_root, args, { call }) => vocabularyConnection(call, args),
    vocabularyList: (_root, _args, { call }) => vocabularyList(call),
    vocabulary: (_root, { id, name, databaseId }, { call }) =>
      lookUp({ id, name, databaseId }, (by) => vocabularyShow(call, by)),
  },
  Mutation: {
    createVocabulary: created('createVocabulary', 'vocabulary', vocabularyCreate, vocabularyNodes),
    updateVocabulary: payload('vocabulary', (call, { input }: { input: UpdateVocabularyInput }) =>
      vocabularyUpdate(call, input),
    ),
    deleteVocabulary: payload('deletedId', (call, { input }: { input: DeleteVocabularyInput }) =>
      asId('Vocabulary', vocabularyDelete(call, input)),
    ),
  },
  Vocabulary: {
    id: (vocabulary) => toGlobalId('Vocabulary', vocabulary.id),
    databaseId: (vocabulary) => vocabulary.id,
    tags: (vocabulary, _args, { loaders }) => loaders.tagsByVocabulary.load(vocabulary.id),
  },
  Tag: {
    vocabulary: (tag, _args, { loaders }) =>
      tag.vocabularyId === null ? null : loaders.vocabularyById.load(tag.vocabularyId),
  },
  VocabularyConnection: connectionResolvers,
};

export const vocabularyNodeReaders: NodeReaders = { Vocabulary: vocabularyNodes };
