import {
  ActionTagCreateDocument,
  ActionTagDeleteDocument,
  ActionTagListDocument,
  ActionTagShowDocument,
  type ActionTagShowQuery,
} from '../../../src/generated/operations.ts';
import { action, renamed } from '../define.ts';
import { flag, int, list, present, required, text } from '../params.ts';
import { either, listOf, NULL, NUMBER, object, ref, TEXT } from '../schema.ts';
import { inData, notExpected, searchWords, tagFields } from './inputs.ts';

const vocabulary = text('Id or name of a vocabulary. Default: free tags.');
const search = {
  query: list('Texts that the name must contain, all of them, ignoring case.'),
  q: list('Alias of `query`.'),
  fields: tagFields('Words to search under the key `tags`. Use `query`.'),
  vocabulary_id: vocabulary,
  limit: int('Maximum number of tags, up to `catalog.limits.rows`. Default: all.'),
  offset: int('Number of tags to skip.'),
};

export const tagActions = {
  tag_list: action({
    kind: 'read',
    summary: 'Lists free tags that public datasets carry, or the tags of a vocabulary. Sorted by name.',
    differs: 'Omits tags that only private, draft or deleted datasets carry.',
    returns: 'List of names. With `all_fields`, list of dictionaries (`id`, `name`, `display_name`, `vocabulary_id`).',
    answers: either(listOf(TEXT), listOf(ref('Tag'))),
    document: ActionTagListDocument,
    isCached: true,
    params: {
      query: text('Text that the name must contain, ignoring case.'),
      q: text('Alias of `query`.'),
      vocabulary_id: vocabulary,
      all_fields: flag('Return dictionaries instead of names.'),
    },
    variables: (p) => ({ vocabulary: p.vocabulary_id, words: wordOf(p), full: p.all_fields, counted: false }),
    problems: renamed({ words: 'query' }),
    result: ({ tagList }, p) => (p.all_fields ? tagList.nodes : tagList.nodes.map((tag) => tag.name)),
  }),
  tag_show: action({
    kind: 'read',
    summary: 'Shows a tag, and on request the public datasets that carry it.',
    differs:
      'Shows a free tag only to callers who may read a dataset that carries it. Datasets are as package_show returns them, most recently modified first.',
    returns: 'Dictionary: `id`, `name`, `display_name`, `vocabulary_id`. With `include_datasets`, also `packages`.',
    answers: ref('Tag'),
    document: ActionTagShowDocument,
    params: {
      id: present(text('Id or name of the tag.')),
      vocabulary_id: text('Id or name of the vocabulary. Without it, finds a free tag by name, or any tag by id.'),
      include_datasets: flag('Return the first 1,000 public datasets that carry the tag, as `packages`.'),
    },
    variables: (p) => ({ id: p.id, vocabulary: p.vocabulary_id, datasets: p.include_datasets }),
    result: ({ tag }) => withPackages(tag),
  }),
  tag_search: action({
    kind: 'read',
    summary: 'Finds tags by parts of their names.',
    differs: 'Omits tags that only private, draft or deleted datasets carry.',
    returns: 'Dictionary: `count` (of all matches) and `results`, a list of tag dictionaries, sorted by name.',
    answers: object({ count: NUMBER, results: listOf(ref('Tag')) }),
    document: ActionTagListDocument,
    params: search,
    anyOf: [['query'], ['q'], ['fields']],
    variables: (p) => ({
      vocabulary: p.vocabulary_id,
      words: searchWords(p),
      limit: p.limit,
      offset: p.offset,
      full: true,
      counted: true,
    }),
    problems: renamed({ words: 'query' }),
    result: ({ tagList }) => ({ count: tagList.count, results: tagList.nodes }),
  }),
  tag_autocomplete: action({
    kind: 'read',
    summary: 'Suggests names of tags that contain a text.',
    differs:
      'Omits tags that only private, draft or deleted datasets carry. `query` is required, as the contract says.',
    returns: 'List of names.',
    answers: listOf(TEXT),
    document: ActionTagListDocument,
    params: search,
    anyOf: [['query'], ['q'], ['fields']],
    variables: (p) => ({
      vocabulary: p.vocabulary_id,
      words: searchWords(p),
      limit: p.limit,
      offset: p.offset,
      full: false,
      counted: false,
    }),
    problems: renamed({ words: 'query' }),
    result: ({ tagList }) => tagList.nodes.map((tag) => tag.name),
  }),
  tag_create: action({
    kind: 'write',
    summary: 'Adds a tag to a vocabulary. System administrators only.',
    returns: 'The new tag as a dictionary.',
    answers: ref('Tag'),
    document: ActionTagCreateDocument,
    params: {
      name: required(text('2 to 100 letters, digits, spaces, `-`, `_` and `.`.')),
      vocabulary_id: required(text('Id of the vocabulary.')),
      id: notExpected('Must be omitted: the server sets it.'),
    },
    variables: (p) => ({ input: { name: p.name, vocabularyId: p.vocabulary_id } }),
    result: ({ createTag }) => ({ ...createTag.tag!, packages: [] }),
  }),
  tag_delete: action({
    kind: 'write',
    summary: 'Deletes a tag and removes it from all datasets. System administrators only.',
    returns: 'Null.',
    answers: NULL,
    document: ActionTagDeleteDocument,
    params: { id: inData('Id or name of the tag.'), vocabulary_id: vocabulary },
    variables: (p) => ({ input: { id: p.id, vocabulary: p.vocabulary_id } }),
    result: () => null,
  }),
};

/** The search word of tag_list; null when not sent. */
function wordOf({ query, q }: { query?: string; q?: string }): string[] | null {
  const word = query || q;
  return word ? [word] : null;
}

/** The wire dictionary, with datasets as `packages` when requested. */
function withPackages({ datasets, ...dictionary }: NonNullable<ActionTagShowQuery['tag']>) {
  return datasets ? { ...dictionary, packages: datasets.nodes.map((dataset) => dataset.document) } : dictionary;
}
