/** Where in a text the words of a query are, for people to see why it was found. */
import type { Piece as Sign } from '../query/syntax.ts';
import { fitsPattern } from './likeness.ts';
import type { Stem } from './stemmers.ts';
import { CASE_CHANGE, fold, PART } from './tokens.ts';

/** What to mark. */
export interface Wanted {
  /** Stems of words. */
  readonly words: ReadonlySet<string>;
  /** Patterns of stems, or of words as they stand. */
  readonly patterns: readonly (readonly Sign[])[];
  /** Runs of characters in scripts without spaces, found anywhere. */
  readonly runs: readonly string[];
}

/** A piece of a text: a word that was looked for, or what is between. */
export interface Piece {
  readonly text: string;
  readonly isMatch: boolean;
}

/** Characters of a fragment, about. */
const FRAGMENT = 240;
/** Characters before the first mark. */
const BEFORE = 60;
/** Characters of a text that are looked at. */
const MAX_LENGTH = 100_000;
/** Characters of a word that patterns are compared with; an indexed one is no longer. */
const MAX_WORD_LENGTH = 64;

/** The fragment of a text around the first word that was looked for, in pieces; null where there is none. */
export function fragmentOf(given: string, wanted: Wanted, stem: Stem): Piece[] | null {
  const text = given.slice(0, MAX_LENGTH).toWellFormed();
  const marks = marksOf(text, wanted, stem);
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

/** Places of what is wanted: from, and to without. */
function* marksOf(text: string, wanted: Wanted, stem: Stem): Generator<[number, number]> {
  for (const { 0: whole, 1: run, 2: digits, index } of text.matchAll(PART)) {
    if (run !== undefined) yield* runMarks(run, index, wanted.runs);
    else if (digits !== undefined) {
      if (isWanted(fold(digits), wanted, stem)) yield [index, index + digits.length];
    } else {
      let at = index;
      for (const word of whole.split(CASE_CHANGE)) {
        if (isWanted(fold(word).toLowerCase(), wanted, stem)) yield [at, at + word.length];
        at += word.length;
      }
    }
  }
}

function isWanted(word: string, { words, patterns }: Wanted, stem: Stem): boolean {
  const stemmed = stem(word);
  if (words.has(stemmed)) return true;
  if (patterns.length === 0 || word.length > MAX_WORD_LENGTH) return false;
  return patterns.some((pattern) => fitsPattern(stemmed, pattern) || fitsPattern(word, pattern));
}

/** Only where folding keeps the places of characters. */
function* runMarks(run: string, offset: number, wanted: readonly string[]): Generator<[number, number]> {
  const folded = fold(run).toLowerCase();
  if (folded.length !== run.length) return;
  const found: [number, number][] = [];
  for (const text of wanted) {
    for (let at = folded.indexOf(text); at >= 0; at = folded.indexOf(text, at + text.length))
      found.push([offset + at, offset + at + text.length]);
  }
  yield* found.sort(([a], [b]) => a - b);
}
