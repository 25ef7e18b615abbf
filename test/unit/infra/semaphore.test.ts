/** Semaphore: limits per caller and in total, the order of waiting callers, and refusals. */
import { expect, it } from '@jest/globals';
import { createSemaphore } from '../../../src/infra/concurrency/semaphore.ts';

const bound = { max: 3, maxPerCaller: 2, what: 'errands', setting: 'all', settingPerCaller: 'each' };
const LONG = 3_600_000;
const tooMany = {
  kind: 'RATE_LIMIT',
  message: expect.stringContaining('your limit of 2 concurrent errands (each)'),
};
const full = {
  kind: 'UNAVAILABLE',
  message: expect.stringContaining('its limit of 3 concurrent errands (all)'),
};

it.each([
  ['at once', {}],
  ['after a while', { timeout: 1 }],
])('refuses calls above the limit per caller and in total, %s', async (_, timeout) => {
  const { take } = createSemaphore({ ...bound, ...timeout });
  const free = await take('a');
  await take('a');
  await expect(take('a')).rejects.toMatchObject(tooMany);
  await take('b');
  await expect(take('b')).rejects.toMatchObject(full);
  await expect(take('c')).rejects.toMatchObject(full);
  free();
  free(); // releases only once
  await take('c');
  await expect(take('b')).rejects.toMatchObject(full);
});

it('serves waiting callers in order of arrival, except callers at their own limit', async () => {
  const { take } = createSemaphore({ ...bound, timeout: LONG });
  const came: string[] = [];
  const waiting = (caller: string, name: string) =>
    take(caller).then((free) => {
      came.push(name);
      return free;
    });
  const [first, second] = [await take('a'), await take('a')];
  const third = waiting('a', 'a3');
  const fourth = waiting('a', 'a4');
  const b1 = await waiting('b', 'b1'); // other callers overtake a caller at its own limit
  const b2 = waiting('b', 'b2');
  b1();
  (await b2)(); // there was one left for b, and none for a
  first();
  const freeThird = await third;
  expect(came).toEqual(['b1', 'b2', 'a3']);
  second();
  (await fourth)();
  freeThird();
  expect(came).toEqual(['b1', 'b2', 'a3', 'a4']);
  await Promise.all([take('a'), take('a'), take('b')]); // all are free again
});

it('gives no permit to a caller that has timed out', async () => {
  const { take } = createSemaphore({ ...bound, timeout: 1 });
  const [free] = [await take('a'), await take('a')];
  await expect(take('a')).rejects.toMatchObject(tooMany);
  free();
  await take('a');
});
