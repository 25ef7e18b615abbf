/** Writes a plan's conditions and scores as SQL. */

import { escapeLike } from '../../infra/postgres/like.ts';
import type { ExactField } from '../query/fields.ts';
import type { Weighted } from '../query/functions.ts';
import type { Condition, ExactMatch, Match, Score, Test, TextMatch } from '../query/plan.ts';
import type { SearchPlan } from '../query/search.ts';
import { valueKey } from '../words/keys.ts';
import { functionText } from './functions.ts';
import { wordQuery } from './tsquery.ts';
import { columnText, type Writing } from './writing.ts';

/** The condition; null when nothing can match (a term of punctuation only). */
export function conditionText(condition: Condition, writing: Writing): string | null {
  switch (condition.kind) {
    case 'all':
      return 'true';
    case 'none':
      return 'false';
    case 'not': {
      const text = conditionText(condition.of, writing);
      return text === null ? null : `(${text}) IS NOT TRUE`;
    }
    case 'text':
    case 'exact':
      return matchText(condition, writing);
    default: {
      const texts = condition.of.flatMap((part) => conditionText(part, writing) ?? []);
      if (texts.length === 0) return null;
      if (condition.kind === 'least') return leastText(Math.min(condition.count, texts.length), texts);
      return `(${texts.join(condition.kind === 'and' ? ' AND ' : ' OR ')})`;
    }
  }
}

/** The first half finds candidates by indexes, the second counts their matches. */
const leastText = (count: number, texts: readonly string[]): string =>
  `((${texts.join(' OR ')}) AND ${texts.map((text) => `(${text})::int`).join(' + ')} >= ${count})`;

export function matchText(match: Match, writing: Writing): string | null {
  if (match.kind === 'exact') return exactText(match, writing);
  if (writing.expanded.get(match)?.length === 0) return 'false'; // no index word matches
  const words = boundWords(match, writing);
  return words === null ? null : `${words.column} @@ ${words.query}`;
}

function boundWords(match: TextMatch, { words, values, stem, expanded }: Writing) {
  let bound = words.get(match);
  if (bound === undefined) {
    const found = wordQuery(match, stem, expanded.get(match));
    bound = found === null ? null : { column: `s.${found.column}`, query: values.bind(found.query, 'tsquery') };
    words.set(match, bound);
  }
  return bound;
}

type ValueField = Extract<ExactField, { kind: 'value' | 'vocabulary' }>;

/** The score as a number; null when all datasets score equally. */
export function scoreText(
  { scores, added, factors }: Pick<SearchPlan, 'scores' | 'added' | 'factors'>,
  writing: Writing,
): string | null {
  const own = clausesText(scores, writing);
  if (added.length + factors.length === 0) return own;
  const sum = [own ?? '1', ...added.map((one) => weightedText(one, writing))].join(' + ');
  return [`(${sum})`, ...factors.map((one) => weightedText(one, writing))].join(' * ');
}

const weightedText = ({ of, weight }: Weighted, writing: Writing): string =>
  `(${functionText(of, writing)} * ${writing.values.bind(weight, 'float8')})`;

function clausesText(scores: readonly Score[], writing: Writing): string | null {
  const texts = scores.flatMap(({ of, tie }) => {
    const parts = of.flatMap(({ match, weight }) => {
      const text = weight === 0 ? null : weightText(match, writing);
      return text === null ? [] : [`${text} * ${writing.values.bind(weight, 'float8')}`];
    });
    if (parts.length === 0) return [];
    if (parts.length === 1) return parts;
    const rest = writing.values.bind(tie, 'float8');
    const names = parts.map((_part, index) => `m.m${index}`);
    // Computes each part once, because both the sum and the maximum use it.
    const once = parts.map((part, index) => `${part} AS m${index}`).join(', ');
    return [
      `(SELECT (1 - ${rest}) * GREATEST(${names.join(', ')}) + ${rest} * (${names.join(' + ')}) FROM (SELECT ${once} OFFSET 0) m)`,
    ];
  });
  return texts.length === 0 ? null : `(${texts.join(' + ')})`;
}

function weightText(match: Match, writing: Writing): string | null {
  if (match.kind === 'exact') {
    const { field, test } = match;
    // When no value matches there is nothing to compare per row: SQL skips the operator for null.
    if (field.kind === 'value' || field.kind === 'vocabulary')
      return `COALESCE((s.facets && NULLIF(${codesText({ field, test }, writing)}, '{}'))::int::float8, 0)`;
    return `COALESCE((${exactText(match, writing)})::int::float8, 0)`;
  }
  const words = boundWords(match, writing);
  if (words === null) return null;
  const { field } = match;
  const rank = (weights: string) => `ts_rank('{${weights}}', ${words.column}, ${words.query})::float8`;
  // Frequency with diminishing effect: the square root.
  const often = (weights: string) => `sqrt(ts_rank_cd('{${weights}}', ${words.column}, ${words.query})::float8)`;
  if (field.kind === 'words' && field.of === 'title') return rank('0,0,0,1');
  if (field.kind === 'words' && field.of === 'notes') return rank('0,1,0,0');
  // For the words of one field, the weights are the length steps, squared here.
  return field.kind === 'words' ? `${often('1,1,1,1')} * s.length_factor` : often('0.04,0.0625,0.098,0.25');
}

function exactText({ field, test }: ExactMatch, writing: Writing): string {
  const { values } = writing;
  switch (field.kind) {
    case 'constant':
      return testText(`${values.bind(field.of === 'siteId' ? writing.siteId : 'package', 'text')}`, test, writing);
    case 'column':
      return testText(columnText(field.of, writing), test, writing);
    case 'value':
    case 'vocabulary':
      return `s.facets && ${codesText({ field, test }, writing)}`;
    case 'extra':
      return `s.dataset_id IN (SELECT e.dataset_id FROM dataset_extra e WHERE e.key = ${values.bind(field.of)} AND ${testText('e.value', test, writing)})`;
    case 'resource':
      return `s.dataset_id IN (SELECT r.dataset_id FROM resource r WHERE r.state = 'active' AND ${testText('r.url', test, writing)})`;
  }
}

/** Codes of the values that pass a test. */
const codesText = ({ field, test }: { field: ValueField; test: Test }, writing: Writing): string =>
  `ARRAY(SELECT k.code FROM search_value k WHERE k.field = ${valueFieldText(field, writing)} AND ${testText('k.value', keyed(test), writing)})`;

/** The field name in search_value. A vocabulary uses its id. */
export function valueFieldText(field: ValueField, { values }: Writing): string {
  if (field.kind === 'value') return `${values.bind(field.of, 'text')} COLLATE "C"`;
  return `(SELECT 'vocab:' || v.id FROM vocabulary v WHERE v.name = ${values.bind(field.of)}) COLLATE "C"`;
}

/** Stored values are truncated, so search values are truncated equally. */
const keyed = (test: Test): Test =>
  test.op === 'equals' && typeof test.value === 'string' ? { ...test, value: valueKey(test.value) } : test;

function testText(subject: string, test: Test, { values }: Writing): string {
  const bound = (value: string | number | Date) =>
    typeof value === 'string'
      ? `${values.bind(value, 'text')} COLLATE "C"`
      : values.bind(value, typeof value === 'number' ? 'int' : 'timestamptz');
  switch (test.op) {
    case 'exists':
      return `COALESCE(${subject}::text, '') <> ''`;
    case 'equals':
      return `${subject} = ${bound(test.value)}`;
    case 'pattern':
      return `${subject} LIKE ${bound(test.pieces.map((piece) => ('text' in piece ? escapeLike(piece.text) : piece.any === 'one' ? '_' : '%')).join(''))}`;
    case 'between': {
      const low = test.from === null ? [] : [`${subject} ${test.includesFrom ? '>=' : '>'} ${bound(test.from)}`];
      const high = test.to === null ? [] : [`${subject} ${test.includesTo ? '<=' : '<'} ${bound(test.to)}`];
      return `(${[...low, ...high].join(' AND ')})`;
    }
  }
}
