/**
 * Backs up while clients write and the server is killed. The backup has every acknowledged write before its point, and no partial write.
 * Small by default. BACKUP_RATE (writes per second) and BACKUP_SECONDS make it large.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { commands } from '../../src/cli/commands.ts';
import { startEmbedded } from '../../src/embedded/embedded.ts';
import { loadSettings } from '../../src/kernel/config.ts';
import { projectRoot } from '../../src/kernel/root.ts';
import { query, restoreFrom } from '../helpers/backups.ts';
import { createDatastore, createEmptyDatabase } from '../helpers/database.ts';
import { startServer, type TestServer } from '../helpers/server.ts';
import { until } from '../helpers/until.ts';

const RATE = Number(process.env.BACKUP_RATE ?? 40);
const SECONDS = Number(process.env.BACKUP_SECONDS ?? 4);
const WRITERS = 12;

let folder: string;
let server: TestServer;
let restored: TestServer | undefined;
const ends: (() => Promise<unknown>)[] = [];

/** An acknowledged write. */
interface Done {
  readonly kind: 'dataset' | 'file' | 'row' | 'table' | 'user' | 'change';
  readonly n: number;
  readonly id: string;
  readonly at: number;
}
const done: Done[] = [];
let failed = 0;
let over = false;
let key: string;
const tables: string[] = [];

function catalog(env: Record<string, string>, ...words: string[]): Promise<string> {
  const child = spawn(process.execPath, [join(projectRoot, 'scripts/catalog.mjs'), ...words], {
    env: { ...process.env, CATALOG__LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
  return new Promise((resolve, reject) =>
    child.once('exit', (code) =>
      code === 0 ? resolve(said) : reject(new Error(`catalog ${words.join(' ')} ended with ${code}: ${said}`)),
    ),
  );
}

const home = (name: string): Record<string, string> => {
  const CATALOG_HOME = join(folder, name);
  mkdirSync(CATALOG_HOME);
  return { CATALOG_HOME, CATALOG__SITE_URL: 'http://catalog.test' };
};

async function send(action: string, params: object | FormData): Promise<any> {
  const isForm = params instanceof FormData;
  const answer = await fetch(`${server.base}/api/3/action/${action}`, {
    method: 'POST',
    headers: { authorization: key, ...(!isForm && { 'content-type': 'application/json' }) },
    body: isForm ? params : JSON.stringify(params),
  });
  const body: any = await answer.json();
  if (!body.success) throw new Error(`${action}: ${answer.status} ${JSON.stringify(body.error)}`);
  return body.result;
}

/** Makes one write of a kind. Returns the id of its object. */
async function write(kind: Done['kind'], n: number): Promise<string> {
  if (kind === 'dataset') {
    const tags = [{ name: `tag ${n % 7}` }];
    return (
      await send('package_create', {
        name: `made-${n}`,
        title: `Made ${n}`,
        tags,
        resources: [{ url: `http://x/${n}` }],
      })
    ).id;
  }
  if (kind === 'file') {
    const form = new FormData();
    form.append('package_id', 'files');
    form.append('url', '');
    form.append('upload', new Blob([`content ${n} `.repeat(1 + (n % 2_000))]), `${n}.txt`);
    return (await send('resource_create', form)).id;
  }
  if (kind === 'row') {
    const resource_id = tables[n % tables.length]!;
    await send('datastore_upsert', { resource_id, records: [{ n }], method: 'insert', force: true });
    return resource_id;
  }
  if (kind === 'table') {
    const resource = { package_id: 'tables', name: `table ${n}` };
    return (await send('datastore_create', { resource, records: [{ n }], aliases: [`alias-${n}`] })).resource_id;
  }
  if (kind === 'user')
    return (await send('user_create', { name: `user-${n}`, email: `${n}@example.org`, password: 'long enough 1' })).id;
  await send('package_patch', { id: 'changed', notes: `Notes ${n}`, tags: [{ name: `changed ${n}` }] });
  return 'changed';
}

const KINDS: Done['kind'][] = ['dataset', 'row', 'file', 'row', 'change', 'table', 'row', 'user'];
let number = 0;

async function writer(): Promise<void> {
  const pause = (1000 * WRITERS) / RATE;
  while (!over) {
    const n = (number += 1);
    const kind = KINDS[n % KINDS.length]!;
    const start = Date.now();
    try {
      const id = await write(kind, n);
      done.push({ kind, n, id, at: Date.now() });
    } catch {
      failed += 1; // the server was killed
      await sleep(50);
    }
    await sleep(Math.max(0, pause - (Date.now() - start)));
  }
}

let source: Record<string, string>;
let archive: string;
let point: number;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'catalog-storm-'));
  source = home('source');
  server = await startServer(source);
  ({ key } = server);
  for (const name of ['files', 'tables', 'changed']) await send('package_create', { name });
  for (let n = 0; n < 4; n += 1)
    tables.push(
      (await send('datastore_create', { resource: { package_id: 'tables' }, fields: [{ id: 'n', type: 'int' }] }))
        .resource_id,
    );
  const writers = Array.from({ length: WRITERS }, writer);
  try {
    await sleep(SECONDS * 1000);
    const backups = join(folder, 'backups');
    const backup = catalog(source, 'backup', backups);
    await until(() => existsSync(backups) && readdirSync(backups).length > 0);
    await server.stop('SIGKILL');
    server = await startServer(source, { key });
    const said = await backup;
    await sleep((SECONDS * 1000) / 2);
    archive = /^(.*): point in time/m.exec(said)![1]!;
    point = Date.parse(/point in time (\S+),/.exec(said)![1]!);
    process.stderr.write(
      `${said}${done.length} writes acknowledged, ${done.filter(({ at }) => at < point).length} before the point, ${failed} failed\n`,
    );
  } finally {
    over = true;
    await Promise.all(writers);
  }
}, 600_000);
afterAll(async () => {
  await server?.stop();
  await restored?.stop();
  for (const end of ends) await end();
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Partial writes: tables whose rows differ from the change log or that only one database has, and datasets without a document or history.
 */
async function halves(place: Record<string, string>): Promise<string[]> {
  const embedded = place.DATABASE_URL ? null : await startEmbedded({ dataDir: join(place.CATALOG_HOME!, 'data') });
  const own = place.DATABASE_URL ?? embedded!.catalogUrl;
  const datastore = place.CATALOG__DATASTORE__WRITE_URL ?? embedded!.datastoreWriteUrl;
  try {
    const found: string[] = [];
    const log = await query<{ id: string; n: number; active: boolean }>(
      own,
      `SELECT r.id, r.datastore_active AS active, (SELECT coalesce(sum((detail->>'records')::int), 0)::int FROM change
        WHERE object_type = 'table' AND object_id = r.id) AS n FROM resource r WHERE url_type = 'datastore'`,
    );
    const existing = (
      await query(
        datastore,
        `SELECT relname AS id FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> '_row_counts'`,
      )
    ).map(({ id }) => id as string);
    expect(log.length).toBeGreaterThan(tables.length);
    for (const { id, n, active } of log) {
      if (!active || !existing.includes(id)) found.push(`table ${id} is missing`);
      else {
        const [row] = await query(datastore, `SELECT count(*)::int AS n FROM "${id}"`);
        if (row.n !== n) found.push(`table ${id} has ${row.n} rows, the log ${n}`);
      }
    }
    for (const id of existing) if (!log.some((row) => row.id === id)) found.push(`table ${id} has no resource`);
    const rows = await query(
      own,
      `SELECT id FROM dataset d WHERE NOT EXISTS (SELECT FROM dataset_document WHERE dataset_id = d.id)
      OR NOT EXISTS (SELECT FROM change WHERE object_id = d.id) OR NOT EXISTS (SELECT FROM dataset_history WHERE dataset_id = d.id)`,
    );
    return [...found, ...rows.map(({ id }) => `dataset ${id}`)];
  } finally {
    await embedded?.stop();
  }
}

const CHECKS = ['documents check', 'search check', 'files check', 'datastore check', 'statistics check'];

const places: [string, () => Promise<Record<string, string>>][] = [
  ['a new home with the embedded PostgreSQL', async () => home('embedded')],
  [
    'databases of another PostgreSQL',
    async () => {
      const [own, datastore] = await Promise.all([createEmptyDatabase(), createDatastore()]);
      ends.push(own.end, datastore.end);
      return {
        ...home('external'),
        DATABASE_URL: own.url,
        CATALOG__DATASTORE__WRITE_URL: datastore.writeUrl,
        CATALOG__DATASTORE__READ_URL: datastore.readUrl,
      };
    },
  ],
];

it.each(places)(
  'restores each acknowledged write, and no partial write, to %s',
  async (_place, make) => {
    const place = await make();
    const settings = loadSettings(place);
    expect(await restoreFrom(settings, archive)).toContain('All counts match.');
    const embedded = place.DATABASE_URL ? null : await startEmbedded({ dataDir: settings['catalog.data_dir'] });
    ends.push(async () => embedded?.stop()); // runs until the end, instead of starting for each check
    for (const check of CHECKS) {
      const { command } = await commands[check]!.load();
      await command([], { settings, log: pino({ level: 'silent' }) }); // throws its findings
    }
    restored = await startServer(place, { key });
    const call = (action: string, params: object) => restored!.call(action, params);
    const before = done.filter(({ at }) => at < point);
    expect(new Set(before.map(({ kind }) => kind))).toEqual(new Set(KINDS));
    const rows = new Map<string, Set<number>>();
    for (const id of [...tables, ...before.filter(({ kind }) => kind === 'table').map(({ id }) => id)]) {
      const found = await call('datastore_search', { resource_id: id, limit: 32_000 });
      rows.set(id, new Set(found.records.map((record: { n: string }) => Number(record.n))));
    }
    const lost: Done[] = [];
    for (const it of before) {
      if (it.kind === 'dataset') await call('package_show', { id: it.id }).catch(() => lost.push(it));
      if (it.kind === 'user') await call('user_show', { id: it.id }).catch(() => lost.push(it));
      if ((it.kind === 'row' || it.kind === 'table') && !rows.get(it.id)?.has(it.n)) lost.push(it);
      if (it.kind === 'file') {
        const { url } = await call('resource_show', { id: it.id });
        const content = await (await fetch(`${restored.base}${new URL(url).pathname}`)).text();
        if (content !== `content ${it.n} `.repeat(1 + (it.n % 2_000))) lost.push(it);
      }
    }
    const changed = Number(/\d+/.exec((await call('package_show', { id: 'changed' })).notes)?.[0]);
    expect(changed).toBeGreaterThanOrEqual(before.findLast(({ kind }) => kind === 'change')!.n - WRITERS);
    expect(lost).toEqual([]);
    expect(await halves(place)).toEqual([]);
    await restored.stop();
  },
  600_000,
);
