/** DateTime values that the graph accepts and refuses. */
import { describe, expect, it } from '@jest/globals';
import { scalars } from '../../../src/graph/scalars.ts';

describe('DateTime', () => {
  it.each([
    ['2026-11-21T10:00:00.123Z', '2026-11-21T10:00:00.123Z'],
    ['2026-11-21T10:00:00+02:00', '2026-11-21T08:00:00.000Z'],
    ['2026-11-21T10:00:00', '2026-11-21T10:00:00.000Z'],
    ['2026-11-21T10:00', '2026-11-21T10:00:00.000Z'],
    ['2026-11-21', '2026-11-21T00:00:00.000Z'],
    ['2026', '2026-01-01T00:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
  ])('%s is %s', (given, expected) => {
    expect((scalars.DateTime.parseValue(given) as Date).toISOString()).toBe(expected);
  });

  it.each([
    '',
    ' ',
    '1',
    'yesterday',
    'Nov 5 2026',
    '2026-13-01',
    '2026-11-21T25:00:00Z',
    '-200000-01-01T00:00:00Z',
    '+200000-01-01T00:00:00Z',
    5,
    null,
    {},
  ])('refuses %j', (given) => {
    expect(() => scalars.DateTime.parseValue(given)).toThrow('must be an ISO 8601 time');
  });
});
