/** Who has places, who waits for one, and who is told that there is none. */
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
])('refuses one more of a caller, and one more of all, %s', async (_, timeout) => {
  const { take } = createSemaphore({ ...bound, ...timeout });
  const free = await take('a');
  await take('a');
  await expect(take('a')).rejects.toMatchObject(tooMany);
  await take('b');
  await expect(take('b')).rejects.toMatchObject(full);
  await expect(take('c')).rejects.toMatchObject(full);
  free();
  free(); // gives back no second one
  await take('c');
  await expect(take('b')).rejects.toMatchObject(full);
});

it('who waits gets the next place that he may have, in the order of coming', async () => {
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
  const b1 = await waiting('b', 'b1'); // others pass by those who have to wait for themselves
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

it('who has given up waiting takes no place', async () => {
  const { take } = createSemaphore({ ...bound, timeout: 1 });
  const [free] = [await take('a'), await take('a')];
  await expect(take('a')).rejects.toMatchObject(tooMany);
  free();
  await take('a');
});
