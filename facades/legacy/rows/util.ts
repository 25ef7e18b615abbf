/** Helpers for forms: names from titles, suggestions, Markdown, status of the site. */
import {
  LegacyDatasetSuggestionsDocument,
  LegacyFormatSuggestionsDocument,
  LegacyGroupSuggestionsDocument,
  LegacyMarkdownDocument,
  LegacyNameFreeDocument,
  LegacyOrganizationSuggestionsDocument,
  LegacySlugDocument,
  LegacyStatusDocument,
  LegacyTagSuggestionsDocument,
  LegacyUserSuggestionsDocument,
  type SlugKind,
} from '../../../src/generated/operations.ts';
import { row } from '../define.ts';
import { iconOf, limitOf, one, oneOf, slugOwner } from '../params.ts';

const munge = (path: string, of: SlugKind, names: readonly string[]) =>
  row({
    method: 'FORM',
    path,
    document: LegacySlugDocument,
    variables: ({ query }) => ({ text: oneOf(query, names), of }),
    result: ({ slug }) => slug.text,
  });

const found = (Result: readonly unknown[]) => ({ ResultSet: { Result } });

export const utilRows = [
  row({
    method: 'GET',
    path: '/util/dataset/create_slug',
    document: LegacySlugDocument,
    variables: ({ query }) => ({ text: oneOf(query, ['title']), of: 'TITLE' as const }),
    result: ({ slug }) => ({ valid: slug.isFree, name: slug.text }),
  }),
  row({
    method: 'GET',
    path: '/util/is_slug_valid',
    document: LegacyNameFreeDocument,
    variables: ({ query }) => ({ name: one(query, 'slug'), of: slugOwner(one(query, 'type')) }),
    result: ({ isNameFree }) => ({ valid: isNameFree }),
  }),
  munge('/util/dataset/munge_name', 'NAME', ['name']),
  munge('/util/dataset/munge_title_to_name', 'TITLE', ['title', 'name']),
  munge('/util/tag/munge', 'TAG', ['tag', 'name']),
  row({
    method: 'GET',
    path: '/util/dataset/autocomplete',
    document: LegacyDatasetSuggestionsDocument,
    variables: ({ query }) => ({
      text: one(query, 'incomplete'),
      limit: limitOf(query, 10),
      asked: one(query, 'incomplete') !== '',
    }),
    refusedUnder: () => ({ text: 'incomplete' }),
    result: ({ datasetSuggestions }) => found(datasetSuggestions ?? []),
  }),
  row({
    method: 'GET',
    path: '/util/tag/autocomplete',
    document: LegacyTagSuggestionsDocument,
    variables: ({ query }) => ({
      words: one(query, 'incomplete') === '' ? [] : [unescaped(one(query, 'incomplete'))],
      limit: limitOf(query, 10),
    }),
    refusedUnder: () => ({ words: 'incomplete' }),
    result: ({ tagList }) => found(tagList.nodes.map(({ name }) => ({ Name: name }))),
  }),
  row({
    method: 'GET',
    path: '/util/resource/format_autocomplete',
    document: LegacyFormatSuggestionsDocument,
    variables: ({ query }) => ({
      text: one(query, 'incomplete'),
      limit: limitOf(query, 5),
      asked: one(query, 'incomplete') !== '',
    }),
    result: ({ formatSuggestions }) => found((formatSuggestions ?? []).map((format) => ({ Format: format }))),
  }),
  row({
    method: 'GET',
    path: '/util/resource/format_icon',
    document: LegacyStatusDocument,
    variables: () => ({}),
    result: (_data, { query }) => ({ format: oneOf(query, ['format']), icon: iconOf(oneOf(query, ['format'])) }),
  }),
  row({
    method: 'FORM',
    path: '/util/user/autocomplete',
    document: LegacyUserSuggestionsDocument,
    variables: ({ query }) => ({ text: one(query, 'q'), limit: limitOf(query, 20), asked: one(query, 'q') !== '' }),
    refusedUnder: () => ({ text: 'q' }),
    result: ({ userSuggestions }) => userSuggestions ?? [],
  }),
  row({
    method: 'FORM',
    path: '/util/group/autocomplete',
    document: LegacyGroupSuggestionsDocument,
    variables: ({ query }) => ({
      text: one(query, 'q'),
      limit: limitOf(query, 20, 'forgiving'),
      asked: one(query, 'type') !== 'organization', // organizations have an address of their own
    }),
    refusedUnder: () => ({ text: 'q' }),
    result: ({ groupSuggestions }) => groupSuggestions ?? [],
  }),
  row({
    method: 'GET',
    path: '/util/organization/autocomplete',
    document: LegacyOrganizationSuggestionsDocument,
    variables: ({ query }) => ({
      text: one(query, 'q'),
      limit: limitOf(query, 20, 'forgiving'),
      asked: one(query, 'q') !== '',
    }),
    refusedUnder: () => ({ text: 'q' }),
    result: ({ organizationSuggestions }) => organizationSuggestions ?? [],
  }),
  row({
    method: 'FORM',
    path: '/util/markdown',
    document: LegacyMarkdownDocument,
    variables: ({ query }) => ({ text: one(query, 'q') }),
    result: ({ markdownHtml }) => markdownHtml,
  }),
  row({
    method: 'FORM',
    path: '/util/status',
    document: LegacyStatusDocument,
    variables: () => ({}),
    result: ({ site }) => site,
  }),
  row({
    method: 'GET',
    path: '/i18n/:language',
    document: LegacyStatusDocument,
    variables: () => ({}),
    result: () => ({}), // pages are in one language, so there is nothing to translate
  }),
];

/** Decodes percent escapes a second time, because forms of old sites escape twice. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
