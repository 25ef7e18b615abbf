/** Finds the words of a query in a text, for highlights. */
import type { Piece as Sign } from '../query/syntax.ts';
import { fitsPattern } from './likeness.ts';
import type { Stem } from './stemmers.ts';
import { CASE_CHANGE, eachPart, fold, RUN } from './tokens.ts';

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
  const pieces: Piece[] = [];
  let [at, to] = [0, 0];
  eachMark(text, highlights, stem, (start, end) => {
    if (pieces.length === 0) to = (at = startOf(text, start)) + FRAGMENT;
    if (start >= to) return false;
    if (start < at) return true; // overlaps the one before
    if (start > at) pieces.push({ text: text.slice(at, start), isMatch: false });
    pieces.push({ text: text.slice(start, end), isMatch: true });
    at = end;
    return true;
  });
  if (pieces.length === 0) return null;
  if (at < to && at < text.length)
    pieces.push({ text: text.slice(at, Math.max(at, to)).toWellFormed(), isMatch: false });
  return pieces;
}

/** Start of a fragment: at a word, some characters before its first highlight. */
function startOf(text: string, first: number): number {
  const from = Math.max(0, first - BEFORE);
  return from === 0 ? 0 : Math.min(text.indexOf(' ', from) + 1 || from, first);
}

/** Receives the start and the exclusive end of a highlight. Returns false to end the search. */
type OnMark = (start: number, end: number) => boolean;

/** Calls `onMark` for each highlighted word in order, until it returns false. */
function eachMark(text: string, highlights: Highlights, stem: Stem, onMark: OnMark): void {
  const others = othersOf(highlights);
  eachPart(text, (part, kind, at) => {
    if (others.has(part)) return true;
    const found = kind === RUN ? rangesInRun(part, highlights.runs) : rangesInWords(part, highlights, stem);
    if (found.length === 0 && part.length <= MAX_WORD_LENGTH) others.add(part);
    return found.every(([start, end]) => onMark(at + start, at + end));
  });
}

type Range = readonly [start: number, end: number];

/** Highlighted words among those that differ in case, as in `openData`. */
function rangesInWords(part: string, highlights: Highlights, stem: Stem): Range[] {
  const found: Range[] = [];
  let at = 0;
  for (const word of part.split(CASE_CHANGE)) {
    if (isHighlighted(fold(word).toLowerCase(), highlights, stem)) found.push([at, at + word.length]);
    at += word.length;
  }
  return found;
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

/** Ranges in order, which can overlap. Only when folding preserves the offsets of characters. */
function rangesInRun(run: string, highlights: readonly string[]): Range[] {
  const folded = fold(run).toLowerCase();
  if (folded.length !== run.length) return [];
  const found: Range[] = [];
  for (const text of highlights) {
    for (let at = folded.indexOf(text); at >= 0; at = folded.indexOf(text, at + text.length))
      found.push([at, at + text.length]);
  }
  return found.sort(([a], [b]) => a - b);
}
