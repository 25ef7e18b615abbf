/**
 * Splits text into words, equally for the index and for queries. Words end where letters, digits, scripts or case change (`open-data2` is
 * open, data, 2). Scripts without spaces are split into pairs of characters, so that a word is found inside text. Folds case, width and
 * accents.
 */
import type { Stem } from './stemmers.ts';

/** A word or a pair of characters. Pairs of one run have consecutive positions. */
export interface Token {
  readonly word: string;
  /** Its position among the words of the text, from 0. */
  readonly at: number;
}

/** Words that are joined without a space. A run of characters is one word. */
export interface Chunk {
  /** The chunk as received. */
  readonly raw: string;
  readonly parts: readonly Token[][];
  /** All word parts joined into one; null when there is only one. */
  readonly joined: string | null;
}

/** Maximum characters of a word. Longer words are truncated on both sides, so they still match. */
const MAX_LENGTH = 64;
/** Maximum characters of a joined chunk. */
const MAX_JOINED_LENGTH = 40;
const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Script=Bopomofo}ー々〆〇';
const PART = new RegExp(`([${UNSPACED}]+)|(\\p{N}+)|((?:(?![${UNSPACED}])[\\p{L}\\p{M}])+)`, 'gu');
/** Latin letters with and without accents, up to U+024F. The same parts are found several times as fast as with classes of Unicode. */
const IS_LATIN = /^[\0-\u024f]*$/;
const LATIN_PART = /((?!))|([0-9²³¹¼½¾]+)|([A-Za-zªµºÀ-ÖØ-öø-\u024f]+)/g;

/** Parts of a text: runs of characters without spaces (1), digits (2) and words (3). */
export const partsOf = (text: string): Iterable<RegExpExecArray> =>
  text.matchAll(IS_LATIN.test(text) ? LATIN_PART : PART);

export const CASE_CHANGE = /(?<=\p{Ll})(?=\p{Lu})/u;
const MARKS = /[\u0300-\u036f]/g;
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};
const LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g');
const PLAIN = /^[\x20-\x7e\s]*$/;

/** The text with width, compatibility forms and accents folded. Keeps case. */
export function fold(text: string): string {
  if (PLAIN.test(text)) return text;
  return text
    .normalize('NFKD')
    .replace(MARKS, '')
    .normalize('NFC')
    .replace(LETTER, (letter) => LETTERS[letter]!);
}

/** The chunks of a text, in order. Positions start at `from`. */
export function* chunksOf(text: string, stem: Stem, from = 0): Generator<Chunk> {
  let at = from;
  for (const [raw] of text.matchAll(/\S+/g)) {
    const parts: Token[][] = [];
    const words: string[] = [];
    for (const [, run, digits, letters] of partsOf(fold(raw))) {
      if (run !== undefined) {
        const pairs = pairsOf(run, at);
        parts.push(pairs);
        at += pairs.length;
      } else if (digits !== undefined) {
        parts.push([{ word: cut(digits), at: at++ }]);
      } else {
        for (const letter of letters!.split(CASE_CHANGE)) {
          const lower = cut(letter.toLowerCase());
          parts.push([{ word: stem(lower), at: at++ }]);
          words.push(lower);
        }
      }
    }
    const joined = words.length > 1 && raw.length <= MAX_JOINED_LENGTH ? stem(words.join('')) : null;
    if (parts.length > 0) yield { raw, parts, joined };
  }
}

/** Pairs of neighbours plus the last character alone, so that each character starts a token. */
function pairsOf(run: string, at: number): Token[] {
  const characters = Array.from(run.toLowerCase());
  return characters.map((character, index) => ({ word: character + (characters[index + 1] ?? ''), at: at + index }));
}

const cut = (word: string): string => (word.length > MAX_LENGTH ? word.slice(0, MAX_LENGTH).toWellFormed() : word);

/** True for a word from a run of pairs. The last token of a run is a single character, which can start a pair. */
export const isUnspaced = (word: string): boolean => UNSPACED_WORD.test(word);
const UNSPACED_WORD = new RegExp(`^[${UNSPACED}]`, 'u');
