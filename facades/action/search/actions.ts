import { ActionDatasetSearchDocument } from '../../../src/generated/operations.ts';
import { action } from '../define.ts';
import { flag, int, list, text } from '../params.ts';
import { listOf, NUMBER, OBJECT, object, ref, TEXT } from '../schema.ts';
import { only, queries, refuseUnknown } from './inputs.ts';
import { facetCounts, searchFacets } from './shapes.ts';

const ALL_OF_THEM = -1_000_000_000;

const params = {
  q: text('Words, or a query in the Lucene syntax (docs/search.md); everything when left out or empty.'),
  fq: queries(
    'A query in the Lucene syntax that must be fulfilled too; may be repeated. What it says of capacity is left aside.',
  ),
  fq_list: queries('More of them.'),
  sort: text('Fields with asc or desc, separated by commas. score desc, metadata_modified desc when left out.'),
  rows: int('Datasets to give, at most catalog.limits.rows; 10 when left out.'),
  start: int('Datasets to leave out at the start.'),
  facet: flag('Whether values are counted at all.', true),
  'facet.field': list(
    'Fields whose values are counted, such as tags, organization, groups, res_format, license_id, vocab_NAME or the key of an extra.',
  ),
  'facet.limit': int('Values per field; negative is all. search.facets.limit when left out.', ALL_OF_THEM),
  'facet.mincount': int('Datasets that a value must have; 1 when left out.'),
  include_drafts: flag('Drafts too: own ones, and all of them for sysadmins.'),
  include_private: flag('Private datasets too, as far as the caller may read them; only for users who are signed in.'),
  use_default_schema: flag('Has no effect: every dataset is shown by the default schema and its declared type.'),
  defType: text('dismax, edismax or lucene. dismax when left out, but lucene for a query with a colon.'),
  qf: text('Fields that words are looked for in, such as title^4 notes.'),
  mm: text("How many of the optional words must be found, in Solr's notation. 2<-1 5<80% when left out."),
  tie: text('What a match in other fields than the best one adds, from 0 to 1; 0.1 when left out.'),
  bf: text('Functions that are added to the score, such as recip(ms(NOW,metadata_modified),3.16e-11,1,1).'),
  boost: text('Functions that the score is multiplied by.'),
  wt: only('json', 'Form of the answer: json.'),
  fl: text('Has no effect: datasets are always given whole.'),
};

export const searchActions = {
  package_search: action({
    kind: 'read',
    summary: 'Finds datasets, and counts the values of their fields.',
    returns:
      'Dictionary: `count` (of all that fit), `results` (dataset dictionaries in order), `sort`, `facets` (field → value → count; deprecated) and `search_facets` (field → `title` and `items`, each with `name`, `display_name` and `count`).',
    differs:
      '`include_private` is offered, for users who are signed in. Titles and notes are sorted by as whole texts, and relevance as the contract has it: the best first. Parameters that are not known are refused by name.',
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
    result: ({ datasetSearch: { count, sort, results, facets } }) => ({
      count,
      sort,
      results: results.map(({ document }) => document),
      facets: facetCounts(facets),
      search_facets: searchFacets(facets),
    }),
  }),
};
