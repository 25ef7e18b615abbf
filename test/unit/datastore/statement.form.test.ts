/** Forms of callers' statements: values are removed, and their kinds and all names stay. */
import { expect, it } from '@jest/globals';
import { formOf } from '../../../src/datastore/statement/statement.parser.ts';

it.each([
  [
    "SELECT a1, 12 AS \"b 2\" FROM t WHERE d = 'it''s' AND x > 1.5 -- 7",
    "SELECT a1, 0 AS \"b 2\" FROM t WHERE d = '''' AND x > .0 -- 0",
  ],
  ['SELECT 999999999', 'SELECT 0'],
  ['SELECT 1000000000', 'SELECT 1000000000'],
  ["SELECT E'a', DATE '2026-01-01', 1e5", "SELECT E'', DATE '', 0e5"],
  ['SELECT \'"\', "\'", 1', "SELECT '', \"'\", 0"],
])('removes the values of %s', (statement, form) => {
  expect(formOf(statement)).toBe(form);
});

it('takes linear time for unclosed quotes', () => {
  for (const mark of ['"', "'", '1.', `'"`]) expect(formOf(mark.repeat(50_000)).length).toBeLessThanOrEqual(100_000);
});
