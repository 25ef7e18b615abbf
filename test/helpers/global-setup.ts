/** Runs before all tests: starts PostgreSQL (or uses TEST_DATABASE_URL as an administrator) and creates a migrated template database. */
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type Embedded, startEmbedded } from '../../src/embedded/embedded.ts';
import { createCatalog, createRoles } from '../../src/embedded/provision.ts';
import { migrate } from '../../src/migrate/migrate.ts';
import { ADMIN_URL, addressOf, PASSWORD, TEMPLATE } from './database.ts';

/** Handle for the teardown. */
export interface TestServer {
  readonly stop: () => Promise<void>;
}

const PREFIX = 'catalog-test-';
const REMOVE = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 };

export default async function setup(): Promise<void> {
  const server = await startServer();
  const admin = new pg.Client({ connectionString: process.env[ADMIN_URL] });
  admin.on('error', (lost) => console.error(`The PostgreSQL of the tests has ended: ${lost.message}`));
  await admin.connect();
  const template = `catalog_template_${process.pid}`;
  await createRoles(admin);
  for (const role of ['catalog_owner', 'datastore_write', 'datastore_read'])
    await admin.query(`ALTER ROLE ${role} PASSWORD '${PASSWORD}'`);
  await createCatalog(admin, template);
  await migrate(addressOf(template, 'catalog_owner'));
  process.env[TEMPLATE] = template;
  (globalThis as { testServer?: TestServer }).testServer = {
    async stop() {
      const { rows } = await admin.query('SELECT datname FROM pg_database WHERE starts_with(datname, $1)', [template]);
      for (const { datname } of rows) await admin.query(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`);
      await admin.end();
      await server.stop();
    },
  };
}

async function startServer(): Promise<TestServer> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) {
    process.env[ADMIN_URL] = given;
    return { stop: async () => {} };
  }
  await sweep();
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  chmodSync(folder, 0o711); // run by root, PostgreSQL runs as another user, who needs access to the folder
  const embedded = await startEmbedded({ dataDir: folder, durable: false, maxConnections: 200 });
  process.env[ADMIN_URL] = embedded.adminUrl;
  return { stop: () => remove(embedded, folder) };
}

async function remove(embedded: Embedded, folder: string): Promise<void> {
  await embedded.stop();
  rmSync(folder, REMOVE);
}

/** Stops and removes servers of killed runs, and the data folders of their workers. */
async function sweep(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const [, kind, pid] = /^catalog-(test-|tests-)(\d+)/.exec(name) ?? [];
    if (!pid || isAlive(Number(pid))) continue;
    const folder = join(tmpdir(), name);
    try {
      if (kind === 'test-') await (await startEmbedded({ dataDir: folder, durable: false })).stop();
      rmSync(folder, REMOVE);
    } catch {
      // owned by another user
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}
