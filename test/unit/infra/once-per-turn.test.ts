/** Calls of one turn of the event loop share a run that begins after them. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { oncePerTurn } from '../../../src/infra/concurrency/once-per-turn.ts';

it('runs once for the calls of a turn, after all of them', async () => {
  let asked = 0;
  let runs = 0;
  const read = oncePerTurn(async () => {
    runs += 1;
    return asked;
  });
  const ask = () => {
    asked += 1;
    return read();
  };
  const first = [ask(), Promise.resolve().then(ask), ask()];
  expect(runs).toBe(0);
  expect(await Promise.all(first)).toEqual([3, 3, 3]);
  expect(await ask()).toBe(4);
  expect(runs).toBe(2);
});

it('runs again for a call during a run', async () => {
  const ends: ((value: number) => void)[] = [];
  const read = oncePerTurn(() => new Promise<number>((resolve) => ends.push(resolve)));
  const before = read();
  await nextTurn();
  const during = read();
  await nextTurn();
  expect(ends).toHaveLength(2);
  ends[1]!(2);
  expect(await during).toBe(2);
  ends[0]!(1);
  expect(await before).toBe(1);
});

it.each<[string, (why: Error) => Promise<never>]>([
  ['rejects', (why) => Promise.reject(why)],
  [
    'throws',
    (why) => {
      throw why;
    },
  ],
])('rejects all calls of a turn if the run %s, and runs again', async (_how, fail) => {
  let fails = true;
  const read = oncePerTurn(() => (fails ? fail(new Error('down')) : Promise.resolve('up')));
  expect(await Promise.allSettled([read(), read()])).toMatchObject([
    { reason: { message: 'down' } },
    { reason: { message: 'down' } },
  ]);
  fails = false;
  expect(await read()).toBe('up');
});
