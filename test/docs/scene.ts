/** A running catalog with an old portal, and a folder like a checkout for the commands of pages. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { projectRoot } from '../../src/kernel/root.ts';
import { createDatabase, createDatastore } from '../helpers/database.ts';
import { freePort } from '../helpers/port.ts';
import { installPython } from '../helpers/python.ts';
import { startServer } from '../helpers/server.ts';
import { createWorld } from '../helpers/world.ts';

export type Scene = Awaited<ReturnType<typeof createScene>>;

/** A command that does not end, with the output that shows its success. Datasets change while it runs. */
export interface Stream {
  readonly until: RegExp;
}

export async function createScene() {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-pages-'));
  const file = (name: string) => join(folder, name);
  for (const name of ['package.json', 'package-lock.json', 'node_modules', 'scripts'])
    symlinkSync(join(projectRoot, name), file(name));
  mkdirSync(file('bin'));
  writeFileSync(file('bin/catalog'), `#!/bin/sh\nexec node scripts/catalog.mjs "$@"\n`, { mode: 0o755 });
  writeFileSync(file('.curlrc'), 'fail\nsilent\nshow-error\n');
  const [database, tables, port, oldPort, python] = await Promise.all([
    createDatabase(),
    createDatastore(),
    freePort(),
    freePort(),
    installPython('ckanapi', '4.11'),
  ]);
  const settings = {
    CATALOG_HOME: folder,
    DATABASE_URL: database.url,
    CATALOG__DATASTORE__WRITE_URL: tables.writeUrl,
    CATALOG__DATASTORE__READ_URL: tables.readUrl,
    CATALOG__PORT: String(port),
    CATALOG__SITE_URL: `http://localhost:${port}`,
    CATALOG__HARVEST__PRIVATE_ADDRESSES: 'true',
    CATALOG__USAGE__ENABLED: 'true',
  };
  const server = await startServer(settings);
  const oldUrl = `http://127.0.0.1:${oldPort}`;
  const old = await createWorld({ 'catalog.port': oldPort, 'catalog.site_url': oldUrl });
  const admin = await old.make.sysadmin();
  const as = { as: admin };
  await old.result('organization_create', { name: 'lake-office', title: 'Lake office' }, as);
  await old.result('package_create', { name: 'lakes', title: 'Lakes', owner_org: 'lake-office' }, as);
  const env: NodeJS.ProcessEnv = {
    ...python,
    ...settings,
    PATH: `${file('bin')}${delimiter}${python.PATH}`,
    CURL_HOME: folder,
    CATALOG__LOG_LEVEL: 'warn',
    KEY: server.key,
  };
  const endings: (() => Promise<unknown>)[] = [() => old.end(), database.end, tables.end];
  return {
    folder,
    file,
    /** Values for later blocks of a page. */
    made: {} as Record<string, string>,
    /** Data of the last operation. */
    answer: undefined as any,
    atEnd: (end: () => Promise<unknown>) => void endings.push(end),
    /** Settings of an empty catalog. */
    async emptyPlace(): Promise<NodeJS.ProcessEnv> {
      const [catalog, datastore] = await Promise.all([createDatabase(), createDatastore()]);
      endings.push(catalog.end, datastore.end);
      mkdirSync(file('empty'));
      return {
        CATALOG_HOME: file('empty'),
        DATABASE_URL: catalog.url,
        CATALOG__DATASTORE__WRITE_URL: datastore.writeUrl,
        CATALOG__DATASTORE__READ_URL: datastore.readUrl,
      };
    },
    server,
    old,
    /** API key of the old portal's administrator. */
    oldKey: admin.key,
    base: `http://localhost:${port}`,
    oldUrl,
    /** The newest backup. */
    archive: () =>
      readdirSync(file('backups'))
        .filter((name) => name.endsWith('.tar'))
        .sort()
        .at(-1)!,

    /** Runs commands in a shell that stops at the first failure. @throws Error with their output */
    shell(text: string, more: NodeJS.ProcessEnv = {}, stream?: Stream): Promise<string> {
      const child = spawn('bash', ['-euo', 'pipefail', '-c', text], {
        cwd: folder,
        env: { ...env, ...more },
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let [printed, failure, ended] = ['', '', false];
      const end = () => {
        if (!ended && stream?.until.test(printed)) {
          ended = true;
          process.kill(-child.pid!, 'SIGTERM');
        }
      };
      child.stdout.on('data', (data) => {
        printed += data;
        end();
      });
      child.stderr.on('data', (data) => {
        failure += data;
      });
      const change = () => server.call('package_patch', { id: 'rivers', version: randomUUID() }).catch(() => {});
      const changes = stream && setInterval(change, 500);
      return new Promise((resolve, reject) => {
        const limit = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), 150_000);
        child.once('error', reject);
        child.once('close', (code) => {
          clearTimeout(limit);
          clearInterval(changes);
          if (code === 0 || ended) resolve(printed);
          else reject(new Error(`${text}\nended with ${code}\n${printed.slice(-2_000)}${failure.slice(-4_000)}`));
        });
      });
    },

    async end() {
      await server.stop();
      await Promise.all(endings.map((end) => end()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
