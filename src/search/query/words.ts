/** Turns text matches into words, their order and positions, as data for every engine. */
import type { Stem } from '../words/stemmers.ts';
import { type Chunk, chunksOf, fold, isUnspaced, type Token } from '../words/tokens.ts';
import { MAX_EXPANSIONS_TOTAL } from './budget.ts';
import type { Condition, Match, Score, TextMatch } from './plan.ts';
import { type Piece, SyntaxFault } from './syntax.ts';

/** An indexed word, or the prefix of one. */
export interface Word {
  readonly word: string;
  readonly isBeginning: boolean;
}

export type Words =
  | ({ readonly kind: 'word' } & Word)
  /** Words at these relative positions. */
  | { readonly kind: 'near'; readonly of: readonly (Word & { readonly at: number })[] }
  | { readonly kind: 'and' | 'or'; readonly of: readonly Words[] };

const asIs: Stem = (word) => word;

/**
 * Null when there is no word to search. Of patterns, only prefixes (`riv*`) are handled here; others, and fuzzy terms, expand to index
 * words. Words of single fields are not stemmed.
 * @throws SyntaxFault
 */
export function wordsOf({ field, value, parts }: TextMatch, siteStem: Stem): Words | null {
  const stem = field.kind === 'words' ? siteStem : asIs;
  if (value.kind === 'term') return termWords(value.text, parts, stem);
  return value.kind === 'phrase' ? phraseWords(value.text, value.slop, stem) : beginningWords(value.pieces, stem);
}

/** True when `wordsOf` cannot list the words, so the index must be scanned for them. */
export const needsLookup = ({ value }: TextMatch): boolean =>
  value.kind === 'term' ? value.fuzzy !== undefined : value.kind === 'pattern' && !isBeginning(value.pieces);

const isBeginning = ([first, second, ...more]: readonly Piece[]): boolean =>
  first !== undefined &&
  'text' in first &&
  second !== undefined &&
  'any' in second &&
  second.any === 'many' &&
  !more[0];

export const oneOf = (of: readonly Words[]): Words => joined('or', of);

const joined = (kind: 'and' | 'or', of: readonly Words[]): Words => (of.length === 1 ? of[0]! : { kind, of });

const whole = (word: string): Words => ({ kind: 'word', word, isBeginning: false });

function termWords(text: string, parts: 'all' | 'any', stem: Stem): Words | null {
  const how = parts === 'all' ? 'and' : 'or';
  const chunks = [...chunksOf(text, stem)].map((chunk) => chunkWords(chunk, how));
  return chunks.length > 0 ? joined(how, chunks) : null;
}

/** `wi-fi`: its parts, or both as one word. */
function chunkWords({ parts, joined: one }: Chunk, how: 'and' | 'or'): Words {
  const words = joined(
    how,
    parts.map((part) => near(part)),
  );
  return one === null ? words : joined('or', [words, whole(one)]);
}

/** Tokens at their positions. */
function near(tokens: readonly Token[], gaps: readonly number[] = []): Words {
  const [first, ...more] = placed(tokens, gaps);
  return more.length === 0
    ? { kind: 'word', word: first!.word, isBeginning: first!.isBeginning }
    : { kind: 'near', of: [first!, ...more] };
}

/** Omits the single character at the end of a run of pairs, because the pair before it contains it. */
function placed(tokens: readonly Token[], gaps: readonly number[]): (Word & { at: number })[] {
  let moved = 0;
  return tokens
    .filter((_token, index) => !isLastOfRun(tokens, index))
    .map(({ word, at }, index) => {
      moved += index === 0 ? 0 : (gaps[index - 1] ?? 0);
      return { word, isBeginning: isUnspaced(word) && Array.from(word).length === 1, at: at + moved };
    });
}

function isLastOfRun(tokens: readonly Token[], index: number): boolean {
  const { word, at } = tokens[index]!;
  const before = tokens[index - 1];
  if (!before || before.at !== at - 1 || !isUnspaced(word)) return false;
  const [first, second] = [Array.from(before.word), Array.from(word)];
  return second.length === 1 && first.length === 2 && first[1] === second[0];
}

function phraseWords(text: string, slop: number, stem: Stem): Words | null {
  const tokens = [...chunksOf(text, stem)].flatMap(({ parts }) => parts.flat());
  if (tokens.length === 0) return null;
  const gaps = tokens.filter((_token, index) => !isLastOfRun(tokens, index)).length - 1;
  if (slop === 0 || gaps === 0) return near(tokens);
  const ways = sharings(gaps, slop);
  if (ways === null) throw new SyntaxFault(`a phrase of this length does not support a slop of ${slop}`, 1);
  const forward = ways.map((way) => near(tokens, way));
  // Swapping two words counts as two moves.
  const turned = gaps === 1 && slop >= 2 ? sharings(1, slop - 2)!.map((way) => near(swapped(tokens), way)) : [];
  return oneOf([...forward, ...turned]);
}

const swapped = ([first, second]: readonly Token[]): Token[] => [
  { word: second!.word, at: first!.at },
  { word: first!.word, at: second!.at },
];

/** All ways to distribute up to `slop` extra positions over the gaps; null when there are too many. */
function sharings(gaps: number, slop: number): number[][] | null {
  let ways: number[][] = [[]];
  for (let gap = 0; gap < gaps; gap += 1) {
    ways = ways.flatMap((way) => {
      const left = slop - way.reduce((before, positions) => before + positions, 0);
      return Array.from({ length: left + 1 }, (_, positions) => [...way, positions]);
    });
    if (ways.length > MAX_EXPANSIONS_TOTAL) return null;
  }
  return ways;
}

/** Words with this prefix: `riv*`. */
function beginningWords([first]: readonly Piece[], stem: Stem): Words | null {
  if (!first || !('text' in first)) return null;
  if (first.text === '') return { kind: 'word', word: '', isBeginning: true };
  const tokens = [...chunksOf(first.text, asIs)].flatMap(({ parts }) => parts.flat());
  const last = tokens.at(-1);
  if (!last) return null;
  const stemmed = tokens.map(({ word, at }) => ({ word: stem(word), at }));
  if (/[^\p{L}\p{N}\p{M}]$/u.test(fold(first.text))) return near(stemmed);
  if (isUnspaced(last.word) && tokens.length > 1) return near(tokens);
  const head = placed(stemmed.slice(0, -1), []);
  const ends = [
    { word: last.word, isBeginning: true },
    ...(stem(last.word) === last.word ? [] : [{ word: stem(last.word), isBeginning: false }]),
  ];
  return oneOf(
    ends.map((end) =>
      head.length === 0 ? { kind: 'word', ...end } : { kind: 'near', of: [...head, { ...end, at: last.at }] },
    ),
  );
}

/** The text matches of a plan, without duplicates. */
export function textMatches(condition: Condition, scores: readonly Score[]): TextMatch[] {
  const found = new Set<TextMatch>();
  const take = (match: Match) => match.kind === 'text' && found.add(match);
  const walk = (part: Condition): void => {
    if (part.kind === 'text' || part.kind === 'exact') take(part);
    else if (part.kind === 'not') walk(part.of);
    else if ('of' in part) part.of.forEach(walk);
  };
  walk(condition);
  for (const { of } of scores) for (const { match } of of) take(match);
  return [...found];
}
