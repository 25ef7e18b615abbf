import { describe, expect, it } from '@jest/globals';
import { connection, keyset, position } from '../../../src/kernel/connection.ts';

const cursor = (key: unknown): string => Buffer.from(JSON.stringify(key)).toString('base64url');

describe('keyset', () => {
  it('gives twenty items by default and reads back the cursors of a connection', async () => {
    expect(keyset({}, ['number', 'string'], 100)).toEqual({ limit: 20, after: null });
    const page = connection(
      [
        { at: 1, id: 'a' },
        { at: 2, id: 'b' },
      ],
      { limit: 1, after: null },
      (row) => [row.at, row.id],
      async () => 2,
    );
    expect(page.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    expect(keyset({ after: page.pageInfo.endCursor }, ['number', 'string'], 100).after).toEqual([1, 'a']);
    expect(await page.totalCount()).toBe(2);
  });

  it.each([
    ['no base64', '%%%'],
    ['no JSON', 'abc'],
    ['too few values', cursor([1])],
    ['the wrong kinds', cursor(['1', 'a'])],
    ['a fraction', cursor([1.5, 'a'])],
    ['NUL', cursor([1, 'a\0'])],
    ['a lone surrogate', Buffer.from('[1,"\\ud800"]').toString('base64url')],
  ])('refuses a cursor of %s', (_name, after) => {
    expect(() => keyset({ after }, ['number', 'string'], 100)).toThrow(expect.objectContaining({ kind: 'VALIDATION' }));
  });

  it('refuses pages below zero and beyond the limit, naming the limit', () => {
    expect(() => keyset({ first: -1 }, ['string'], 100)).toThrow(expect.objectContaining({ kind: 'VALIDATION' }));
    expect(() => keyset({ first: 101 }, ['string'], 100)).toThrow(
      expect.objectContaining({ kind: 'LIMIT', message: expect.stringContaining('catalog.limits.rows') }),
    );
  });
});

it('position: the limit is the largest page by default, negative numbers are refused', () => {
  expect(position({}, 50)).toEqual({ limit: 50, offset: 0 });
  expect(position({ limit: 0, offset: 7 }, 50)).toEqual({ limit: 0, offset: 7 });
  expect(() => position({ limit: -1 }, 50)).toThrow(expect.objectContaining({ kind: 'VALIDATION' }));
  expect(() => position({ offset: -1 }, 50)).toThrow(expect.objectContaining({ kind: 'VALIDATION' }));
  expect(() => position({ limit: 51 }, 50)).toThrow(expect.objectContaining({ kind: 'LIMIT' }));
});
