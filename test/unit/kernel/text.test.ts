import { describe, expect, it } from '@jest/globals';
import { CatalogError, type Problem } from '../../../src/kernel/errors.ts';
import { checkText, lengthOf } from '../../../src/kernel/text.ts';

function problems(value: unknown): readonly Problem[] {
  try {
    checkText(value);
    return [];
  } catch (thrown) {
    if (!(thrown instanceof CatalogError) || thrown.kind !== 'VALIDATION') throw thrown;
    return thrown.problems;
  }
}

const MANY = 200_000;
const tooMany = [
  { path: [], message: 'The input has more than 100000 values (items and keys). Send fewer values at a time' },
];

describe('checkText', () => {
  it('reports paths with list indexes, without a leading `input`', () => {
    expect(problems({ input: { tags: [{ name: 'fine' }, { name: 'a\0' }], title: '\ud800' }, other: ['\0'] })).toEqual([
      { path: ['tags', 1, 'name'], message: 'NUL characters (U+0000) are not allowed' },
      { path: ['title'], message: 'Lone surrogates are not allowed: the text must be valid Unicode' },
      { path: ['other', 0], message: 'NUL characters (U+0000) are not allowed' },
    ]);
    expect(problems({ a: [{ 'b\0': 1, c: '\0' }] })).toEqual([
      { path: ['a', 0], message: 'A key contains characters that are not allowed' },
      { path: ['a', 0, 'c'], message: 'NUL characters (U+0000) are not allowed' },
    ]);
  });

  it('reports at most ten problems of lists and of keys', () => {
    expect(problems(Array(50).fill('\0'))).toHaveLength(10);
    expect(problems(Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`${n}\0`, 1])))).toHaveLength(10);
    expect(problems(Array(20).fill(Array(3).fill('\0')))).toHaveLength(10);
  });

  it('accepts 64 levels and no more', () => {
    const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
    expect(problems(nested(64))).toEqual([]);
    expect(problems(nested(65))).toEqual([{ path: Array(64).fill(0), message: 'Nested deeper than 64 levels' }]);
  });

  it('accepts 100,000 values in total and no more', () => {
    expect(problems(Array(100_000).fill(1))).toEqual([]);
    expect(problems(Array(100_001).fill(1))).toEqual(tooMany);
    expect(problems(Array(50_000).fill([1]))).toEqual([]);
    expect(problems([...Array(50_000).fill([1]), 1])).toEqual(tooMany);
    expect(problems({ input: { extras: Array(50_000).fill({ key: 'a', value: 'b' }) } })).toEqual(tooMany);
  });

  it('refuses large bodies before it reads their values', () => {
    let looks = 0;
    const watched = <T extends object>(container: T): T =>
      new Proxy(container, {
        get(target, name) {
          if (name !== 'length') looks += 1;
          return Reflect.get(target, name);
        },
      });
    const keys = JSON.parse(`{${Array.from({ length: MANY }, (_, n) => `"k${n}":"\\u0000"`).join()}}`);
    const lists = JSON.parse(`[${Array(MANY).fill('[[]]').join()}]`);
    expect(problems({ name: 'x', extras: watched(keys) })).toEqual(tooMany);
    expect(problems(watched(lists))).toEqual(tooMany);
    expect(looks).toBe(0);
  });
});

describe('lengthOf', () => {
  it('counts code points up to the maximum', () => {
    expect(lengthOf('', 3)).toBe(0);
    expect(lengthOf('äöü', 3)).toBe(3);
    expect(lengthOf('😀😀😀', 3)).toBe(3);
    expect(lengthOf('😀😀😀!', 3)).toBeGreaterThan(3);
    expect(lengthOf('abcd', 3)).toBe(4);
  });
});
