/** Parsing of table searches: sort clauses, words and their limits. */
import { expect, it } from '@jest/globals';
import { planSearch } from '../../../src/datastore/rows/search.plan.ts';
import type { Column } from '../../../src/datastore/tables/fields.rules.ts';

const columns = ['a', 'a b', 'desc', 'say "x"', 'nulls first'].map((id): Column => ({ id, type: 'text', info: null }));

function orderOf(clause: string): string {
  const { plan, problems } = planSearch({ sort: [clause] }, columns);
  const [order] = plan.orderBy;
  if (!order) return problems.map(({ message }) => message).join();
  return [order.column.id, order.descending ? 'desc' : 'asc', order.nulls].filter(Boolean).join('|');
}

it.each([
  ['a', 'a|asc'],
  ['  a  ', 'a|asc'],
  ['a desc', 'a|desc'],
  ['a\n\tDESC  Nulls   LAST ', 'a|desc|last'],
  ['a nulls first', 'a|asc|first'],
  ['a b', 'a b|asc'],
  ['a b asc', 'a b|asc'],
  ['desc', 'desc|asc'],
  ['desc desc', 'desc|desc'],
  ['"nulls first"', 'nulls first|asc'],
  ['"nulls first" nulls last', 'nulls first|asc|last'],
  ['"say ""x""" desc', 'say "x"|desc'],
  ['a sideways', 'invalid value "a sideways"'],
  ['a desc asc', 'invalid value "a desc asc"'],
  ['', 'invalid value ""'],
])('reads %j', (clause, expected) => {
  expect(orderOf(clause)).toBe(expected);
});

it('parses very long clauses in linear time', () => {
  for (const clause of [`a${' '.repeat(300_000)}b`, `a${' '.repeat(300_000)}desc x`, `"${'"'.repeat(300_000)}x`])
    expect(orderOf(clause)).toMatch('invalid value');
  expect(orderOf(`a${' '.repeat(300_000)}desc`)).toBe('a|desc');
});

it('accepts up to 1,000 sort keys and 20,000 characters of words in total', () => {
  const refused = (input: Parameters<typeof planSearch>[0]) => planSearch(input, columns).problems;
  const words = 'x'.repeat(10_000);
  expect(refused({ sort: Array(1_000).fill('a'), q: { a: words, desc: words } })).toEqual([]);
  expect(refused({ sort: Array(100_000).fill('a') })).toEqual([{ path: ['sort'], message: 'At most 1000 sort keys' }]);
  const tooLong = (field: string) => [{ path: [field], message: 'At most 20000 characters' }];
  expect(refused({ q: `${words}${words}x` })).toEqual(tooLong('q'));
  expect(refused({ q: { a: words, desc: words, 'a b': 'x', 'say "x"': 'x' } })).toEqual(tooLong('q'));
  expect(refused({ fullText: words, q: { a: words, desc: 'x' } })).toEqual(tooLong('q'));
  expect(refused({ fullText: `${words}${words}x` })).toEqual(tooLong('fullText'));
});

it('accepts words for up to 1,000 columns', () => {
  const problemsOf = (n: number) =>
    planSearch({ q: Object.fromEntries(Array.from({ length: n }, (_, i) => [`c${i}`, 5])) }, columns).problems;
  expect(problemsOf(1_001)).toEqual([{ path: ['q'], message: 'At most 1000 conditions' }]);
  expect(problemsOf(1_000)).toHaveLength(1_000);
});

it.each([5, null, true, ['x'], { toString: 1 }])('refuses %j as the words of a column', (words) => {
  const { problems } = planSearch({ q: JSON.parse(JSON.stringify({ a: words, absent: words })) }, columns);
  expect(problems).toEqual(
    expect.arrayContaining(
      ['a', 'absent'].map((id) => ({ path: ['q'], message: `The value of ${id} must be a string` })),
    ),
  );
});
