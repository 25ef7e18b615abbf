/** The job queue with real workers, some of them in a separate process that is killed. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { type JobRecord, jobsByIds } from '../../src/jobs/job.store.ts';
import type { Control, JobKinds } from '../../src/jobs/kinds.ts';
import { enqueue, type JobRequest, unschedule } from '../../src/jobs/queue.service.ts';
import { startWorker, type Worker } from '../../src/jobs/worker.ts';
import { type Call, inTransaction } from '../../src/kernel/call.ts';
import { CatalogError } from '../../src/kernel/errors.ts';
import { projectRoot } from '../../src/kernel/root.ts';
import { ADMIN_URL } from '../helpers/database.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';

/** The lease is longer than any pause of a busy machine, so that a live worker never counts as dead. */
const TIMES = { lease: 60, beat: 0.2, poll: 0.2, steady: 0 };

let world: World;
let call: Call;
const workers: Worker[] = [];
beforeAll(async () => {
  world = await createWorld();
  call = world.app.callAs(world.system);
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  await world.database.db.job.deleteMany();
});
afterAll(() => world.end());

async function work(kinds: JobKinds, count = 1, times = TIMES): Promise<Worker> {
  const worker = await startWorker({
    kinds,
    workers: count,
    maxPerHost: 2,
    databaseUrl: world.database.url,
    callNow: () => ({ ...call, request: { ...call.request, now: new Date() } }),
    keepDays: 30,
    log: call.process.log,
    times,
  });
  workers.push(worker);
  return worker;
}

const ask = (request: Partial<JobRequest> = {}, as = call) =>
  enqueue(as, { kind: 'note', subjectType: 'thing', subjectId: 'a', ...request });
const read = async ({ id }: JobRecord) => (await jobsByIds(call.db, [id]))[0]!;

const untilState = (job: JobRecord, state: string) =>
  until(async () => {
    const now = await read(job);
    return now.state === state && now;
  });
const stopped = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));

it('runs queued jobs, stores their progress, and starts new jobs at once', async () => {
  const seen: unknown[] = [];
  const before = await ask({ payload: { n: 1 } });
  await work({
    note: {
      async run(_call, { payload }, control) {
        control.progress(2, 3);
        seen.push(payload);
      },
    },
  });
  const after = await ask({ payload: { n: 2 } });
  for (const job of [before, after])
    expect(await untilState(job, 'done')).toMatchObject({
      attempts: 1,
      progressDone: 2,
      progressTotal: 3,
      error: null,
    });
  expect(seen).toEqual([{ n: 1 }, { n: 2 }]);
});

it('two workers share the jobs, and each job runs once', async () => {
  const done: string[][] = [[], []];
  const kinds = (mine: string[]): JobKinds => ({
    note: {
      async run(_call, { id }) {
        mine.push(id);
        await until(async () => done.every((list) => list.length > 0)); // until the other has one too
      },
    },
  });
  await Promise.all(done.map((mine) => work(kinds(mine), 2)));
  const jobs = await Promise.all(Array.from({ length: 20 }, () => ask()));
  for (const job of jobs) await untilState(job, 'done');
  expect(done.flat().sort()).toEqual(jobs.map(({ id }) => id).sort());
});

it('a transaction that is rolled back queues no job', async () => {
  await expect(
    inTransaction(call, async (call) => {
      await ask({}, call);
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  expect(await world.database.db.job.count()).toBe(0);
});

it('retries temporary failures after a pause, and fails other jobs at once or after the last attempt', async () => {
  const told: string[] = [];
  const failing = (failure: Error) => ({
    run: () => Promise.reject(failure),
    failed: async (_call: Call, job: JobRecord, error: string) => void told.push(`${job.kind}: ${error}`),
  });
  await work({
    defect: failing(new Error('secret path')),
    away: failing(new CatalogError('UNAVAILABLE', 'The server is away')),
    refused: failing(new CatalogError('VALIDATION', 'No', [{ path: ['file'], message: 'Is not a table' }])),
  });
  const [defect, away, refused] = await Promise.all([
    ask({ kind: 'defect', maxAttempts: 1 }),
    ask({ kind: 'away' }),
    ask({ kind: 'refused' }),
  ]);
  expect(await untilState(defect, 'failed')).toMatchObject({ error: 'Internal server error. The error was logged.' });
  expect(await untilState(refused, 'failed')).toMatchObject({ attempts: 1, error: 'file: Is not a table' });
  const waiting = await until(async () => {
    const now = await read(away);
    return now.error !== null && now;
  });
  expect(waiting).toMatchObject({ state: 'queued', error: 'The server is away' });
  expect(waiting.runAt.getTime()).toBeGreaterThan(waiting.startedAt!.getTime() + 4_000);
  expect(told.sort()).toEqual([
    'defect: Internal server error. The error was logged.',
    'refused: file: Is not a table',
  ]);
});

it('allows one queued and one running job per key', async () => {
  let free = () => {};
  const gate = new Promise<void>((resolve) => (free = resolve));
  const payloads: unknown[] = [];
  await work(
    {
      note: {
        run: (_call, { payload }) => {
          payloads.push(payload);
          return gate;
        },
      },
      other: { run: async () => {} },
    },
    3,
  );
  const first = await ask({ key: 'k', payload: { n: 1 } });
  await untilState(first, 'running');
  const second = await ask({ key: 'k', payload: { n: 2 } });
  expect((await ask({ key: 'k', payload: { n: 3 } })).id).toBe(second.id);
  await untilState(await ask({ kind: 'other' }), 'done'); // a worker was free, and did not start the second
  expect(payloads).toEqual([{ n: 1 }]);
  free();
  await untilState(second, 'done');
  expect(payloads).toEqual([{ n: 1 }, { n: 3 }]);
});

it('a worker is reserved for urgent jobs', async () => {
  const waits = { run: (_call: Call, _job: JobRecord, { signal }: Control) => stopped(signal) };
  await work({ long: waits, note: { run: async () => {} } }, 2);
  const [one] = await Promise.all([ask({ kind: 'long' }), ask({ kind: 'long' })]);
  await until(async () => (await world.database.db.job.count({ where: { state: 'running' } })) === 1);
  await untilState(await ask({ urgent: true }), 'done');
  expect(await world.database.db.job.count({ where: { kind: 'long', state: 'running' } })).toBe(1);
  expect(one.kind).toBe('long');
});

it('cancelling aborts a running job and ends a queued one, and a cancelled job can be retried', async () => {
  const told: string[] = [];
  await work({
    note: {
      run: (_call, _job, { signal }) => stopped(signal),
      failed: async (_call, _job, error) => void told.push(error),
    },
  });
  const running = await untilState(await ask(), 'running');
  const waiting = await ask({ delay: 1_000 });
  const mutation = (name: string) =>
    `mutation ($id: ID!) { ${name}(input: { id: $id }) { job { state } errors { code } } }`;
  const admin = await world.make.user({ name: 'boss', sysadmin: true });
  const send = async (name: string, { id }: JobRecord) =>
    (await world.graph(mutation(name), { id }, { as: admin })).body.data[name];
  expect(await send('cancelJob', waiting)).toMatchObject({ job: { state: 'CANCELLED' } });
  expect(await send('cancelJob', running)).toMatchObject({ job: { state: 'RUNNING' } });
  await untilState(running, 'cancelled');
  expect(told).toEqual(['Cancelled']);
  expect(await send('cancelJob', running)).toMatchObject({ job: null, errors: [{ code: 'CONFLICT' }] });
  expect(await send('retryJob', running)).toMatchObject({ job: { state: 'QUEUED' } });
  await untilState(running, 'running');
  expect(await send('retryJob', running)).toMatchObject({ job: null, errors: [{ code: 'CONFLICT' }] });
});

it('a worker that stops requeues its job without counting the attempt', async () => {
  const kinds: JobKinds = { note: { run: (_call, _job, { signal }) => stopped(signal) } };
  const worker = await work(kinds);
  const job = await untilState(await ask(), 'running');
  await worker.stop();
  expect(await read(job)).toMatchObject({ state: 'queued', attempts: 0 });
});

it('a recurring job is queued once at a time, until it is unscheduled', async () => {
  let runs = 0;
  const kinds: JobKinds = { note: { run: async () => void (runs += 1) } };
  await Promise.all([work(kinds), work(kinds)]);
  await ask({ key: 'hourly', everySeconds: 1 });
  await until(async () => runs >= 3);
  expect(await world.database.db.job.count({ where: { state: { in: ['queued', 'running'] } } })).toBe(1);
  await until(async () => {
    await unschedule(call, 'hourly');
    return (await world.database.db.job.count({ where: { state: { in: ['queued', 'running'] } } })) === 0;
  });
  const { id } = await ask({ key: 'daily', everySeconds: 86_400, delay: 60 });
  const boss = await world.make.user({ sysadmin: true });
  await world.graph(`mutation { cancelJob(input: { id: "${id}" }) { job { id } } }`, {}, { as: boss });
  const next = await world.database.db.job.findFirst({ where: { key: 'daily', state: 'queued' } });
  expect(next).toMatchObject({ everySeconds: 86_400 });
});

/** Starts a job of the kind `hang` in a separate process, kills that process, and expires the lease. */
async function dieAt(job: JobRecord, meanwhile: () => Promise<void> = async () => {}): Promise<void> {
  const program = join(projectRoot, 'test/helpers/job-worker.mjs');
  const child = spawn(process.execPath, [program, world.database.url, JSON.stringify(TIMES)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    for await (const line of createInterface({ input: child.stdout! })) if (line.includes(job.id)) break;
    await meanwhile();
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
  await expire(job);
}
/** Expires the lease of a job. */
const expire = ({ id }: JobRecord) =>
  world.database.db.job.update({ where: { id }, data: { leaseUntil: new Date(0) } });

it('the job of a process that is killed is taken over by another', async () => {
  const job = await ask({ kind: 'hang' });
  await dieAt(job, async () => {
    await work({ hang: { run: async () => {} } });
    // The process is alive, and renews its lease.
    const lease = async () => {
      const { leaseUntil } = await world.database.db.job.findUniqueOrThrow({ where: { id: job.id } });
      return leaseUntil!.getTime();
    };
    const before = await lease();
    await until(async () => (await lease()) > before);
    expect(await read(job)).toMatchObject({ state: 'running', attempts: 1, deaths: 0, progressDone: 1 });
  });
  expect(await untilState(job, 'done')).toMatchObject({ attempts: 2 });
});

it('a job fails after two processes died during it, and runs again only if it is retried manually', async () => {
  const job = await ask({ kind: 'hang', key: 'poison' });
  await dieAt(job);
  await dieAt(job);
  expect(await read(job)).toMatchObject({ state: 'running', attempts: 2, deaths: 1 });
  const begun: string[] = [];
  const told: string[] = [];
  await work({
    hang: {
      run: async (_call, { id }) => void begun.push(id),
      failed: async (_call, { id }, error) => void told.push(`${id} ${error}`),
    },
  });
  expect(await untilState(job, 'failed')).toMatchObject({
    attempts: 2,
    error: 'The server process ended 2 times during this job. The job is not retried automatically.',
  });
  await until(async () => told.length > 0);
  expect([begun, told]).toEqual([[], [expect.stringContaining(`${job.id} The server process ended 2 times`)]]);
  const boss = await world.make.user({ sysadmin: true });
  await world.graph(`mutation { retryJob(input: { id: "${job.id}" }) { job { id } } }`, {}, { as: boss });
  expect(await untilState(job, 'done')).toMatchObject({ attempts: 1, deaths: 0 });
});

it('a process takes over no jobs right after its start, so that restarts do not count against them', async () => {
  const job = await ask({ kind: 'hang' });
  await dieAt(job);
  const kinds: JobKinds = { hang: { run: async () => {} }, note: { run: async () => {} } };
  for (let restart = 0; restart < 2; restart += 1) {
    const worker = await work(kinds, 1, { ...TIMES, steady: 3_600 });
    await untilState(await ask(), 'done'); // a worker was free for it
    await worker.stop();
    expect(await read(job)).toMatchObject({ state: 'running', attempts: 1, deaths: 0 });
  }
  await work(kinds, 1, { ...TIMES, steady: 1 });
  expect(await untilState(job, 'done')).toMatchObject({ attempts: 2 });
});

it('only process deaths in a row count, and an attempt that reports resets the count', async () => {
  const job = await ask({ kind: 'hang' });
  await dieAt(job);
  const worker = await work({ hang: { run: () => Promise.reject(new CatalogError('UNAVAILABLE', 'Away')) } });
  await until(async () => (await read(job)).error !== null);
  expect(await read(job)).toMatchObject({ state: 'queued', attempts: 2, deaths: 0 });
  await worker.stop();
  await world.database.db.job.update({ where: { id: job.id }, data: { runAt: new Date(0) } });
  await dieAt(job);
  await work({ hang: { run: async () => {} } });
  expect(await untilState(job, 'done')).toMatchObject({ attempts: 4 });
});

it('jobs of dead processes run one at a time, so that one of them does not count against the others', async () => {
  const jobs = await Promise.all([ask({ kind: 'hang' }), ask({ kind: 'hang' }), ask({ kind: 'hang' })]);
  for (const { id } of jobs)
    await world.database.db.job.update({
      where: { id },
      data: { state: 'running', attempts: 1, leaseUntil: new Date(0) },
    });
  let most = 0;
  let now = 0;
  const run = async () => {
    most = Math.max(most, ++now);
    await until(async () => (await world.database.db.job.count({ where: { kind: 'note', state: 'done' } })) > 0);
    now -= 1;
  };
  await work({ hang: { run }, note: { run: async () => {} } }, 3);
  await until(async () => now === 1);
  await ask(); // other jobs run beside it
  for (const job of jobs) await untilState(job, 'done');
  expect(most).toBe(1);
});

it('a worker stores the result of an attempt once the database is back, and does not count as dead', async () => {
  const admin = new pg.Client({ connectionString: process.env[ADMIN_URL] });
  await admin.connect();
  const name = new URL(world.database.url).pathname.slice(1);
  const allow = (yes: boolean) => admin.query(`ALTER DATABASE "${name}" WITH ALLOW_CONNECTIONS ${yes}`);
  try {
    let isTried = false;
    await work({
      note: {
        async run() {
          await allow(false);
          await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
          isTried = true;
          throw new CatalogError('UNAVAILABLE', 'Away');
        },
      },
    });
    const job = await ask({ maxAttempts: 2 });
    await until(async () => isTried);
    await allow(true);
    const tried = await until(async () => {
      const now = await read(job).catch(() => null);
      return now?.error != null && now;
    });
    expect(tried).toMatchObject({ state: 'queued', error: 'Away', attempts: 1, deaths: 0 });
  } finally {
    await allow(true);
    await admin.end();
  }
});
