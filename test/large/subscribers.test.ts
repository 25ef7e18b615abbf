/** 1,000 subscribers at two processes on one database, one of which is killed half-way and restarted. */
import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { projectRoot } from '../../src/kernel/root.ts';
import { createDatabase, type TestDatabase } from '../helpers/database.ts';
import { MIB, memoryOf } from '../helpers/memory.ts';
import { INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { startServer, type TestServer } from '../helpers/server.ts';

const MINUTES = 60_000;
const SUBSCRIBERS = 1_000;
const CHANGES = 10_000;
/** Datasets per request, each committed separately. */
const BATCH = 20;
/** Concurrent requests. */
const WRITERS = 4;
/** Maximum memory of a server with all its subscribers. */
const MEMORY = 1024 * MIB;

let database: TestDatabase;
const servers: TestServer[] = [];
const crowds: ChildProcess[] = [];
let watching: NodeJS.Timeout | undefined;

beforeAll(async () => {
  database = await createDatabase();
  for (const _ of [1, 2]) servers.push(await started('0'));
}, INSTALL_TIMEOUT);
afterAll(async () => {
  clearInterval(watching);
  await Promise.all(servers.map((server) => server.stop('SIGKILL')));
  for (const child of crowds) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await database?.end();
}, MINUTES);

/** Starts a server on this port ('0' for any free port). */
const started = (port: string): Promise<TestServer> =>
  startServer(
    {
      CATALOG__DATABASE_URL: database.url,
      CATALOG__PORT: port,
      CATALOG__JOBS__WORKERS: '0',
      CATALOG__LIMITS__STREAMS_PER_CALLER: '5000',
    },
    servers[0],
  );

const CREATE = `mutation ($input: [CreateDatasetInput!]!) { createDatasets(input: { items: $input }) { results { errors { code } } } }`;

/**
 * Creates datasets from a number on. After a lost response it retries at the other server, where existing datasets are not created twice.
 */
async function write(from: number, server: number): Promise<void> {
  const input = Array.from({ length: BATCH }, (_, n) => ({ name: `river-${from + n}`, title: `River ${from + n}` }));
  for (let at = server; ; at += 1) {
    try {
      const answer = await fetch(`${servers[at % servers.length]!.base}/graphql`, {
        method: 'POST',
        headers: { authorization: servers[0]!.key, 'content-type': 'application/json' },
        body: JSON.stringify({ query: CREATE, variables: { input } }),
      });
      const { errors } = (await answer.json()) as any;
      if (errors) throw new Error(JSON.stringify(errors));
      return;
    } catch (failure) {
      if ((failure as Error).name !== 'TypeError') throw failure; // fetch throws it when the connection is refused or closed
      await sleep(50);
    }
  }
}

const crowd = (transport: string, after: string) =>
  fork(join(projectRoot, 'test/large/subscribers.mjs'), [
    JSON.stringify({
      transport,
      after,
      urls: servers.map(({ base }) => base),
      count: SUBSCRIBERS / 2,
      events: CHANGES,
    }),
  ]);

/** Memory of a process in bytes, or 0 if it was just killed. */
function heldBy(child: ChildProcess): number {
  try {
    return memoryOf(child);
  } catch {
    return 0;
  }
}

async function ask(child: ChildProcess, question: string): Promise<any> {
  child.send(question);
  return (await once(child, 'message'))[0];
}

/** All dataset changes after a cursor, read in pages. */
async function logged(after: string): Promise<{ places: number[]; end: string }> {
  const places: number[] = [];
  for (let end = after; ; ) {
    const lines = (await (await fetch(`${servers[0]!.base}/changes?types=DATASET&limit=1000&after=${end}`)).text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const { next, hasMore } = lines.pop();
    places.push(...lines.map(({ sequence }) => sequence));
    end = next;
    if (!hasMore) return { places, end };
  }
}

it(
  `sends each of ${SUBSCRIBERS} subscribers all ${CHANGES} changes once and in order`,
  async () => {
    const { end: after } = await logged(START);
    crowds.push(crowd('websocket', after), crowd('events', after));
    let most = 0;
    watching = setInterval(() => {
      for (const { process: child } of servers) most = Math.max(most, heldBy(child));
    }, 500);
    const begun = performance.now();
    const seconds = () => ((performance.now() - begun) / 1000).toFixed(0);

    let next = 0;
    let written = 0;
    let killing: Promise<void> | null = null;
    const killAndStart = async () => {
      await servers[0]!.stop('SIGKILL');
      servers[0] = await started(new URL(servers[0]!.base).port); // its subscribers reconnect to this port
    };
    const writer = async (server: number) => {
      while (next < CHANGES) {
        const from = next;
        next += BATCH;
        await write(from, server);
        written += BATCH;
        if (written >= CHANGES / 2) killing ??= killAndStart();
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, (_, n) => writer(n)));
    const writing = seconds();
    await killing;
    const { places } = await logged(after);
    expect(places.length).toBe(CHANGES);

    let told = { received: 0, done: 0, reconnected: 0 };
    while (told.done < SUBSCRIBERS) {
      const parts = await Promise.all(crowds.map((child) => ask(child, 'progress')));
      told = parts.reduce((sum, part) => ({
        received: sum.received + part.received,
        done: sum.done + part.done,
        reconnected: sum.reconnected + part.reconnected,
      }));
      await sleep(500);
    }
    const reports = await Promise.all(crowds.map((child) => ask(child, 'report')));
    console.log(
      `${SUBSCRIBERS} subscribers, ${CHANGES} changes: written in ${writing} s, all told in ${seconds()} s, ${told.reconnected} connected again, ` +
        `a server held ${(most / MIB).toFixed(0)} MiB at most`,
    );
    const digest = createHash('sha256')
      .update(Buffer.from(Float64Array.from(places).buffer))
      .digest('hex');
    for (const report of reports) expect(report).toEqual({ digests: [digest], counts: [CHANGES], faults: [] });
    expect(told.reconnected).toBeGreaterThan(SUBSCRIBERS / 4);
    expect(most).toBeLessThan(MEMORY);
  },
  15 * MINUTES,
);

/** The cursor before the first change. */
const START = 'WzBd';
