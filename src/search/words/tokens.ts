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
const IN_RUN = new RegExp(`[${UNSPACED}]`, 'u');

/** Flags of characters. A part takes the lowest flag of its first character: runs before digits. */
export const RUN = 1;
const DIGITS = 2;
const WORD = 4;
const NONE = 8;
/** A run of characters without spaces, digits, or a word. */
export type Kind = typeof RUN | typeof DIGITS | typeof WORD;

/** Flags of the characters of the first three planes; 0 if not looked at yet. A regular expression for parts takes several times as long. */
const flags = new Uint8Array(0x3_0000);

/** The parts that a character continues: for a Thai digit, both runs and digits. */
function flagsOf(code: number): number {
  const known = flags[code];
  if (known) return known;
  const character = String.fromCodePoint(code);
  const digits = /\p{N}/u.test(character) ? DIGITS : 0;
  const own = IN_RUN.test(character) ? RUN | digits : digits || (/[\p{L}\p{M}]/u.test(character) ? WORD : NONE);
  if (code < flags.length) flags[code] = own;
  return own;
}

/** Calls `visit` for each part of a text in order, until it returns false. `at`: where the part starts. */
export function eachPart(text: string, visit: (part: string, kind: Kind, at: number) => boolean): void {
  for (let at = 0, end = 0; at < text.length; at = end) {
    const first = flagsOf(text.codePointAt(at)!);
    const kind = first & -first; // its lowest flag
    for (end = at; end < text.length; ) {
      const code = text.codePointAt(end)!;
      if ((flagsOf(code) & kind) === 0) break;
      end += code > 0xffff ? 2 : 1;
    }
    if (kind !== NONE && !visit(text.slice(at, end), kind as Kind, at)) return;
  }
}

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
    eachPart(fold(raw), (part, kind) => {
      if (kind === RUN) {
        const pairs = pairsOf(part, at);
        parts.push(pairs);
        at += pairs.length;
      } else if (kind === DIGITS) {
        parts.push([{ word: cut(part), at: at++ }]);
      } else {
        for (const word of part.split(CASE_CHANGE)) {
          const lower = cut(word.toLowerCase());
          parts.push([{ word: stem(lower), at: at++ }]);
          words.push(lower);
        }
      }
      return true;
    });
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
