/** Finds the words of a query in a text, for highlights. */
import type { Piece as Sign } from '../query/syntax.ts';
import { fitsPattern } from './likeness.ts';
import type { Stem } from './stemmers.ts';
import { CASE_CHANGE, fold, partsOf } from './tokens.ts';

/** Words to highlight. */
export interface Highlights {
  /** Stems of words. */
  readonly words: ReadonlySet<string>;
  /** Patterns of stems or of unstemmed words. */
  readonly patterns: readonly (readonly Sign[])[];
  /** Runs of characters in scripts without spaces, which match anywhere. */
  readonly runs: readonly string[];
}

/** A piece of a text: a highlighted word, or the text between. */
export interface Piece {
  readonly text: string;
  readonly isMatch: boolean;
}

/** Approximate characters of a fragment. */
const FRAGMENT = 240;
/** Characters before the first highlight. */
const BEFORE = 60;
/** Maximum characters of a text that are searched. */
const MAX_LENGTH = 100_000;
/** Maximum characters of a word compared with patterns; indexed words are no longer. */
const MAX_WORD_LENGTH = 64;
/** Maximum cached words that are not highlighted. */
const MAX_OTHERS = 10_000;

/** The fragment around the first highlighted word, in pieces; null when there is none. */
export function fragmentOf(given: string, highlights: Highlights, stem: Stem): Piece[] | null {
  const text = given.slice(0, MAX_LENGTH).toWellFormed();
  const marks = highlightRanges(text, highlights, stem);
  const first: IteratorResult<[number, number]> = marks.next();
  if (first.done) return null;
  let from = Math.max(0, first.value[0] - BEFORE);
  if (from > 0) from = text.indexOf(' ', from) + 1 || from;
  if (from > first.value[0]) from = first.value[0];
  const to = from + FRAGMENT;
  const pieces: Piece[] = [];
  let at = from;
  for (let mark: IteratorResult<[number, number]> = first; !mark.done && mark.value[0] < to; mark = marks.next()) {
    const [start, end] = mark.value;
    if (start < at) continue;
    if (start > at) pieces.push({ text: text.slice(at, start), isMatch: false });
    pieces.push({ text: text.slice(start, end), isMatch: true });
    at = end;
  }
  if (at < to && at < text.length)
    pieces.push({ text: text.slice(at, Math.max(at, to)).toWellFormed(), isMatch: false });
  return pieces;
}

/** Ranges of highlighted words: start, and exclusive end. */
function* highlightRanges(text: string, highlights: Highlights, stem: Stem): Generator<[number, number]> {
  const others = othersOf(highlights);
  for (const { 0: whole, 1: run, 2: digits, index } of partsOf(text)) {
    if (others.has(whole)) continue;
    let isOther = true;
    for (const [start, end] of rangesIn(whole, run, digits, highlights, stem)) {
      isOther = false;
      yield [index + start, index + end];
    }
    if (isOther && whole.length <= MAX_WORD_LENGTH) others.add(whole);
  }
}

/** Ranges within a word, or within a run of characters without spaces. */
function* rangesIn(
  whole: string,
  run: string | undefined,
  digits: string | undefined,
  highlights: Highlights,
  stem: Stem,
): Generator<[number, number]> {
  if (run !== undefined) yield* runRanges(run, highlights.runs);
  else if (digits !== undefined) {
    if (isHighlighted(fold(digits), highlights, stem)) yield [0, digits.length];
  } else {
    let at = 0;
    for (const word of whole.split(CASE_CHANGE)) {
      if (isHighlighted(fold(word).toLowerCase(), highlights, stem)) yield [at, at + word.length];
      at += word.length;
    }
  }
}

/** Words that are not highlighted, by the highlights of a search. They repeat in its texts. */
const otherWords = new WeakMap<Highlights, Set<string>>();

function othersOf(highlights: Highlights): Set<string> {
  let found = otherWords.get(highlights);
  if (!found || found.size > MAX_OTHERS) otherWords.set(highlights, (found = new Set()));
  return found;
}

function isHighlighted(word: string, { words, patterns }: Highlights, stem: Stem): boolean {
  const stemmed = stem(word);
  if (words.has(stemmed)) return true;
  if (patterns.length === 0 || word.length > MAX_WORD_LENGTH) return false;
  return patterns.some((pattern) => fitsPattern(stemmed, pattern) || fitsPattern(word, pattern));
}

/** Only when folding preserves the offsets of characters. */
function* runRanges(run: string, highlights: readonly string[]): Generator<[number, number]> {
  const folded = fold(run).toLowerCase();
  if (folded.length !== run.length) return;
  const found: [number, number][] = [];
  for (const text of highlights) {
    for (let at = folded.indexOf(text); at >= 0; at = folded.indexOf(text, at + text.length))
      found.push([at, at + text.length]);
  }
  yield* found.sort(([a], [b]) => a - b);
}
