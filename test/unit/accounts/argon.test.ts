import { afterEach, expect, it } from '@jest/globals';
import { type ArgonThreads, argonThreads } from '../../../src/accounts/password/argon.ts';
import type { ArgonJob } from '../../../src/infra/crypto/argon.ts';
import { CatalogError } from '../../../src/kernel/errors.ts';

let threads: ArgonThreads;
afterEach(() => threads.close());

const job: ArgonJob = {
  password: 'password',
  salt: Buffer.from('somesalt'),
  hashLength: 32,
  memory: 256,
  passes: 2,
  lanes: 1,
};
const kindOf = (thrown: unknown) => (thrown instanceof CatalogError ? thrown.kind : String(thrown));

it('derives the same hash as the reference implementation', async () => {
  threads = argonThreads();
  // argon2 -id -t 2 -k 256 -p 1 -l 32, from the tests of the reference implementation
  expect(Buffer.from(await threads.derive(job)).toString('hex')).toBe(
    '9dfeb910e80bad0311fee20f9c0e2b12c17987b4cac90c2ef54d5b3021c68bfe',
  );
});

it('does not block the event loop', async () => {
  threads = argonThreads();
  await threads.derive(job); // the thread has started
  let ticks = 0;
  const ticking = setInterval(() => {
    ticks += 1;
  }, 1);
  await threads.derive({ ...job, memory: 65_536, passes: 6 }).finally(() => clearInterval(ticking));
  // On the main thread the whole derivation would be one turn of the event loop.
  expect(ticks).toBeGreaterThan(2);
});

it('keeps the process alive while it works, and not afterwards', async () => {
  threads = argonThreads();
  const ports = () => process.getActiveResourcesInfo().filter((it) => /Port|Worker/.test(it)).length;
  const before = ports();
  const working = threads.derive(job);
  expect(ports()).toBeGreaterThan(before);
  await working;
  expect(ports()).toBe(before);
});

it('refuses jobs when the queue is full, and accepts jobs again once it has capacity', async () => {
  threads = argonThreads(1, 2);
  const outcomes = Promise.all(Array.from({ length: 5 }, () => threads.derive(job).then(() => 'done', kindOf)));
  expect(await outcomes).toEqual(['done', 'done', 'done', 'LIMIT', 'LIMIT']);
  expect(await threads.derive(job)).toHaveLength(32);
});

it('fails only the invalid job and runs the next one', async () => {
  threads = argonThreads(1);
  const [failed, done] = [threads.derive({ ...job, salt: Buffer.alloc(0) }), threads.derive(job)];
  await expect(failed).rejects.toThrow(/salt/i);
  expect(await done).toHaveLength(32);
});

it('rejects pending and later jobs when it closes', async () => {
  threads = argonThreads(1);
  const outcomes = Promise.all(
    [1, 2, 3].map(() =>
      threads.derive({ ...job, memory: 65_536 }).then(
        () => 'done',
        () => 'refused',
      ),
    ),
  );
  await threads.close();
  expect(await outcomes).toEqual(['refused', 'refused', 'refused']);
  await expect(threads.derive(job)).rejects.toMatchObject({ kind: 'LIMIT' });
});
