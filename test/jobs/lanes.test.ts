/** Lanes of the queue: urgent jobs first, requesters and kinds in turn, and hosts that do not answer. */
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { pauseHost, type Takeable, takeJob } from '../../src/jobs/job.sql.ts';
import type { JobRecord } from '../../src/jobs/job.store.ts';
import { HostUnavailable, type JobKinds } from '../../src/jobs/kinds.ts';
import { enqueueAll, type JobRequest } from '../../src/jobs/queue.service.ts';
import { startWorker } from '../../src/jobs/worker.ts';
import type { Call } from '../../src/kernel/call.ts';
import { CatalogError } from '../../src/kernel/errors.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';

const KINDS = ['load', 'words'];
const PAUSES = [60, 600];

let world: World;
let call: Call;
beforeAll(async () => {
  world = await createWorld();
  call = world.app.callAs(world.system);
});
afterEach(async () => {
  await world.database.db.job.deleteMany();
  await world.database.db.jobHost.deleteMany();
});
afterAll(() => world.end());

/** Queues jobs in this order of time; `delay` 0 is now. */
async function queue(requesterId: string, requests: Partial<JobRequest>[]): Promise<JobRecord[]> {
  const as = { ...call, actor: { ...call.actor, userId: requesterId } };
  return enqueueAll(
    as,
    requests.map((request, n) => ({
      kind: 'load',
      subjectType: 'thing',
      subjectId: `${requesterId} ${n}`,
      delay: n - 1_000,
      ...request,
    })),
  );
}
const take = (more: Partial<Takeable> = {}, maxPerHost = 2) =>
  takeJob(call.sql, { kinds: KINDS, urgentOnly: false, ...more }, maxPerHost, 60);
async function takeAll(more: Partial<Takeable> = {}): Promise<string[]> {
  const subjects: string[] = [];
  for (let job = await take(more); job !== null; job = await take(more)) subjects.push(job.subjectId);
  return subjects;
}
const times = (count: number, request: Partial<JobRequest> = {}) => Array.from({ length: count }, () => request);
const hosts = () => world.database.db.jobHost.findMany({ orderBy: { host: 'asc' } });

it('takes urgent jobs first, and only these for a reserved worker', async () => {
  await queue('links', times(3));
  await queue('person', [{ urgent: true, delay: 0 }]);
  expect(await takeAll({ urgentOnly: true })).toEqual(['person 0']);
  await queue('person', [{ urgent: true, delay: 0 }]);
  expect(await takeAll()).toEqual(['person 0', 'links 0', 'links 1', 'links 2']);
});

it('requesters take turns, and so do the kinds of one requester', async () => {
  await queue('a', times(4));
  await queue('b', [{ delay: 0 }, { delay: 0, kind: 'words' }]);
  const taken = await takeAll();
  expect(taken.slice(0, 3).sort()).toEqual(['a 0', 'b 0', 'b 1']);
  expect(taken.slice(3)).toEqual(['a 1', 'a 2', 'a 3']);
  await queue('b', times(2, { delay: 0 }));
  await queue('c', times(2));
  expect(await takeAll()).toEqual(['c 0', 'b 0', 'c 1', 'b 1']);
});

it('skips jobs that are not due, and kinds that the process does not support', async () => {
  await queue('a', [{ delay: 60 }, { kind: 'unknown' }, {}]);
  expect(await takeAll()).toEqual(['a 2']);
});

it('limits the jobs of a host that run at a time', async () => {
  await queue('a', [...times(5, { host: 'slow.example' }), { host: 'other.example' }, {}]);
  expect(await takeAll()).toEqual(['a 0', 'a 1', 'a 5', 'a 6']);
});

it('workers that ask at the same moment get different jobs', async () => {
  await queue('a', times(10));
  const taken = await Promise.all(times(10).map(() => take()));
  expect(new Set(taken.map((job) => job?.id)).size).toBe(10);
});

it('pauses a host for longer after each failure, which is counted once for jobs that ran at the same time', async () => {
  await queue('a', [...times(4, { host: 'dead.example' }), { host: 'other.example' }]);
  const [first, second] = [(await take())!, (await take())!];
  await pauseHost(call.sql, first, 'Away', PAUSES);
  await pauseHost(call.sql, second, 'Away', PAUSES);
  const [paused] = await hosts();
  expect(paused).toMatchObject({ host: 'dead.example', failures: 1 });
  expect(await takeAll()).toEqual(['a 4']);
  const waiting = await world.database.db.job.findMany({ where: { state: 'queued' } });
  expect(waiting.map(({ runAt, error }) => [runAt, error])).toEqual([
    [paused!.pausedUntil, 'Away'],
    [paused!.pausedUntil, 'Away'],
  ]);
  // As if the pause were over.
  await world.database.db.job.updateMany({ where: { state: 'queued' }, data: { runAt: new Date(0) } });
  await world.database.db.job.updateMany({ where: { id: first.id }, data: { state: 'done' } });
  await world.database.db.jobHost.updateMany({ data: { pausedUntil: new Date(0) } });
  const third = (await take())!;
  await pauseHost(call.sql, third, 'Away again', PAUSES);
  const [again] = await hosts();
  expect(again!.failures).toBe(2);
  expect(again!.pausedUntil.getTime()).toBeGreaterThan(Date.now() + 500_000);
});

it('a worker pauses hosts that do not answer, and forgets the failures of those that answer', async () => {
  await world.database.db.jobHost.createMany({
    data: ['good.example', 'refusing.example'].map((host) => ({ host, failures: 3, pausedUntil: new Date(0) })),
  });
  const begun: string[] = [];
  const kinds: JobKinds = {
    load: {
      async run(_call, { host }) {
        begun.push(host!);
        if (host === 'dead.example') throw new HostUnavailable('Away');
        if (host === 'refusing.example') throw new CatalogError('VALIDATION', 'Not found');
      },
    },
  };
  await queue('a', times(20, { host: 'dead.example' }));
  await queue('b', [{ host: 'good.example' }, { host: 'refusing.example' }]);
  const worker = await startWorker({
    kinds,
    workers: 2,
    maxPerHost: 1,
    databaseUrl: world.database.url,
    callNow: () => ({ ...call, request: { ...call.request, now: new Date() } }),
    keepDays: 30,
    log: call.process.log,
  });
  try {
    await until(async () => begun.length >= 3 && (await hosts()).map(({ host }) => host).join() === 'dead.example');
    expect(begun.filter((host) => host === 'dead.example').length).toBeLessThanOrEqual(2); // the second after the pause
  } finally {
    await worker.stop();
  }
});
