/**
 * Kills the application and PostgreSQL under writers of every kind. No acknowledged write is lost, the application ends only when it is
 * killed, the check commands find nothing, and the feed has neither gaps nor duplicates.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { toGlobalId } from '../../src/kernel/ids.ts';
import { projectRoot } from '../../src/kernel/root.ts';
import { freePort } from '../helpers/port.ts';
import { backendsOf, postmasterOf, signal } from '../helpers/processes.ts';
import { startServer, type TestServer } from '../helpers/server.ts';
import { until } from '../helpers/until.ts';

/** Number of kills of each kind. Release acceptance uses 20. */
const KILLS = Number(process.env.STORM_KILLS ?? 4);
/** ms between two kills. */
const CALM = 1_000;
/** ms between two steps of a writer. It is limited because every write is verified at the end. */
const PACE = 200;
/** Concurrent verifications at the end. */
const AT_ONCE = 8;

let dataDir: string;
let env: Record<string, string>;
let server: TestServer;
let [base, key] = ['', ''];
let isOver = false;
const deaths: string[] = [];
const expected = new Set<number>();
const counts = { acknowledged: 0, failed: 0, kills: {} as Record<string, number> };

/** Acknowledged writes, by the state that they must have at the end. */
const created = new Map<string, { patched: string; tried: string[] }>();
const links = new Map<string, string>();
const rows = new Set<number>();
const graphs = new Set<string>();
const files = new Map<string, { dataset: string; content: string }>();
const loads = new Map<string, number>();
const deleted = new Set<string>();
let table = '';

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'catalog-storm-'));
  chmodSync(dataDir, 0o711);
  env = {
    CATALOG__DATA_DIR: dataDir,
    CATALOG__DATABASE_URL: '',
    CATALOG__PORT: String(await freePort()),
    CATALOG__LOG_LEVEL: 'info',
    CATALOG__SHUTDOWN_TIMEOUT: '5',
  };
  await start();
  key = server.key;
  base = server.base;
  await server.call('package_create', { name: 'storm' });
  const made = await server.call('datastore_create', {
    resource: { package_id: 'storm', name: 'table' },
    fields: [{ id: 'n', type: 'int' }],
    primary_key: ['n'],
    records: [],
  });
  table = made.resource_id;
});

afterAll(async () => {
  isOver = true;
  if (server) {
    expected.add(server.process.pid!);
    await server.stop();
  }
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(): Promise<void> {
  server = await until(() => startServer(env, key ? { key } : {}).catch(noteDeath), undefined, 60);
  const { pid } = server.process;
  const { said } = server;
  server.process.once('exit', (code, name) => {
    if (!expected.has(pid!)) deaths.push(`${pid} ended with ${name ?? code}: ${said().slice(-3_000)}`);
  });
}

/** Counts a failed start as a death too. */
function noteDeath({ message }: Error): null {
  deaths.push(`a start failed: ${message}`);
  return null;
}

class Refused extends Error {}

async function send(path: string, init: RequestInit): Promise<any> {
  const response = await fetch(base + path, { ...init, signal: AbortSignal.timeout(90_000) });
  const text = await response.text();
  const body = JSON.parse(text);
  if (response.status !== 200 || body.success === false || body.errors)
    throw new Refused(`${path} ${response.status} ${text.slice(0, 500)}`);
  return body;
}

const headers = () => ({ authorization: key, 'content-type': 'application/json' });
const call = async (action: string, params: object) =>
  (await send(`/api/3/action/${action}`, { method: 'POST', headers: headers(), body: JSON.stringify(params) })).result;
const graph = async (query: string) =>
  (await send('/graphql', { method: 'POST', headers: headers(), body: JSON.stringify({ query }) })).data;

async function upload(dataset: string, name: string, content: string): Promise<{ id: string; url: string }> {
  const form = new FormData();
  for (const [field, value] of Object.entries({ package_id: dataset, name, url: name })) form.set(field, value);
  form.set('upload', new Blob([content]), name);
  return (await send('/api/3/action/resource_create', { method: 'POST', headers: { authorization: key }, body: form }))
    .result;
}

/** Refusals that indicate a fault. Refusals while a part was down, or because an unanswered earlier attempt succeeded, are expected. */
const odd: string[] = [];
function note(failure: unknown): void {
  counts.failed += 1;
  const { message } = failure as Error;
  if (failure instanceof Refused && !/ 503 |already|in use|taken|CONFLICT/i.test(message)) odd.push(message);
}

/** Repeats `step` until the storm is over. Records failures and continues with the next step. */
async function writer(step: (n: number) => Promise<void>): Promise<void> {
  for (let n = 0; !isOver; n += 1) {
    try {
      await step(n);
      counts.acknowledged += 1;
      await sleep(PACE);
    } catch (failure) {
      note(failure);
      await sleep(50);
    }
  }
}

const writers: readonly (() => Promise<void>)[] = [
  () =>
    writer(async (n) => {
      const name = `dataset-${n}`;
      await call('package_create', { name });
      const state = { patched: name, tried: [] as string[] };
      created.set(name, state);
      for (const title of ['first', 'second']) {
        state.tried.push(title);
        await call('package_patch', { id: name, title });
        state.patched = title;
        state.tried = [];
      }
    }),
  () =>
    writer(async (n) => {
      const { id } = await call('resource_create', {
        package_id: 'storm',
        url: `https://example.org/${n}`,
        name: `${n}`,
      });
      links.set(id, `https://example.org/${n}`);
      if (n % 20 === 19) await call('package_update', { name: 'storm', id: 'storm', resources: await kept() });
    }),
  () =>
    writer(async (n) => {
      await call('datastore_upsert', { resource_id: table, method: 'upsert', force: true, records: [{ n }] });
      rows.add(n);
    }),
  () =>
    writer(async (n) => {
      const query = `mutation { createDataset(input: { name: "graph-${n}", idempotencyKey: "storm-${n}" }) { dataset { name } errors { code message } } }`;
      for (;;) {
        try {
          const { dataset, errors } = (await graph(query)).createDataset;
          if (dataset) break; // the same key returns the same dataset if the first response was lost
          throw new Refused(JSON.stringify(errors));
        } catch (failure) {
          if (isOver) return;
          note(failure);
          await sleep(100);
        }
      }
      graphs.add(`graph-${n}`);
    }),
  () =>
    writer(async (n) => {
      const dataset = `files-${n}`;
      await call('package_create', { name: dataset });
      const content = `content of ${n} `.repeat(1_000);
      const { id } = await upload(dataset, `file-${n}.bin`, content);
      files.set(id, { dataset, content });
    }),
  () =>
    writer(async (n) => {
      const dataset = `tables-${n}`;
      await call('package_create', { name: dataset });
      const size = 200 + n;
      const lines = Array.from({ length: size }, (_none, line) => `${line},name ${line}`);
      const { id } = await upload(dataset, `table-${n}.csv`, `number,name\n${lines.join('\n')}\n`);
      loads.set(id, size);
      await sleep(1_000); // so that the job queue keeps up
    }),
  () =>
    writer(async (n) => {
      const name = `deleted-${n}`;
      await call('package_create', { name });
      await call('package_delete', { id: name });
      deleted.add(name);
    }),
];

/** The resources of the dataset with links, reduced to the last 10 links, so that resources are deleted too. */
async function kept(): Promise<object[]> {
  const { resources } = await call('package_show', { id: 'storm' });
  const gone = resources.filter((it: { url: string }) => it.url.includes('example.org')).slice(0, -10);
  for (const { id } of gone) links.delete(id);
  return resources.filter((it: { id: string }) => !gone.some(({ id }: { id: string }) => id === it.id));
}

interface Change {
  cursor: string;
  sequence: number;
  name: string | null;
  objectId: string;
  operation: string;
}

async function pageAfter(after: string | null): Promise<{ changes: Change[]; next: string; hasMore: boolean }> {
  const query = after === null ? '' : `&after=${encodeURIComponent(after)}`;
  const response = await fetch(`${base}/changes?limit=1000${query}`, { headers: { authorization: key } });
  const text = await response.text();
  if (response.status !== 200) throw new Refused(`/changes ${response.status} ${text}`);
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const { next, hasMore } = lines.pop();
  return { changes: lines, next, hasMore };
}

/** Reads the feed during the storm, then to its end. */
async function reader(): Promise<Change[]> {
  const found: Change[] = [];
  let after: string | null = null;
  for (;;) {
    const wasOver = isOver;
    try {
      const page = await pageAfter(after);
      found.push(...page.changes);
      after = page.next;
      if (wasOver && !page.hasMore && page.changes.length === 0) return found;
    } catch (failure) {
      note(failure);
    }
    await sleep(100);
  }
}

const isReady = () =>
  fetch(`${base}/readyz`, { signal: AbortSignal.timeout(5_000) }).then(
    ({ status }) => status === 200,
    () => false,
  );

const kills: Record<string, () => Promise<void>> = {
  async app() {
    const { process: child } = server;
    expected.add(child.pid!);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    await start();
  },
  async postmaster() {
    signal([postmasterOf(dataDir)], 'SIGKILL');
  },
  async backend() {
    const backends = backendsOf(dataDir);
    signal([backends[Math.floor(Math.random() * backends.length)]!], 'SIGKILL');
  },
  async terminate() {
    const admin = new pg.Client({ connectionString: adminUrl() });
    admin.on('error', () => {});
    await admin.connect();
    await admin.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename <> 'postgres' AND random() < 0.7`,
    );
    await admin.end();
  },
};

/** Connection URL of PostgreSQL's administrator. */
const adminUrl = () =>
  `postgresql://postgres@localhost:5432/postgres?host=${encodeURIComponent(join(dataDir, 'postgres'))}&sslmode=disable`;

function check(...words: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(projectRoot, 'scripts/catalog.mjs'), ...words], {
    cwd: projectRoot,
    encoding: 'utf8',
    env: { ...process.env, ...env, CATALOG__LOG_LEVEL: 'warn' },
  });
  return `${words.join(' ')}: ${status} ${stdout.trim()} ${status === 0 ? '' : stderr.trim()}`;
}

/** Jobs of a resource, for failure messages. */
const jobsOf = async (id: string) => {
  const subject = JSON.stringify(toGlobalId('Resource', id));
  return JSON.stringify(
    await graph(`{ jobs(where: { subject: ${subject} }, first: 5) { nodes { kind state attempts error runAt } } }`),
  );
};

/** Runs `look` on all items, several at a time. */
async function each<Item>(items: Iterable<Item>, look: (item: Item) => Promise<unknown>): Promise<void> {
  const left = [...items][Symbol.iterator]();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const item of left) await look(item);
    }),
  );
}

it(
  'loses no acknowledged write',
  async () => {
    const work = writers.map((one) => one());
    const reading = reader();
    const database = ['terminate', 'backend', 'terminate', 'backend', 'postmaster'];
    for (let n = 0; n < 2 * KILLS; n += 1) {
      await sleep(CALM);
      const kind = n % 2 === 0 ? 'app' : database[((n - 1) / 2) % database.length]!;
      counts.kills[kind] = (counts.kills[kind] ?? 0) + 1;
      await kills[kind]!();
      await until(isReady);
    }
    isOver = true;
    await Promise.all(work);
    const seen = await reading;

    expect(deaths).toEqual([]);
    expect(odd).toEqual([]);
    console.log(JSON.stringify(counts));
    const lost: string[] = [];
    const show = (id: string) =>
      call('package_show', { id }).catch((failure: Error) => void lost.push(failure.message));
    await each(created, async ([name, { patched, tried }]) => {
      const found = await show(name);
      if (found && ![patched, ...tried].includes(found.title ?? ''))
        lost.push(`${name} is ${found.title}, not ${patched}`);
    });
    await each(graphs, show);
    await each(deleted, async (name) => {
      const found = await show(name);
      if (found && found.state !== 'deleted') lost.push(`${name} is ${found.state}`);
    });
    await each(links, async ([id, url]) => {
      if ((await call('resource_show', { id }).catch(() => null))?.url !== url) lost.push(`link ${id} ${url}`);
    });
    await each(files, async ([id, { dataset, content }]) => {
      const answered = await fetch(`${base}/dataset/${dataset}/resource/${id}/download/file`, { headers: headers() });
      if ((await answered.text()) !== content) lost.push(`file ${id}: ${answered.status}`);
    });
    await each(loads, async ([id, size]) => {
      const loaded = () => call('datastore_search', { resource_id: id, limit: 0 }).catch(() => null);
      const total = await until(async () => {
        const found = await loaded();
        return found?.total === size;
      }, loaded).catch((failure: Error) => failure.message);
      if (total !== true) lost.push(`table ${id}: ${total} ${await jobsOf(id)}`);
    });
    const all = await call('datastore_search', { resource_id: table, limit: 32_000 });
    const there = new Set(all.records.map((row: { n: number }) => row.n));
    for (const n of rows) if (!there.has(n)) lost.push(`row ${n}`);
    expect(lost).toEqual([]);

    const again: Change[] = [];
    for (let after: string | null = null, hasMore = true; hasMore; ) {
      const page = await pageAfter(after);
      again.push(...page.changes);
      ({ hasMore } = page);
      after = page.next;
    }
    // A second reading of the log equals the reading during the storm.
    const cursors = seen.map(({ cursor }) => cursor);
    expect(new Set(cursors).size).toBe(cursors.length);
    expect(again.slice(0, cursors.length).map(({ cursor }) => cursor)).toEqual(cursors);
    const told = new Set(again.map(({ name }) => name));
    expect([...created.keys(), ...graphs].filter((name) => !told.has(name))).toEqual([]);

    const checks = ['documents', 'files', 'datastore', 'search'].map((part) => check(part, 'check'));
    console.log(
      JSON.stringify({ ...counts, changes: again.length, rows: rows.size, files: files.size, loads: loads.size }),
    );
    console.log(checks.join('\n'));
    expect(checks.filter((said) => !/check: 0 /.test(said))).toEqual([]);
  },
  20 * 60_000,
);
