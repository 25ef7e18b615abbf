import type { Resolvers } from '../../generated/graph.ts';
import { markdownToHtml } from '../../infra/markdown.ts';
import { payload } from '../../kernel/mutation.ts';
import { optionList, optionShow, optionsUpdate } from './option.service.ts';
import { settingList } from './setting.service.ts';
import { siteShow } from './site.service.ts';

export const siteResolvers: Resolvers = {
  Site: {
    aboutHtml: ({ about }) => markdownToHtml(about),
    introTextHtml: ({ introText }) => markdownToHtml(introText),
  },
  Query: {
    site: (_root, _args, { call }) => siteShow(call),
    settings: (_root, _args, { call }) => settingList(call),
    siteOptions: (_root, _args, { call }) => optionList(call),
    siteOption: (_root, args, { call }) => optionShow(call, args),
  },
  Mutation: {
    updateSiteOptions: payload('options', (call, { input }) => optionsUpdate(call, input)),
  },
};
