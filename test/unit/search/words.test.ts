import { describe, expect, it } from '@jest/globals';
import type { Piece } from '../../../src/search/query/syntax.ts';
import { fitsPattern, isWithin } from '../../../src/search/words/likeness.ts';
import { stemsOf } from '../../../src/search/words/stemmers.ts';
import { chunksOf, eachPart, fold } from '../../../src/search/words/tokens.ts';
import { Vector } from '../../../src/search/words/vector.ts';

const asIs = (word: string) => word;
const words = (text: string, stem = asIs) =>
  [...chunksOf(text, stem)].flatMap(({ parts }) => parts.flat().map(({ word }) => word));

describe('words', () => {
  it('follow the Unicode classes of all characters', () => {
    const unspaced =
      '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Script=Bopomofo}ー々〆〇';
    const pattern = new RegExp(`([${unspaced}]+)|(\\p{N}+)|((?:(?![${unspaced}])[\\p{L}\\p{M}])+)`, 'gu');
    for (let block = 0; block < 0x4_0000; block += 0x100) {
      const characters = Array.from({ length: 0x100 }, (_, code) => String.fromCodePoint(block + code));
      const text = `${characters.join('a')} ${characters.join('1')} ${characters.join('東')} ${characters.join('')}`;
      const expected = [...text.matchAll(pattern)].map(({ 0: part, 1: run, 2: digits, index }) => [
        part,
        run ? 1 : digits ? 2 : 4,
        index,
      ]);
      const found: unknown[] = [];
      eachPart(text, (...part) => found.push(part) > 0);
      expect(found.join('\n')).toBe(expected.join('\n')); // one string, because comparing a million lists takes seconds
    }
  });

  it('are visited until the visitor stops', () => {
    const found: string[] = [];
    eachPart('one two three', (part) => found.push(part) < 2);
    expect(found).toEqual(['one', 'two']);
  });

  it.each<[string, string[]]>([
    ['Flood and rivers 2002', ['flood', 'and', 'rivers', '2002']],
    ['wi-fi e-mail', ['wi', 'fi', 'e', 'mail']],
    ['PowerShot SD500', ['power', 'shot', 'sd', '500']],
    ['NASA', ['nasa']],
    ['Señal de tráfico', ['senal', 'de', 'trafico']],
    ['Straße Øre Łódź', ['strasse', 'ore', 'lodz']],
    ['ＡＢＣ １２', ['abc', '12']],
    ['İstanbul', ['istanbul']],
    ['Ελλάδα Привет', ['ελλαδα', 'привет']],
    ['東京都', ['東京', '京都', '都']],
    ['ﾊｻﾞｰﾄﾞ', ['ハザ', 'ザー', 'ード', 'ド']],
    ['がぎ', ['がぎ', 'ぎ']],
    ['COVID-19の感染者', ['covid', '19', 'の感', '感染', '染者', '者']],
    ['हिन्दी', ['हिन्दी']],
    ['', []],
    ['*** --- !!!', []],
    ['a\u0000b', ['a', 'b']],
    ['😀 x', ['x']],
  ])('of %j', (text, expected) => expect(words(text)).toEqual(expected));

  it('numbers positions from a start, and joins adjacent words', () => {
    const [first, second] = [...chunksOf('open-data 東京 x', asIs, 5)];
    expect(first).toMatchObject({ joined: 'opendata', parts: [[{ word: 'open', at: 5 }], [{ word: 'data', at: 6 }]] });
    expect(second).toMatchObject({
      joined: null,
      parts: [
        [
          { word: '東京', at: 7 },
          { word: '京', at: 8 },
        ],
      ],
    });
  });

  it('truncates words to 64 characters', () => expect(words('x'.repeat(1_000))[0]).toHaveLength(64));

  // Quadratic time would exceed the test timeout.
  it.each<[string, number]>([
    ['x', 1],
    ['aB', 500_001],
    ['東', 500_000],
    ['a-', 500_000],
    ['\u0301', 0],
  ])('reads half a million of %j to the end', (piece, count) =>
    expect(words(piece.repeat(500_000))).toHaveLength(count),
  );

  it('folds plain text to itself', () => expect(fold('River levels')).toBe('River levels'));
});

describe('stems', () => {
  it.each([
    ['en', 'rivers', 'river'],
    ['en_GB', 'flooding', 'flood'],
    ['de', 'häuser', 'haus'],
    ['ja', 'rivers', 'rivers'],
    ['xx', 'rivers', 'rivers'],
  ])('in %s, of %s', async (locale, word, expected) => expect((await stemsOf(locale))(word)).toBe(expected));
});

it('writes a vector that PostgreSQL can read', () => {
  const vector = new Vector();
  vector.add("o'hara\\", 1, 'A');
  vector.add('b', vector.next, 'D');
  vector.gap();
  vector.add('b', vector.next, 'C');
  expect(String(vector)).toBe("'o''hara\\\\':1A 'b':2,13C");
});

describe('likeness', () => {
  const pieces = (pattern: string) =>
    pattern
      .split(/([*?])/)
      .flatMap((part): Piece[] =>
        part === '' ? [] : [part === '*' ? { any: 'many' } : part === '?' ? { any: 'one' } : { text: part }],
      );

  it.each<[string, string, boolean]>([
    ['river', 'r?ver', true],
    ['river', 'r*r', true],
    ['river', '*ive*', true],
    ['river', '?', false],
    ['river', 'river?', false],
    ['river', 'river*', true],
    ['river', '*', true],
    ['東京都', '*京*', true],
    ['a*b', 'a?b', true],
    ['', '*', true],
    ['aab', '*ab', true],
  ])('%j fits %j: %s', (word, pattern, expected) => expect(fitsPattern(word, pieces(pattern))).toBe(expected));

  // Exponential backtracking would exceed the test timeout.
  it('ends for hostile patterns', () => expect(fitsPattern('a'.repeat(64), pieces(`${'*a'.repeat(30)}b`))).toBe(false));

  it.each<[string, string, number, boolean]>([
    ['river', 'rivr', 1, true],
    ['river', 'rivre', 1, true],
    ['river', 'xiver', 1, true],
    ['river', 'xyver', 1, false],
    ['river', 'xyver', 2, true],
    ['river', 'rivers', 0, false],
    ['', 'ab', 2, true],
  ])('%j and %j differ in at most %d letters: %s', (a, b, max, expected) => {
    expect(isWithin(a, b, max)).toBe(expected);
    expect(isWithin(b, a, max)).toBe(expected);
  });
});
