/**
 * Decides which plans can run on cached lists of dataset numbers, and which lists they need. A list holds the datasets that satisfy one
 * match, with their score for that match. Conditions on times need no list, because the process caches all times. Pure.
 */
import type { Search } from '../engine.ts';
import type { ExactField } from '../query/fields.ts';
import type { Condition, ExactMatch, Match, Score } from '../query/plan.ts';
import { wordsOf } from '../query/words.ts';
import type { Stem } from '../words/stemmers.ts';
import type { TimeField } from './columns.ts';

/** A list that must be cached. */
export interface RequestedLists {
  /** Identical for identical lists. */
  readonly key: string;
  readonly match: Match;
  /** The score computed for each of its datasets. */
  readonly score: Score | null;
}

/** Maximum lists per plan. Above it, one SQL statement is cheaper. */
const MAX_LISTS = 12;
/** Maximum characters of a key. Longer queries are unlikely to repeat. */
const MAX_KEY_LENGTH = 1_000;

/** Lists a plan needs. */
export interface Lists {
  readonly of: ReadonlyMap<Match, RequestedLists>;
  /** Lists whose scores are added, in this order. */
  readonly scored: readonly RequestedLists[];
}

/** Null when the plan needs more than index rows contain, or another order than by score and time. It then runs as SQL. */
export function listsOf({ plan, stem }: Search): Lists | null {
  const { condition, scores, added, factors, sort } = plan;
  if (!sort.every(({ by }) => by === 'score' || (by.kind === 'column' && by.of === 'modifiedAt'))) return null;
  const isScored = sort.some(({ by }) => by === 'score');
  if (isScored && added.length + factors.length > 0) return null;
  const of = new Map<Match, RequestedLists>();
  const scored: RequestedLists[] = [];
  for (const score of isScored ? scores : []) {
    const match = leadOf(score, condition, stem);
    if (match === null) return null;
    const requested = { key: `score ${JSON.stringify(score)}`, match, score };
    of.set(match, requested);
    scored.push(requested);
  }
  for (const match of matchesOf(condition)) {
    if (of.has(match) || rangeOf(match) !== null) continue;
    if (!isListed(match, stem)) return null;
    of.set(match, { key: `match ${JSON.stringify(match)}`, match, score: null });
  }
  const isUsual = of.size <= MAX_LISTS && [...of.values()].every(({ key }) => key.length <= MAX_KEY_LENGTH);
  return isUsual ? { of, scored } : null;
}

/** The match that every dataset with a score for this clause satisfies: the only one, or that of the whole text. */
function leadOf({ of }: Score, condition: Condition, stem: Stem): Match | null {
  const parts = of.filter(({ weight }) => weight !== 0);
  const lead = parts.length === 1 ? parts[0]!.match : of.map(({ match }) => match).find((match) => isWholeText(match));
  if (!lead || !isListed(lead, stem)) return null;
  if (parts.length > 1 && !parts.every(({ match }) => isPart(match))) return null;
  // One of several words can score alone when the whole does not match. That is irrelevant when the whole must match.
  const isAlone = lead.kind === 'exact' || wordsOf(lead, stem)?.kind === 'word';
  return isAlone || isNecessary(lead, condition) ? lead : null;
}

const isWholeText = (match: Match): boolean =>
  match.kind === 'text' && match.field.kind === 'words' && match.field.of === 'dataset';

/** Whether a match in this field is also a match in the whole text. */
function isPart({ field }: Match): boolean {
  switch (field.kind) {
    case 'words':
      return true;
    case 'value':
      return field.of === 'tags' || field.of === 'groups' || field.of === 'organization';
    case 'column':
      return field.of === 'name' || field.of === 'title';
    default:
      return false;
  }
}

/**
 * Whether the search result equals one list. A single statement would read and score the same rows, so building the list costs nothing
 * extra.
 */
export const isAllThereIsToFind = ({ match }: RequestedLists, condition: Condition): boolean => condition === match;

const isNecessary = (match: Match, condition: Condition): boolean =>
  condition === match || (condition.kind === 'and' && condition.of.includes(match));

/** A field of times that the process caches; null for other fields. */
export const timeFieldOf = (field: ExactField): TimeField | null =>
  field.kind === 'column' && (field.of === 'createdAt' || field.of === 'modifiedAt') ? field.of : null;

/** Bounds in microseconds since 1970, inclusive. */
export interface TimeRange {
  readonly field: TimeField;
  readonly from: number;
  readonly to: number;
}

/** The range of a condition on a time; null for other conditions. */
export function rangeOf(match: Match): TimeRange | null {
  const field = match.kind === 'exact' ? timeFieldOf(match.field) : null;
  if (field === null) return null;
  const { test } = match as ExactMatch;
  const micros = (value: unknown) => (value as Date).getTime() * 1_000;
  switch (test.op) {
    case 'exists':
      return { field, from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
    case 'equals':
      return { field, from: micros(test.value), to: micros(test.value) };
    case 'between': {
      const from = test.from === null ? Number.NEGATIVE_INFINITY : micros(test.from) + (test.includesFrom ? 0 : 1);
      const to = test.to === null ? Number.POSITIVE_INFINITY : micros(test.to) - (test.includesTo ? 0 : 1);
      return { field, from, to };
    }
    default:
      return null;
  }
}

/** Whether the values index finds the match, so that its list costs no more than a search with it. */
export const isOfValue = ({ match }: RequestedLists): boolean =>
  match.kind === 'exact' && match.field.kind === 'value' && match.test.op === 'equals';

/** Whether the dataset's row is enough to check the match. */
function isListed(match: Match, stem: Stem): boolean {
  if (match.kind === 'text') {
    const { value } = match;
    return (
      value.kind !== 'pattern' && !(value.kind === 'term' && value.fuzzy !== undefined) && wordsOf(match, stem) !== null
    );
  }
  const { field, test } = match;
  if (field.kind === 'value') return test.op === 'equals' || test.op === 'exists';
  return field.kind === 'column' && test.op === 'equals' && ROW.has(field.of);
}

/** Index columns that are compared with one value. */
const ROW = new Set(['id', 'name', 'state', 'capacity', 'private', 'creatorId', 'ownerId']);

function matchesOf(condition: Condition): Match[] {
  if (condition.kind === 'text' || condition.kind === 'exact') return [condition];
  if (condition.kind === 'not') return matchesOf(condition.of);
  return 'of' in condition ? condition.of.flatMap(matchesOf) : [];
}
