/** Computes the score of a match as a Solr function, with the same numbers as PostgreSQL (postgres/where.ts). */
import type { TextMatch } from '../query/plan.ts';
import { needsLookup, type Word, type Words, wordsOf } from '../query/words.ts';
import { fieldWord } from '../words/keys.ts';
import { wordsName } from './names.ts';
import { treeQuery, wordsQuery } from './words.ts';
import type { Writing } from './writing.ts';

/** Null when there is no word to search. */
export function rankFunction(match: TextMatch, writing: Writing): string | null {
  const { field } = match;
  const words = needsLookup(match) ? null : wordsOf(match, writing.stem);
  if (words === null) {
    const query = wordsQuery(match, writing);
    return query === null ? null : scaled(match, isThere(query, writing));
  }
  if (field.kind === 'ownWords') return `sqrt(${stepped(words, match, writing)})`;
  return field.of === 'dataset'
    ? `product(sqrt(${often(words, match, writing)}),length_factor)`
    : once(words, match, writing);
}

/** Values of ts_rank for a single occurrence of a word, and for several words at their positions. */
const [ONCE, TOGETHER] = [0.6079, 0.991];
/** Weight of a word in a single-field text, by the letter for its length; see lengthWeight (entry.rules.ts). */
const STEPS = { A: 0.25, B: 0.098, C: 0.0625, D: 0.04 } as const;

/** Score of a pattern, which matches or not. */
const scaled = ({ field }: TextMatch, found: string): string =>
  field.kind === 'ownWords'
    ? `product(${Math.sqrt(STEPS.B)},${found})`
    : `product(${field.of === 'dataset' ? 'length_factor' : ONCE},${found})`;

const isThere = (query: string, { params }: Writing): string => `if(exists(query(${params.bind(query)})),1,0)`;

/** Score by number of occurrences. */
function often(words: Words, match: TextMatch, writing: Writing): string {
  switch (words.kind) {
    case 'word':
      return words.isBeginning ? isThere(treeQuery(words, match, writing), writing) : count(words, match, writing);
    case 'near': {
      const counts = words.of.flatMap((word) => (word.isBeginning ? [] : [count(word, match, writing)]));
      return `product(${isThere(treeQuery(words, match, writing), writing)},min(${[...counts, BOUND].join(',')}))`;
    }
    default: {
      const counts = words.of.map((part) => often(part, match, writing));
      return `${words.kind === 'and' ? 'min' : 'sum'}(${counts.join(',')})`;
    }
  }
}
const BOUND = 1e6;

const count = ({ word }: Word, { field }: TextMatch, writing: Writing): string =>
  termCount(wordsName(field), field.kind === 'ownWords' ? fieldWord(field.of, word) : word, writing);

const termCount = (name: string, t: string, { params }: Writing): string =>
  `termfreq(${name},${params.bind(JSON.stringify({ v: '1', tokens: [{ t }] }))})`;

/** Title and notes: scored by presence only. */
function once(words: Words, match: TextMatch, writing: Writing): string {
  if (words.kind === 'or')
    return `div(sum(${words.of.map((part) => once(part, match, writing)).join(',')}),${words.of.length})`;
  return `product(${words.kind === 'word' ? ONCE : TOGETHER},${isThere(treeQuery(words, match, writing), writing)})`;
}

/** Score by number of occurrences in one field, each weighted by the length of the text. */
function stepped(words: Words, match: TextMatch, writing: Writing): string {
  if (words.kind === 'or' || words.kind === 'and') {
    const parts = words.of.map((part) => stepped(part, match, writing));
    return `${words.kind === 'and' ? 'min' : 'sum'}(${parts.join(',')})`;
  }
  if (words.kind !== 'word' || words.isBeginning)
    return `product(${STEPS.B},${isThere(treeQuery(words, match, writing), writing)})`;
  const { of } = match.field;
  const steps = Object.entries(STEPS).map(
    ([letter, weight]) =>
      `product(${weight},${termCount('field_steps', stepWord(fieldWord(of, words.word), letter), writing)})`,
  );
  return `sum(${steps.join(',')})`;
}

/** A word of a field plus the letter for the text's length. */
export const stepWord = (word: string, letter: string): string => `${word}\u0002${letter}`;
