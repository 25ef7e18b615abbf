/** Writes a plan's conditions for Solr. */
import { quoted } from '../../kernel/text.ts';
import type { Condition, ExactMatch, Match, Test } from '../query/plan.ts';
import { fitsPattern } from '../words/likeness.ts';
import { type SolrField, solrField, solrValue } from './names.ts';
import { wordsQuery } from './words.ts';
import { ALL, bool, escaped, inField, none, not, type Writing } from './writing.ts';

/** The condition; null when nothing can match (a term of punctuation only). */
export function conditionQuery(condition: Condition, writing: Writing): string | null {
  const { params } = writing;
  switch (condition.kind) {
    case 'all':
      return ALL;
    case 'none':
      return none(params);
    case 'not': {
      const query = conditionQuery(condition.of, writing);
      return query === null ? null : not(query, params);
    }
    case 'text':
    case 'exact':
      return matchQuery(condition, writing);
    default: {
      const queries = condition.of.flatMap((part) => conditionQuery(part, writing) ?? []);
      if (queries.length === 0) return null;
      if (condition.kind === 'least') return leastQuery(Math.min(condition.count, queries.length), queries, writing);
      return bool(condition.kind === 'and' ? 'filter' : 'should', queries, params);
    }
  }
}

/** The first half finds candidates by the index, the second counts their matches. */
function leastQuery(count: number, queries: readonly string[], { params }: Writing): string {
  const found = queries.map((query) => `if(exists(query(${params.bind(query)})),1,0)`);
  const counted = `{!frange l=${count} v=${params.bind(`sum(${found.join(',')})`)}}`;
  return bool('filter', [bool('should', queries, params), counted], params);
}

export function matchQuery(match: Match, writing: Writing): string | null {
  let query = writing.matches.get(match);
  if (query === undefined) {
    query = match.kind === 'text' ? wordsQuery(match, writing) : exactQuery(match, writing);
    writing.matches.set(match, query);
  }
  return query;
}

function exactQuery({ field, test }: ExactMatch, writing: Writing): string {
  const { params } = writing;
  if (field.kind === 'constant')
    return fitsTest(field.of === 'siteId' ? writing.siteId : 'package', test) ? ALL : none(params);
  const known = solrField(field, writing.vocabularies);
  return known === null ? none(params) : testQuery(known, test, writing);
}

function testQuery({ name, type }: SolrField, test: Test, { params }: Writing): string {
  const text = (value: string | number | Date) => {
    if (value instanceof Date) return value.toISOString();
    return typeof value === 'number' || type !== 'text' ? String(value) : solrValue(value);
  };
  switch (test.op) {
    case 'exists':
      return inField(name, type === 'text' ? '{"" TO *}' : '[* TO *]', params); // excludes the empty text
    case 'equals':
      return `{!term f=${name} v=${params.bind(text(test.value))}}`;
    case 'pattern': {
      const pieces = test.pieces.map((piece) =>
        'text' in piece ? escaped(piece.text) : piece.any === 'one' ? '?' : '*',
      );
      return inField(name, pieces.join(''), params);
    }
    case 'between': {
      const low = test.from === null ? '*' : quoted(text(test.from));
      const high = test.to === null ? '*' : quoted(text(test.to));
      return inField(name, `${test.includesFrom ? '[' : '{'}${low} TO ${high}${test.includesTo ? ']' : '}'}`, params);
    }
  }
}

/** Tests a value that is the same for every dataset. */
function fitsTest(value: string, test: Test): boolean {
  switch (test.op) {
    case 'exists':
      return value !== '';
    case 'equals':
      return value === test.value;
    case 'pattern':
      return fitsPattern(value, test.pieces);
    case 'between': {
      const [from, to] = [test.from as string | null, test.to as string | null];
      const isAbove = from === null || value > from || (test.includesFrom && value === from);
      return isAbove && (to === null || value < to || (test.includesTo && value === to));
    }
  }
}
