import { describe, expect, it } from '@jest/globals';
import { connection, keyset, position } from '../../../src/kernel/connection.ts';

const cursor = (key: unknown): string => Buffer.from(JSON.stringify(key)).toString('base64url');

describe('keyset', () => {
  it('gives twenty items by default and reads back the cursors of a connection', async () => {
    expect(keyset({}, ['number', 'string'], 100)).toEqual({ limit: 20, backward: false, from: null, order: null });
    const page = connection(
      [
        { at: 1, id: 'a' },
        { at: 2, id: 'b' },
      ],
      { limit: 1, backward: false, from: null, order: null },
      (row) => [row.at, row.id],
      async () => 2,
    );
    expect(page.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    expect(keyset({ after: page.pageInfo.endCursor }, ['number', 'string'], 100).from).toEqual([1, 'a']);
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

  it('reads backward from a cursor or from the end, and returns the rows in the order of the list', () => {
    const page = keyset({ last: 2, before: cursor([3, 'c']) }, ['number', 'string'], 100);
    expect(page).toEqual({ limit: 2, backward: true, from: [3, 'c'], order: null });
    const keyOf = ({ at }: { at: number }) => [at];
    const rows = [{ at: 2 }, { at: 1 }, { at: 0 }];
    const made = connection(rows, page, keyOf, async () => 3);
    expect(made.nodes).toEqual([{ at: 1 }, { at: 2 }]);
    expect(made.pageInfo).toMatchObject({ hasPreviousPage: true, hasNextPage: true, startCursor: cursor([1]) });
    const end = connection(rows.slice(0, 2), keyset({ last: 2 }, ['number'], 100), keyOf, async () => 2);
    expect(end.pageInfo).toMatchObject({ hasPreviousPage: false, hasNextPage: false });
  });

  it.each([
    [{ first: 1, last: 1 }, 'last'],
    [{ first: 1, before: cursor([1]) }, 'before'],
    [{ after: cursor([1]), last: 1 }, 'last'],
    [{ after: cursor([1]), before: cursor([1]) }, 'before'],
    [{ before: 'no cursor' }, 'before'],
    [{ last: -1 }, 'last'],
  ])('refuses %j, naming %s', (args, field) => {
    expect(() => keyset(args, ['number'], 100)).toThrow(
      expect.objectContaining({ kind: 'VALIDATION', problems: [expect.objectContaining({ path: [field] })] }),
    );
  });

  it('refuses a cursor of another order, and reads back its own', () => {
    const at = (order: string) =>
      connection(
        [{ at: 1 }],
        { ...keyset({}, ['number'], 100), order },
        (row) => [row.at],
        async () => 1,
      ).pageInfo.endCursor;
    expect(keyset({ after: at('NAME ASC') }, ['number'], 100, 'NAME ASC').from).toEqual([1]);
    expect(() => keyset({ after: at('NAME DESC') }, ['number'], 100, 'NAME ASC')).toThrow(
      expect.objectContaining({ message: expect.stringContaining('Not a valid cursor for this order') }),
    );
    expect(() => keyset({ after: at('NAME DESC') }, ['number'], 100)).toThrow('Not a valid cursor for this list');
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
