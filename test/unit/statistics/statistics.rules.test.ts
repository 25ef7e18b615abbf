import { describe, expect, it } from '@jest/globals';
import { checkFirst, type Interval, periodsBetween, startOf } from '../../../src/statistics/statistics.rules.ts';

const day = (text: string): Date => new Date(`${text}Z`);
const startsOf = (interval: Interval, from: string | null, to: string): string[] =>
  periodsBetween(interval, from === null ? null : day(from), day(to)).starts.map((at) =>
    new Date(at).toISOString().slice(0, 10),
  );

describe('periods', () => {
  it('are whole, in UTC, and contain both ends', () => {
    expect(startsOf('DAY', '2026-02-27T23:59:59.999', '2026-03-01T00:00')).toEqual([
      '2026-02-27',
      '2026-02-28',
      '2026-03-01',
    ]);
    expect(startsOf('WEEK', '2026-11-22T12:00', '2026-11-23T00:00')).toEqual(['2026-11-16', '2026-11-23']);
    expect(startsOf('MONTH', '2025-12-31T00:00', '2026-01-31T00:00')).toEqual(['2025-12-01', '2026-01-01']);
    expect(startsOf('YEAR', '2023-12-31T00:00', '2024-01-01T00:00')).toEqual(['2023-01-01', '2024-01-01']);
    expect(startsOf('YEAR', '0002-05-05T00:00', '0003-05-05T00:00')).toEqual(['0002-01-01', '0003-01-01']);
  });

  it('are 30 without a start', () => {
    for (const interval of ['DAY', 'WEEK', 'MONTH', 'YEAR'] as const)
      expect(startsOf(interval, null, '2026-11-23T10:00')).toHaveLength(30);
    expect(startsOf('DAY', null, '2026-11-23T10:00')[0]).toBe('2026-10-25');
  });

  it('are at most 400', () => {
    expect(startsOf('DAY', '2025-01-01T00:00', '2026-02-04T00:00')).toHaveLength(400);
    for (const [interval, from, to] of [
      ['DAY', '2025-01-01T00:00', '2026-02-05T00:00'],
      ['MONTH', '0001-01-01T00:00', '9998-01-01T00:00'],
      ['YEAR', '1000-01-01T00:00', '1400-01-01T00:00'],
    ] as const)
      expect(() => startsOf(interval, from, to)).toThrow('from: At most 400 periods');
  });

  it('refuse ends in the wrong order and times outside the supported years', () => {
    expect(() => startsOf('DAY', '2026-02-02T00:00', '2026-02-01T23:59')).toThrow('from: Must not be after `to`');
    expect(() => startsOf('DAY', null, '9999-01-01T00:00')).toThrow('to: Must be between the years 1 and 9998');
    expect(() => startsOf('YEAR', '0000-01-01T00:00', '0001-01-01T00:00')).toThrow('from: Must be between the years');
    expect(() => periodsBetween('DAY', null, new Date(8.64e15))).toThrow('to: Must be between the years');
    expect(() => periodsBetween('DAY', new Date(-8.64e15), day('2026-01-01T00:00'))).toThrow('from: Must be between');
  });

  it('of weeks start on Mondays', () => {
    for (let at = 0; at < 30; at += 1) expect(new Date(startOf('WEEK', Date.UTC(2026, 0, at))).getUTCDay()).toBe(1);
  });
});

it('lists have a minimum and a maximum length', () => {
  expect(() => checkFirst(1, 100)).not.toThrow();
  expect(() => checkFirst(100, 100)).not.toThrow();
  expect(() => checkFirst(0, 100)).toThrow('first: Must be between 1 and 100 (got 0)');
  expect(() => checkFirst(101, 100)).toThrow('first: Must be between 1 and 100 (got 101)');
});
