/** Splits texts with several values. */
import { expect, it } from '@jest/globals';
import { splitUnquoted } from '../../../src/records/form/readers.ts';

it.each([
  ['', ['']],
  ['a', ['a']],
  ['a desc, "b, c" asc,d', ['a desc', ' "b, c" asc', 'd']],
  ['"say ""x, y""" desc,b', ['"say ""x, y""" desc', 'b']],
  ['a,,b,', ['a', '', 'b', '']],
  ['a "b, c', ['a "b', ' c']],
  ['"a", "b, c', ['"a"', ' "b', ' c']],
])('splits %j at commas outside double quotes', (text, parts) => {
  expect(splitUnquoted(text)).toEqual(parts);
});

it('refuses more than 100,000 parts', () => {
  expect(splitUnquoted(','.repeat(99_999))).toHaveLength(100_000);
  expect(() => splitUnquoted(','.repeat(100_000))).toThrow('more than 100000 values');
});

it('splits a body of the maximum size, too long for a regular expression', () => {
  for (const one of ['a', '"', '""', '"a', ' '])
    expect(splitUnquoted(one.repeat(10_000_000 / one.length))).toHaveLength(1);
});
