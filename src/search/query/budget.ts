/**
 * Limits the total cost of a search. Separately bounded parameters multiply (500 words in each of 30 fields), and anonymous callers may
 * search, so the finished plan is weighed in every syntax.
 */
import { chunksOf } from '../words/tokens.ts';
import type { ExactField } from './fields.ts';
import type { Formula, Weighted } from './functions.ts';
import type { Condition, Match, Score } from './plan.ts';
import type { SortKey } from './sort.ts';
import { searchFault, type Value } from './syntax.ts';

/** Maximum total weight of all parameters. A word in the five default fields weighs 6. */
export const MAX_WEIGHT = 2_000;

/** Weight of a part that scans all words or values. */
const PATTERN = 20;
/** Weight of a lookup per hit beyond the columns of its row. */
const LOOKED_UP = 10;
/** The same when all of its values are counted. */
const COUNTED = 100;
/** Maximum ways of distributing a phrase's slop that engines try. */
export const MAX_EXPANSIONS_TOTAL = 300;

/** Parts of a plan, by the parameter they come from. */
export interface Weighed {
  readonly query: { readonly condition: Condition; readonly scores: readonly Score[] };
  readonly filters: readonly Condition[];
  readonly addFunctions: readonly Weighted[];
  readonly multiplyFunctions: readonly Weighted[];
  readonly sort: readonly SortKey[];
}

/** Checks the total weight. @throws CatalogError SEARCH naming the heaviest parameter when the total is too high */
export function checkBudget({ query, filters, addFunctions, multiplyFunctions, sort }: Weighed): void {
  const weightOf = weigher();
  const conditionWeight = (condition: Condition): number => {
    if (condition.kind === 'text' || condition.kind === 'exact') return weightOf(condition);
    if (condition.kind === 'not') return conditionWeight(condition.of);
    return 'of' in condition ? sum(condition.of.map(conditionWeight)) : 0;
  };
  const weights: Readonly<Record<keyof Weighed, number>> = {
    query:
      conditionWeight(query.condition) + sum(query.scores.flatMap(({ of }) => of.map(({ match }) => weightOf(match)))),
    filters: sum(filters.map(conditionWeight)),
    addFunctions: sum(addFunctions.map(({ of }) => formulaWeight(of))),
    multiplyFunctions: sum(multiplyFunctions.map(({ of }) => formulaWeight(of))),
    sort: sum(sort.map(({ by }) => (by === 'score' || by.kind === 'column' ? 1 : LOOKED_UP))),
  };
  const [[parameter, max]] = Object.entries(weights).sort(([, a], [, b]) => b - a) as [[string, number]];
  const all = sum(Object.values(weights));
  if (all > MAX_WEIGHT)
    throw searchFault(
      parameter,
      `the query is too expensive: this parameter costs ${max} of a total of ${all}, and at most ${MAX_WEIGHT} is allowed. Words and values count once per searched field`,
    );
}

/** Limits facets. Facets stored as numbers are almost free; others need a lookup per hit. @throws CatalogError SEARCH */
export function checkFacets(fields: readonly ExactField[]): void {
  const max = MAX_WEIGHT / COUNTED;
  if (fields.filter(({ kind }) => kind === 'extra' || kind === 'resource').length > max)
    throw searchFault('facetFields', `at most ${max} extras and URLs can be facets of one search`);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

const formulaWeight = (formula: Formula): number =>
  formula.kind === 'call' ? 2 + sum(formula.of.map(formulaWeight)) : 1;

/** Weighs matches. Words of a value count once, even when many fields are searched. */
function weigher(): (match: Match) => number {
  const known = new Map<Value, number>();
  return (match) => {
    if (match.kind === 'exact') return match.test.op === 'pattern' ? PATTERN : 1;
    let weight = known.get(match.value);
    if (weight === undefined) known.set(match.value, (weight = wordsWeight(match.value)));
    return weight;
  };
}

function wordsWeight(value: Extract<Value, { kind: 'term' | 'phrase' | 'pattern' }>): number {
  if (value.kind === 'pattern' || (value.kind === 'term' && value.fuzzy !== undefined)) return PATTERN;
  let words = 0;
  for (const { parts } of chunksOf(value.text, (word) => word)) for (const part of parts) words += part.length;
  return Math.max(1, words) * (value.kind === 'phrase' ? ways(words - 1, value.slop) : 1);
}

/** Number of ways to distribute up to `slop` positions over the gaps between words. */
function ways(gaps: number, slop: number): number {
  let count = 1;
  for (let step = 1; step <= slop && count < MAX_EXPANSIONS_TOTAL; step += 1) count = (count * (gaps + step)) / step;
  return Math.min(MAX_EXPANSIONS_TOTAL, count);
}
