import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from '@jest/globals';
import { type Loop, type LoopOptions, startLoop } from '../../../src/infra/worker/loop.ts';
import { until } from '../../helpers/until.ts';

const HOUR = 3_600_000;
const loops: Loop[] = [];
afterEach(() => Promise.all(loops.splice(0).map((loop) => loop.stop())));

function start(options: Partial<LoopOptions>): Loop {
  const loop = startLoop({ look: async () => {}, interval: HOUR, onFailure: () => {}, ...options });
  loops.push(loop);
  return loop;
}

it('runs at once, and again at each interval', async () => {
  let looks = 0;
  start({ look: async () => void (looks += 1), interval: 1 });
  expect(looks).toBe(1);
  await until(async () => looks >= 3);
});

it('never runs concurrently, and combines wake-ups during a run into one later run', async () => {
  let looks = 0;
  let free = () => {};
  const gate = new Promise<void>((resolve) => (free = resolve));
  const loop = start({
    look: async () => {
      looks += 1;
      await gate;
    },
  });
  const woken = Promise.all([loop.wake(), loop.wake(), loop.wake()]);
  expect(looks).toBe(1);
  free();
  await woken;
  expect(looks).toBe(2);
});

it('reports failures with their count, then the recovery, and retries after the pause', async () => {
  const said: string[] = [];
  let looks = 0;
  start({
    look: async () => {
      looks += 1;
      if (looks < 3) throw new Error(`no ${looks}`);
    },
    retry: 1,
    onFailure: (failure, count) => said.push(`${count} ${(failure as Error).message}`),
    onRecovery: () => said.push('back'),
  });
  await until(async () => said.length === 3);
  expect(said).toEqual(['1 no 1', '2 no 2', 'back']);
});

it('waits for the current run when stopped, starts no other, and drops its failure', async () => {
  const said: unknown[] = [];
  let looks = 0;
  let fail = (_failure: Error) => {};
  const gate = new Promise<void>((_resolve, reject) => (fail = reject));
  const loop = start({
    look: () => {
      looks += 1;
      return gate;
    },
    interval: 1,
    onFailure: (failure) => said.push(failure),
  });
  let isStopped = false;
  const stopped = loop.stop().then(() => (isStopped = true));
  await sleep(5);
  expect(isStopped).toBe(false);
  fail(new Error('closed'));
  await stopped;
  await loop.wake();
  expect([looks, said]).toEqual([1, []]);
});
