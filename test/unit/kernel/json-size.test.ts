import { describe, expect, it } from '@jest/globals';
import { hasMoreValues, isDeeper } from '../../../src/kernel/json-size.ts';

/** Number of values inside the lists and objects of a value. */
const held = (value: unknown): number =>
  typeof value !== 'object' || value === null
    ? 0
    : Object.values(value).reduce<number>((sum, item) => sum + 1 + held(item), 0);

/** The exact number, found by trying each limit. */
function counted(text: string): number {
  const padded = text + ' '.repeat(text.length + 2); // so that no text passes only because it is short
  let most = 0;
  while (hasMoreValues(padded, most)) most += 1;
  return most;
}

describe('hasMoreValues', () => {
  it.each([
    '5',
    '"a, [b, {c"',
    '[]',
    '{}',
    ' [ \n ] ',
    '[1]',
    '[[],{},[[]]]',
    '{"a":1,"b":[1,2,3],"c":{"d":{}}}',
    '["\\"", "a\\\\", ",,,", "\\\\\\",["]',
    '{",":"[{,}]","\\"":{"[":[","]}}',
    '[ "x" , { "y" : [ ] } ]',
    '["é,\\u002c", "\u2028,"]',
  ])('counts the values in %s', (text) => {
    expect(counted(text)).toBe(held(JSON.parse(text)));
    expect(counted(JSON.stringify(JSON.parse(text), null, 3))).toBe(held(JSON.parse(text)));
  });

  it('counts the values in random JSON', () => {
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 1103515245 + 12345) % 2 ** 31;
      return seed % below;
    };
    const TEXTS = ['', ',', '"', '\\', '[', '}', 'a,"b"', '\\"', 'é', '\n'];
    const value = (depth: number): unknown => {
      const kind = depth > 4 ? random(2) : random(5);
      if (kind === 0) return TEXTS[random(TEXTS.length)];
      if (kind === 1) return [null, true, -1.5e3][random(3)];
      const items = Array.from({ length: random(5) }, () => value(depth + 1));
      return kind === 2 ? items : Object.fromEntries(items.map((item, n) => [`${n}${TEXTS[random(10)]}`, item]));
    };
    for (let n = 0; n < 300; n += 1) {
      const made = value(0);
      expect(counted(JSON.stringify(made))).toBe(held(made));
    }
  });

  it('does not count characters inside strings', () => {
    expect(hasMoreValues(JSON.stringify({ notes: ','.repeat(10_000), more: '["'.repeat(10_000) }), 2)).toBe(false);
  });

  it('stops at the limit, and ends for unclosed text', () => {
    expect(hasMoreValues(`[${'1,'.repeat(1_000)}`, 999)).toBe(true);
    expect(hasMoreValues(`["${','.repeat(1_000)}`, 5)).toBe(false);
    expect(hasMoreValues(`["${'\\'.repeat(1_001)}`, 5)).toBe(false);
    expect(hasMoreValues('['.repeat(1_000), 998)).toBe(true);
  });
});

it.each([
  ['[[1]]', 2, false],
  ['[[1]]', 1, true],
  ['[{"a":[]}]', 3, false],
  ['[{"a":[]}]', 2, true],
  ['["[[[[", "\\"[[["]', 1, false],
  ['[1],[2],[3]', 1, false],
  ['['.repeat(100_000), 64, true],
])('isDeeper %#', (text, max, expected) => expect(isDeeper(text, max)).toBe(expected));
