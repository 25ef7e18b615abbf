import type { Resolvers, SetTermTranslationsInput } from '../../generated/graph.ts';
import { connectionResolvers } from '../../kernel/connection.ts';
import { payload } from '../../kernel/mutation.ts';
import { translationConnection, translationList, translationsSet } from './translation.service.ts';

export const translationResolvers: Resolvers = {
  Query: {
    termTranslations: (_root, args, { call }) => translationConnection(call, args),
    termTranslationList: (_root, args, { call }) => translationList(call, args),
  },
  Mutation: {
    setTermTranslations: payload('translations', (call, { input }: { input: SetTermTranslationsInput }) =>
      translationsSet(call, input),
    ),
  },
  TermTranslationConnection: connectionResolvers,
};
