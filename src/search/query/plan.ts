/** Turns a query tree into a plan: conditions and scores as data. Checks fields and values, so engines only execute it. */

import { instantOf } from './dates.ts';
import type { ExactField, Field, TextField } from './fields.ts';
import { fieldOf, isPartOfText } from './fields.ts';
import { minimumOf } from './minimum.ts';
import { type Node, type Piece, SyntaxFault, type Value } from './syntax.ts';

/** A field value in the field's type. */
export type Scalar = string | number | Date;

export type Test =
  | { readonly op: 'equals'; readonly value: Scalar }
  | { readonly op: 'pattern'; readonly pieces: readonly Piece[] }
  | {
      readonly op: 'between';
      readonly from: Scalar | null;
      readonly to: Scalar | null;
      readonly includesFrom: boolean;
      readonly includesTo: boolean;
    }
  | { readonly op: 'exists' };

/** Words of a field: one term (with several parts, all or any of them), a phrase, or a pattern. */
export interface TextMatch {
  readonly kind: 'text';
  readonly field: TextField;
  readonly value: Extract<Value, { kind: 'term' | 'phrase' | 'pattern' }>;
  readonly parts: 'all' | 'any';
}
export interface ExactMatch {
  readonly kind: 'exact';
  readonly field: ExactField;
  readonly test: Test;
}
export type Match = TextMatch | ExactMatch;

export type Condition =
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  | { readonly kind: 'and' | 'or'; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: Condition }
  /** At least `count` of them. */
  | { readonly kind: 'least'; readonly count: number; readonly of: readonly Condition[] }
  | Match;

/** A clause's contribution to the score: the best of its fields, plus `tie` times the others. */
export interface Score {
  readonly of: readonly { readonly match: Match; readonly weight: number }[];
  readonly tie: number;
}

export interface Clauses {
  readonly condition: Condition;
  readonly scores: readonly Score[];
}

/** Interpretation of clauses without a field. */
export interface Meaning {
  /** Default fields, with the weight of a match in each. */
  readonly fields: readonly { readonly name: string; readonly weight: number }[];
  readonly tie: number;
  /** Solr's `mm` for optional clauses at the top level; null: one of them when no clause is required. */
  readonly minimum: string | null;
  /** Whether all or any parts of a term such as `open-data` must match. */
  readonly parts: 'all' | 'any';
  readonly now: Date;
}

const ALL: Condition = { kind: 'all' };
const NONE: Condition = { kind: 'none' };

/** The plan of a query. @throws SyntaxFault */
export function planOf(tree: Node, meaning: Meaning): Clauses {
  const scores: Score[] = [];
  return { condition: conditionOf(tree, meaning, 1, scores, true), scores };
}

function conditionOf(node: Node, meaning: Meaning, boost: number, scores: Score[] | null, isTop: boolean): Condition {
  if (node.kind === 'all') return ALL;
  if (node.kind === 'clause') return clause(node, meaning, boost, scores);
  const own = boost * node.boost;
  const of = (nodes: readonly Node[], into: Score[] | null) =>
    nodes.map((child) => conditionOf(child, meaning, own, into, false));
  const [must, should, not] = [of(node.must, scores), of(node.should, scores), of(node.not, null)];
  const parts: Condition[] = [...must];
  if (should.length > 0) {
    const least =
      isTop && meaning.minimum !== null ? minimumOf(meaning.minimum, should.length) : must.length > 0 ? 0 : 1;
    if (least > 0 || must.length === 0) parts.push(leastOf(Math.max(least, must.length > 0 ? 0 : 1), should));
  }
  for (const condition of not) parts.push({ kind: 'not', of: condition });
  return allOf(parts);
}

/** Conjunction of conditions. */
export function allOf(parts: readonly Condition[]): Condition {
  const needed = parts.filter((part) => part.kind !== 'all');
  if (needed.some((part) => part.kind === 'none')) return NONE;
  if (needed.length === 0) return ALL;
  return needed.length === 1 ? needed[0]! : { kind: 'and', of: needed };
}

function leastOf(count: number, of: readonly Condition[]): Condition {
  if (count > of.length) return NONE;
  if (count === of.length) return allOf(of);
  if (count === 1) return of.some((part) => part.kind === 'all') ? ALL : of.length === 1 ? of[0]! : { kind: 'or', of };
  return { kind: 'least', count, of };
}

type Clause = Extract<Node, { kind: 'clause' }>;

function clause(node: Clause, meaning: Meaning, outer: number, scores: Score[] | null): Condition {
  const boost = outer * node.boost;
  if (node.field !== null) {
    const match = matchOf(fieldOf(node.field), node, meaning);
    // The existence of a field adds no score.
    if (isMatch(match) && match.kind === 'text' && match.value === node.value)
      scores?.push({ of: [{ match, weight: boost }], tie: 0 });
    return match;
  }
  // Fuzzy terms are searched in word fields only.
  const isFuzzy = node.value.kind === 'term' && node.value.fuzzy !== undefined;
  const fields = isFuzzy ? meaning.fields.filter(({ name }) => isOfWords(fieldOf(name))) : meaning.fields;
  if (fields.length === 0) throw new SyntaxFault(NO_FUZZY, node.column);
  const matches = fields.map(({ name, weight }) => ({
    name,
    weight,
    match: matchOf(fieldOf(name), node, meaning),
  }));
  const scored = matches.flatMap(({ match, weight }) => (isMatch(match) ? [{ match, weight: weight * boost }] : []));
  if (scored.length > 0) scores?.push({ of: scored, tie: meaning.tie });
  // A match in a part of the text is a match in the text.
  const text = matches.find(({ name }) => name === 'text');
  const distinct = text ? [text, ...matches.filter(({ name }) => !isPartOfText(name))] : matches;
  return leastOf(
    1,
    distinct.map(({ match }) => match),
  );
}

const NO_FUZZY = 'fuzzy terms are not supported in this field';

const isOfWords = (field: Field): field is TextField => field.kind === 'words' || field.kind === 'ownWords';

const isMatch = (condition: Condition): condition is Match => condition.kind === 'text' || condition.kind === 'exact';

function matchOf(field: Field, { value, column }: Clause, meaning: Meaning): Condition {
  if (!isOfWords(field)) return { kind: 'exact', field, test: testOf(field, value, column, meaning.now) };
  if (value.kind === 'exists' || (value.kind === 'range' && value.from === null && value.to === null))
    return field.kind === 'words' && field.of !== 'notes' ? ALL : given(field);
  if (value.kind === 'range') {
    if (field.kind === 'words' || field.of.startsWith('res_'))
      throw new SyntaxFault(
        'ranges of words are not supported in this field. Use a field with whole values, such as name',
        column,
      );
    return { kind: 'exact', field: field.exact, test: testOf(field.exact, value, column, meaning.now) };
  }
  return { kind: 'text', field, value, parts: meaning.parts };
}

/** Matches any word of a field. */
const ANY: TextMatch['value'] = { kind: 'pattern', pieces: [{ text: '' }, { any: 'many' }] };

/** Matches datasets with any value in a word field. For resources, only the words are indexed. */
const given = (field: TextField): Condition =>
  field.kind === 'ownWords' && field.of.startsWith('res_')
    ? { kind: 'text', field, value: ANY, parts: 'any' }
    : {
        kind: 'exact',
        field: field.kind === 'ownWords' ? field.exact : { kind: 'column', of: 'notes', type: 'text' },
        test: { op: 'exists' },
      };

function testOf(field: ExactField, value: Value, column: number, now: Date): Test {
  const scalar = (text: string) => scalarOf(field, text, column, now);
  switch (value.kind) {
    case 'exists':
      return { op: 'exists' };
    case 'phrase':
      return { op: 'equals', value: scalar(value.text) };
    case 'term':
      if (value.fuzzy !== undefined) throw new SyntaxFault(NO_FUZZY, column);
      return { op: 'equals', value: scalar(value.text) };
    case 'pattern':
      onlyTexts(field, column);
      return { op: 'pattern', pieces: value.pieces };
    case 'range':
      if (value.from === null && value.to === null) return { op: 'exists' };
      return {
        op: 'between',
        from: value.from === null ? null : scalar(value.from),
        to: value.to === null ? null : scalar(value.to),
        includesFrom: value.includesFrom,
        includesTo: value.includesTo,
      };
  }
}

const RANGES = { int: '[1 TO *]', instant: '[NOW-7DAYS TO NOW]' };

function onlyTexts(field: ExactField, column: number): void {
  if (field.kind === 'column' && field.type !== 'text')
    throw new SyntaxFault(`wildcards are not supported here. Use a range such as ${RANGES[field.type]}`, column);
}

function scalarOf(field: ExactField, text: string, column: number, now: Date): Scalar {
  if (field.kind !== 'column' || field.type === 'text') return text;
  if (field.type === 'instant') return instantOf(text, now, column);
  if (!/^[+-]?\d{1,9}$/.test(text.trim()))
    throw new SyntaxFault(`${text.slice(0, 40)} is not an integer of at most 9 digits`, column);
  return Number(text);
}
