/** Processes with some of the roles, and several processes on one port. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { projectRoot } from '../../src/kernel/root.ts';
import { createDatabase, createDatastore, type TestDatabase } from '../helpers/database.ts';
import { childrenOf } from '../helpers/processes.ts';
import { startServer, type TestServer } from '../helpers/server.ts';
import { until } from '../helpers/until.ts';

let database: TestDatabase;
let datastore: Awaited<ReturnType<typeof createDatastore>>;
let env: Record<string, string>;
const started: ChildProcess[] = [];
const servers: TestServer[] = [];

beforeAll(async () => {
  [database, datastore] = await Promise.all([createDatabase(), createDatastore()]);
  env = {
    CATALOG__DATABASE_URL: database.url,
    CATALOG__DATASTORE__WRITE_URL: datastore.writeUrl,
    CATALOG__DATASTORE__READ_URL: datastore.readUrl,
    CATALOG__DATA_DIR: mkdtempSync(join(tmpdir(), 'catalog-roles-')),
  };
}, 120_000);
afterAll(async () => {
  for (const child of started) child.kill('SIGKILL');
  await Promise.all(servers.map((server) => server.stop('SIGKILL')));
  await Promise.all([database?.end(), datastore?.end()]);
  if (env) rmSync(env.CATALOG__DATA_DIR!, { recursive: true, force: true });
});

/** Starts a process without the role `web`, and waits until it reports its work. */
async function startWith(roles: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [join(projectRoot, 'scripts/catalog.mjs'), 'serve'], {
    cwd: projectRoot,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, CATALOG__LOG_LEVEL: 'warn', ...env, CATALOG__ROLES: roles },
  });
  started.push(child);
  let said = '';
  child.stdout.on('data', (text) => (said += text));
  await until(() => said.includes(`Doing the work of ${roles}`));
  return child;
}

describe('roles', () => {
  it('decide which work a process does', async () => {
    const web = await startServer({ ...env, CATALOG__ROLES: 'web' });
    servers.push(web);
    const isReady = async () => (await fetch(`${web.base}/readyz`)).status === 200;
    expect(await isReady()).toBe(true);
    const { id } = await web.call('package_create', {
      name: 'land',
      title: 'Land',
      resources: [{ name: 'r', url: 'r.csv' }],
    });
    const resource = (await web.call('package_show', { id })).resources[0].id;
    const form = new FormData();
    form.set('id', resource);
    form.set('upload', new Blob(['a,b\n1,2\n']), 'a.csv');
    const sent = await fetch(`${web.base}/api/3/action/resource_update`, {
      method: 'POST',
      headers: { authorization: web.key },
      body: form,
    });
    expect([sent.status, await sent.text()]).toEqual([200, expect.stringContaining('"success":true')]);
    const state = async () => {
      const { datastore_active: table } = await web.call('resource_show', { id: resource });
      const { dataset } = await web.graph('{ dataset(name: "land") { quality { points } } }');
      return { table, scored: dataset.quality !== null };
    };
    await startWith('harvest');
    await startWith('webhooks');
    await sleep(7_000); // longer than the intervals of both kinds of work
    expect(await state()).toEqual({ table: false, scored: false });
    const jobs = await startWith('jobs');
    await until(async () => {
      const { table, scored } = await state();
      return table && scored;
    });
    jobs.kill('SIGTERM');
    await until(() => jobs.exitCode !== null);
    expect(jobs.exitCode).toBe(0);
    expect(await isReady()).toBe(true);
  });
});

describe('--workers', () => {
  it('share one port, are replaced when they end, and stop together', async () => {
    const server = await startServer(env, { key: servers[0]?.key ?? 'none', args: ['--workers', '3'] });
    servers.push(server);
    const parent = server.process.pid!;
    await until(() => childrenOf(parent).length === 3);
    /** Whether all own processes answer requests. Ignores other servers on this database. */
    const areReady = async () => {
      const { site } = await server.graph('{ site { operations { processes { pid isAlive } } } }');
      const alive = site.operations.processes.filter(({ isAlive }: any) => isAlive).map(({ pid }: any) => pid);
      const own = childrenOf(parent);
      return own.length === 3 && own.every((pid) => alive.includes(pid));
    };
    await until(areReady);
    const [first, second] = childrenOf(parent);
    process.kill(second!, 'SIGSTOP'); // it receives a connection, and is killed before accepting it
    let answered = 0;
    const answers = Array.from({ length: 200 }, () =>
      fetch(`${server.base}/api/3/action/status_show`, { headers: { connection: 'close' } })
        .then(({ status }) => status)
        .catch(({ message }: Error) => message)
        .finally(() => (answered += 1)),
    );
    await until(() => answered === 199);
    process.kill(second!, 'SIGKILL');
    expect((await Promise.all(answers)).filter((status) => status !== 200)).toEqual([]);
    await until(() => childrenOf(parent).length === 3 && !childrenOf(parent).includes(second!));
    await until(areReady); // otherwise no process would listen
    process.kill(first!, 'SIGKILL'); // the process with all roles
    await until(() => childrenOf(parent).length === 3 && !childrenOf(parent).includes(first!));
    await server.call('package_create', { name: 'later', title: 'Later' });
    await until(async () => {
      const { dataset } = await server.graph('{ dataset(name: "later") { quality { points } } }');
      return dataset.quality !== null;
    });
    await server.stop('SIGTERM');
    expect(server.process.exitCode).toBe(0);
    expect(childrenOf(parent)).toEqual([]);
  });

  it.each([
    [['--workers', '0'], {}, '--workers must be a whole number from 1 to 64 (got "0")'],
    [['--workers', '65'], {}, '--workers must be a whole number from 1 to 64 (got "65")'],
    [['--workers', 'two'], {}, '--workers must be a whole number from 1 to 64 (got "two")'],
    [['--worker', '2'], {}, 'unknown option --worker. Did you mean --workers?'],
    [['--workers', '2'], { CATALOG__ROLES: 'jobs' }, 'catalog.roles must include web'],
    [[], { CATALOG__ROLES: 'jobs, mail' }, 'must be a list of some of web, jobs, harvest, webhooks'],
  ])('refuses %j with %j', (args, more, message) => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(projectRoot, 'scripts/catalog.mjs'), 'serve', ...args],
      { cwd: projectRoot, env: { ...process.env, ...env, ...more }, encoding: 'utf8' },
    );
    expect(stderr).toContain(message);
    expect(status).not.toBe(0);
  });
});
