/** Highlights of a text: pieces around the first highlighted word. */
import { expect, it } from '@jest/globals';
import { fragmentOf } from '../../../src/search/words/marks.ts';
import { stemsOf } from '../../../src/search/words/stemmers.ts';

const stem = await stemsOf('en');

/** The fragment with highlights in brackets; null without one. */
const marked = (text: string, { words = [] as string[], runs = [] as string[], prefix = '' }): string | null => {
  const patterns = prefix === '' ? [] : [[{ text: prefix }, { any: 'many' as const }]];
  const pieces = fragmentOf(text, { words: new Set(words.map(stem)), patterns, runs }, stem);
  return pieces?.map(({ text, isMatch }) => (isMatch ? `[${text}]` : text)).join('') ?? null;
};

const words = (count: number) => Array.from({ length: count }, (_, n) => `word${n}`).join(' ');

it.each<[string, string, Parameters<typeof marked>[1], string | null]>([
  ['nothing', 'Water of rivers', { words: ['lake'] }, null],
  ['no text', '', { words: ['lake'] }, null],
  ['each word', 'Water, waters, and water', { words: ['water'] }, '[Water], [waters], and [water]'],
  ['words that differ in case', 'openData dataOPEN', { words: ['open'] }, '[open]Data data[OPEN]'],
  ['folded words', 'Führung führung', { words: ['fuhrung'] }, '[Führung] [führung]'],
  ['digits', 'in 2024, 2024a and 20245', { words: ['2024'] }, 'in [2024], [2024]a and 20245'],
  ['digits that fold to letters', 'Part Ⅷ', { words: ['viii'] }, 'Part [Ⅷ]'],
  ['patterns', 'waters, Watering and what', { prefix: 'water' }, '[waters], [Watering] and what'],
  ['runs', '東京都の水、水', { runs: ['水'] }, '東京都の[水]、[水]'],
  ['runs that overlap, the first', '東京都庁', { runs: ['東京', '京都', '都庁'] }, '[東京][都庁]'],
  ['astral characters', '😀water𠮷', { words: ['water'], runs: ['𠮷'] }, '😀[water][𠮷]'],
  ['a lone surrogate', 'water \ud800 water', { words: ['water'] }, '[water] \ufffd [water]'],
])('marks %s', (_what, text, highlights, expected) => expect(marked(text, highlights)).toBe(expected));

it('starts at a word, at most 60 characters before the first highlight', () => {
  const found = marked(`${words(50)} water ${words(50)}`, { words: ['water'] })!;
  expect(found).toMatch(/^word\d+ .*\[water\] word0 /);
  expect(found.indexOf('[')).toBeLessThanOrEqual(60);
  expect(found.indexOf('[')).toBeGreaterThan(50);
});

it('ends after 240 characters, and marks nothing beyond', () => {
  const found = marked(`water ${words(60)} water`, { words: ['water'] })!;
  expect(found.match(/\[/g)).toHaveLength(1);
  expect(found.replace(/[[\]]/g, '')).toHaveLength(240);
});

it('marks the last word that starts within the fragment', () => {
  const text = `water ${'x'.repeat(230)} rivers`;
  expect(marked(text, { words: ['water', 'river'] })).toBe(`[water] ${'x'.repeat(230)} [rivers]`);
});

it('reads the first 100,000 characters', () => {
  const before = 'x '.repeat(49_990);
  expect(marked(`${before}water`, { words: ['water'] })).toMatch(/\[water\]$/);
  expect(marked(`${before}${'x '.repeat(20)}water`, { words: ['water'] })).toBeNull();
});

it('cuts a long text without spaces before the highlight', () => {
  expect(marked(`${'x'.repeat(500)}-water`, { words: ['water'] })).toBe(`${'x'.repeat(59)}-[water]`);
});
