import { ActionDatasetSearchDocument } from '../../../src/generated/operations.ts';
import { searchUse } from '../../../src/kernel/usage.ts';
import { action } from '../define.ts';
import { flag, int, list, text } from '../params.ts';
import { listOf, NUMBER, OBJECT, object, ref, TEXT } from '../schema.ts';
import { only, queries, refuseUnknown } from './inputs.ts';
import { facetCounts, searchFacets } from './shapes.ts';

const ALL_OF_THEM = -1_000_000_000;

const params = {
  q: text('Words, or a query in the Lucene syntax (docs/search.md). Default: all datasets.'),
  fq: queries(
    'A filter in the Lucene syntax, which results must also match. Can be repeated. Clauses on `capacity` are ignored.',
  ),
  fq_list: queries('More filters, as a list.'),
  sort: text('Fields with asc or desc, separated by commas. Default: score desc, metadata_modified desc.'),
  rows: int('Maximum number of datasets, up to catalog.limits.rows. Default: 10.'),
  start: int('Number of datasets to skip.'),
  facet: flag('Whether to count values.', true),
  'facet.field': list(
    'Fields to count values of, such as tags, organization, groups, res_format, license_id, vocab_NAME or the key of an extra.',
  ),
  'facet.limit': int('Maximum number of values per field. Negative: all. Default: search.facets.limit.', ALL_OF_THEM),
  'facet.mincount': int('Minimum number of datasets of a value. Default: 1.'),
  include_drafts: flag("Also find the caller's own drafts, or all drafts for system administrators."),
  include_private: flag('Also find private datasets that the caller may read. Signed-in users only.'),
  use_default_schema: flag('Has no effect. Every dataset is shown by the default schema and its declared type.'),
  defType: text('dismax, edismax or lucene. Default: lucene for a query with a colon, otherwise dismax.'),
  qf: text('Fields to search for words, with weights, such as title^4 notes.'),
  mm: text("Minimum number of optional words that must match, in Solr's notation. Default: 2<-1 5<80%."),
  tie: text('Weight of matches in fields other than the best one, from 0 to 1. Default: 0.1.'),
  bf: text('Functions to add to the score, such as recip(ms(NOW,metadata_modified),3.16e-11,1,1).'),
  boost: text('Functions to multiply the score by.'),
  wt: only('json', 'Format of the response: json.'),
  fl: text('Has no effect. Datasets are always complete.'),
};

export const searchActions = {
  package_search: action({
    kind: 'read',
    summary: 'Searches datasets and counts the values of their fields.',
    returns:
      'Dictionary: `count` (of all matches), `results` (dataset dictionaries in order), `sort`, `facets` (field → value → count; deprecated) and `search_facets` (field → `title` and `items`, each with `name`, `display_name` and `count`).',
    differs:
      'Offers `include_private` to signed-in users. Sorts titles and notes as whole texts, and relevance with the best first, as the contract says. Names unknown parameters and refuses them.',
    answers: object({
      count: NUMBER,
      sort: TEXT,
      results: listOf(ref('Dataset')),
      facets: OBJECT,
      search_facets: OBJECT,
    }),
    document: ActionDatasetSearchDocument,
    params,
    variables: (p, raw) => {
      refuseUnknown(raw, params);
      return {
        input: {
          query: p.q,
          filters: [...(p.fq ?? []), ...(p.fq_list ?? [])],
          sort: p.sort,
          rows: p.rows,
          start: p.start,
          facetFields: p.facet ? p['facet.field'] : [],
          facetLimit: p['facet.limit'],
          facetMinCount: p['facet.mincount'],
          includeDrafts: p.include_drafts,
          includePrivate: p.include_private,
          parser: p.defType,
          queryFields: p.qf,
          minimumMatch: p.mm,
          tie: p.tie,
          addFunctions: p.bf,
          multiplyFunctions: p.boost,
        },
      };
    },
    use: ({ datasetSearch: { count } }, { q, fq, fq_list }) =>
      searchUse(q, count, Boolean(fq?.length || fq_list?.length)),
    result: ({ datasetSearch: { count, sort, results, facets } }) => ({
      count,
      sort,
      results: results.map(({ document }) => document),
      facets: facetCounts(facets),
      search_facets: searchFacets(facets),
    }),
  }),
};
