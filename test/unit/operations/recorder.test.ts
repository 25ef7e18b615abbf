/** The record of a process: exact counts, and bounded memory. */
import { expect, it } from '@jest/globals';
import { createRecorder, MAX_SLOW, SLOW_FOR } from '../../../src/operations/recorder.ts';

const MINUTE = 60_000;
const request = (at: number, milliseconds: number, status = 200, operation: string | null = null) => ({
  ...{ at, milliseconds, status, operation },
  method: 'GET',
  route: '/dataset/:name',
});

it('counts by minute and status', () => {
  const recorder = createRecorder();
  for (const [at, status] of [
    [0, 200],
    [MINUTE - 1, 404],
    [MINUTE, 399],
    [MINUTE, 400],
    [MINUTE, 499],
    [MINUTE, 500],
    [MINUTE, 503],
  ] as const)
    recorder.record(request(at, 2, status));
  const taken = recorder.takeMinutes();
  expect([...taken]).toEqual([
    [0, { requests: 2, refused: 1, failed: 0, milliseconds: 4 }],
    [MINUTE, { requests: 5, refused: 2, failed: 2, milliseconds: 10 }],
  ]);
  expect(recorder.takeMinutes().size).toBe(0);
  recorder.record(request(0, 1));
  recorder.giveBack(taken);
  expect(recorder.takeMinutes().get(0)).toEqual({ requests: 3, refused: 1, failed: 0, milliseconds: 5 });
});

it('keeps at most 60 minutes', () => {
  const recorder = createRecorder();
  for (let minute = 0; minute < 100; minute += 1) recorder.record(request(minute * MINUTE, 1));
  expect([...recorder.takeMinutes().keys()].sort((a, b) => a - b)[0]).toBe(40 * MINUTE);
});

it('keeps the slowest requests of the last hour', () => {
  const recorder = createRecorder();
  const times = Array.from({ length: 500 }, (_, i) => (i * 7919) % 500);
  for (const [at, ms] of times.entries()) recorder.record(request(at, ms));
  const slowest = [...times].sort((a, b) => b - a).slice(0, MAX_SLOW);
  expect(recorder.slowest(500).map(({ milliseconds }) => milliseconds)).toEqual(slowest);
  expect(recorder.slowest(499 + SLOW_FOR)).toEqual([]);
});
