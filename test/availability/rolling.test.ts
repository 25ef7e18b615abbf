/**
 * A rolling upgrade: the program of the last release runs beside this one on the migrated schema, and restarts there (docs/upgrade.md). No
 * request fails. Also applies a migration with everything that a migration may add.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { migrate } from '../../src/migrate/migrate.ts';
import { runCommand } from '../helpers/command.ts';
import { createDatastore, createEmptyDatabase, type TestDatabase, type TestDatastore } from '../helpers/database.ts';
import { type Answer, ask, type Endpoint, endpointsOf, makeScenery } from '../helpers/endpoints.ts';
import { olderCommit, olderProgram } from '../helpers/older.ts';
import { startServer, type TestServer } from '../helpers/server.ts';
import { until } from '../helpers/until.ts';

const LATER = '9999_later';
const EXPANDS = `
  CREATE TABLE later (id text PRIMARY KEY REFERENCES dataset (id) ON DELETE CASCADE, note text NOT NULL);
  ALTER TABLE dataset ADD later_note text, ADD later_flag boolean NOT NULL DEFAULT false;
  ALTER TABLE resource ADD later_note text, ADD later_count integer NOT NULL DEFAULT 0;
  ALTER TABLE dataset_document ADD later_note text;
  ALTER TABLE dataset_search ADD later_note text;
  ALTER TABLE change ADD later_note text;
  ALTER TABLE job ADD later_note text;
  ALTER TABLE user_account ADD later_note text;
  CREATE INDEX later_dataset ON dataset (later_note);
  CREATE FUNCTION note_later() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO later SELECT id, 'noted' FROM written ON CONFLICT DO NOTHING;
    RETURN NULL;
  END $$;
  CREATE TRIGGER note_later AFTER INSERT ON dataset
    REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION note_later();`;
/** Part of the file addresses in documents, so all programs must use the same. */
const SITE = 'http://catalog.test';
/** Requests in progress at once. */
const LOOPS = 3;

let folder: string;
let database: TestDatabase;
let datastore: TestDatastore;
let env: Record<string, string>;
const servers: TestServer[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'catalog-rolling-'));
  [database, datastore] = await Promise.all([createEmptyDatabase(), createDatastore()]);
  env = {
    CATALOG__DATABASE_URL: database.url,
    CATALOG__DATASTORE__WRITE_URL: datastore.writeUrl,
    CATALOG__DATASTORE__READ_URL: datastore.readUrl,
    CATALOG__DATA_DIR: join(folder, 'data'),
    CATALOG__SITE_URL: SITE,
  };
}, 60_000);
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop('SIGKILL')));
  await Promise.all([database?.end(), datastore?.end()]);
  rmSync(folder, { recursive: true, force: true });
});

async function start(options: Parameters<typeof startServer>[1]): Promise<TestServer> {
  const server = await startServer(env, options);
  servers.push(server);
  return server;
}

/** Sends requests of all kinds in turns to the servers in `targets`, which may change, until it is stopped. */
function startLoad(endpoints: readonly Endpoint[], key: string, targets: Map<string, string>) {
  const failures: (Answer & { server: string })[] = [];
  const sent: Record<string, number> = {};
  const created: string[] = [];
  let turn = 0;
  let isStopped = false;
  const create = (name: string): Endpoint => ({
    ...{ name: 'action, creation', path: '/api/3/action/package_create', says: /./ },
    init: { method: 'POST', headers: { authorization: key }, body: JSON.stringify({ name, title: name }) },
  });
  async function loop(): Promise<void> {
    while (!isStopped) {
      turn += 1;
      const all = [...targets];
      const [server, base] = all[turn % all.length]!;
      const name = `made-${turn}`;
      const isCreation = turn % 5 < 2; // alternates independently of the server
      const answer = await ask(base, isCreation ? create(name) : endpoints[Math.floor(turn / 2) % endpoints.length]!);
      sent[server] = (sent[server] ?? 0) + 1;
      if (isCreation && answer.status === 200) created.push(name);
      const isGood = answer.status > 0 && answer.status < 500 && !/"code":"(INTERNAL|UNAVAILABLE)"/.test(answer.text);
      if (!isGood || (isCreation && answer.status !== 200)) failures.push({ ...answer, server });
    }
  }
  const loops = Array.from({ length: LOOPS }, loop);
  return {
    failures,
    sent,
    created,
    /** Waits until each server has received this many more requests. */
    more: async (count: number) => {
      const before = { ...sent };
      const names = [...targets.keys()];
      await until(
        () => names.every((name) => (sent[name] ?? 0) >= (before[name] ?? 0) + count),
        () => sent,
        400,
      );
    },
    stop: async () => {
      isStopped = true;
      await Promise.all(loops);
    },
  };
}

it('fails no request while the older program runs and restarts on the newer schema', async () => {
  const program = olderProgram(olderCommit());
  let older = await start({ folder: program });
  const { key } = older;
  const endpoints = endpointsOf(await makeScenery(older.base, key, older.call));
  const targets = new Map([['older', older.base]]);
  const load = startLoad(endpoints, key, targets);
  const each = endpoints.length;
  try {
    await load.more(each);

    const migrations = join(folder, 'migrations');
    cpSync('prisma/migrations', migrations, { recursive: true });
    mkdirSync(join(migrations, LATER));
    writeFileSync(join(migrations, LATER, 'migration.sql'), EXPANDS);
    expect(await migrate(database.url, migrations)).toContain(LATER);
    await load.more(each);

    const newer = await start({ key });
    targets.set('newer', newer.base);
    await load.more(each);

    targets.delete('older'); // as a load balancer does, while requests in progress are still answered
    await older.stop();
    older = await start({ folder: program, key });
    targets.set('older', older.base);
    await load.more(each);
    await load.stop();

    expect(load.failures.map(({ server, name, status, text }) => [server, name, status, text.slice(0, 300)])).toEqual(
      [],
    );
    for (const server of [older, newer]) {
      expect((await fetch(`${server.base}/readyz`)).status).toBe(200);
      const names = await server.call('package_list', {});
      expect(load.created.filter((name) => !names.includes(name))).toEqual([]);
    }
    expect(await workOf(older, newer)).toBe('done');
  } finally {
    await load.stop();
  }
  await Promise.all(servers.map((server) => server.stop())); // the checks need a stable state, without writes of jobs
  const settings = {
    'catalog.database_url': database.url,
    'catalog.datastore.write_url': datastore.writeUrl,
    'catalog.datastore.read_url': datastore.readUrl,
    'catalog.data_dir': env.CATALOG__DATA_DIR!,
    'catalog.site_url': SITE,
  };
  for (const check of ['documents', 'search', 'datastore']) {
    const { code, out, err } = await runCommand(settings, check, 'check');
    expect([check, code, code === 0 ? '' : out + err]).toEqual([check, 0, '']);
  }
  console.log(`${load.sent.older} requests to the older program and ${load.sent.newer} to this one, none failed`);
}, 900_000);

/** Checks that files uploaded to either program become tables, no matter which program loads them. */
async function workOf(...all: TestServer[]): Promise<'done'> {
  const ids = await Promise.all(
    all.map(async ({ base, key }, index) => {
      const form = new FormData();
      form.set('package_id', 'rivers');
      form.set('name', `table ${index}`);
      form.set('upload', new Blob(['a,b\n1,2\n']), 'a.csv');
      const init = { method: 'POST', body: form, headers: { authorization: key } };
      const sent = await fetch(`${base}/api/3/action/resource_create`, init);
      return ((await sent.json()) as any).result.id as string;
    }),
  );
  await until(async () => {
    const found = await Promise.all(ids.map((id, index) => all.at(-1 - index)!.call('resource_show', { id })));
    return found.every(({ datastore_active }) => datastore_active);
  });
  return 'done';
}
