/** The cache of list texts is bounded by the bytes of all texts. */
import { expect, it } from '@jest/globals';
import { createListTexts } from '../../../src/catalog/dataset/read/texts.ts';

const OVERHEAD = 1_000;
/** A text of this many bytes. */
const text = (bytes: number): string => 'é'.repeat(bytes / 2);

it('caches a text on its second read in the same state', () => {
  const texts = createListTexts(10_000);
  texts.read('a', '[1]', 'd-1');
  expect(texts.get('a')).toBeUndefined();
  texts.read('a', '[2]', 'd-2');
  expect(texts.get('a')).toBeUndefined();
  texts.read('a', '[2]', 'd-2');
  expect([texts.get('a')!.text, texts.get('a')!.digest]).toEqual(['[2]', 'd-2']);
});

it('evicts the least recently used texts at its bound', () => {
  const each = 4_000;
  const twice = (texts: ReturnType<typeof createListTexts>, key: string, bytes = each) => {
    for (let time = 0; time < 2; time += 1) expect(texts.read(key, text(bytes), 'd').text).toBe(text(bytes));
  };
  const exact = createListTexts(2 * (each + OVERHEAD));
  for (const key of ['a', 'b']) twice(exact, key);
  expect([exact.get('b'), exact.get('a')].every(Boolean)).toBe(true);
  twice(exact, 'c');
  expect(['a', 'b', 'c'].map((key) => exact.get(key) !== undefined)).toEqual([true, false, true]);

  const smaller = createListTexts(2 * (each + OVERHEAD) - 1);
  for (const key of ['a', 'b']) twice(smaller, key);
  expect(['a', 'b'].map((key) => smaller.get(key) !== undefined)).toEqual([false, true]);
});

it('does not cache a text that is larger than the bound, and keeps the others', () => {
  const texts = createListTexts(5_000);
  for (let time = 0; time < 2; time += 1) texts.read('a', text(4_000), 'd');
  for (let time = 0; time < 2; time += 1) texts.read('b', text(4_002), 'd');
  expect([texts.get('a') !== undefined, texts.get('b')]).toEqual([true, undefined]);
});
