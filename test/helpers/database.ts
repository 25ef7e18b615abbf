/** Separate databases for tests, on the server that global-setup starts. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { COUNTS } from '../../src/datastore/tables/counts.sql.ts';
import { createCatalog, createDatastore as provisionDatastore } from '../../src/embedded/provision.ts';

/** Environment variables by which global-setup passes its server and template to the workers. */
export const ADMIN_URL = 'CATALOG_TEST_ADMIN_URL';
export const TEMPLATE = 'CATALOG_TEST_TEMPLATE';
/** Password of the catalog's roles on a test server. Needed if TEST_DATABASE_URL leads over a network. */
export const PASSWORD = 'test';

/** A migrated, empty catalog database. */
export interface TestDatabase {
  /** URL for the role catalog_owner. */
  readonly url: string;
  /** Drops the database and cuts open connections. */
  end(): Promise<void>;
}

/** An empty DataStore database with the privileges of a real one. */
export interface TestDatastore {
  readonly writeUrl: string;
  readonly readUrl: string;
  end(): Promise<void>;
}

/** Copies the migrated template, or another one. */
export async function createDatabase(template = process.env[TEMPLATE]): Promise<TestDatabase> {
  const name = newName('catalog');
  await asAdmin((admin) => createCatalog(admin, name, template));
  return { url: addressOf(name, 'catalog_owner'), end: () => drop(name) };
}

/** Returns the name of a template, which it fills once per run. One process at a time may call it. The teardown drops the template. */
export async function provideTemplate(kind: string, fill: (name: string) => Promise<void>): Promise<string> {
  const name = `${process.env[TEMPLATE]}_${kind}`;
  await asAdmin(async (admin) => {
    if ((await admin.query('SELECT FROM pg_database WHERE datname = $1', [name])).rowCount) return;
    const draft = newName('draft');
    await createCatalog(admin, draft, process.env[TEMPLATE]);
    await fill(draft);
    await admin.query(`ALTER DATABASE ${draft} RENAME TO ${name}`);
  });
  return name;
}

/** An empty database without any table, owned by catalog_owner: for tests of migrations. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const name = newName('empty');
  await asAdmin((admin) => createCatalog(admin, name));
  return { url: addressOf(name, 'catalog_owner'), end: () => drop(name) };
}

export async function createDatastore(): Promise<TestDatastore> {
  const { create, ...datastore } = plannedDatastore();
  await create();
  return datastore;
}

/** The URLs of a DataStore database that `create` makes later, since most tests need none. */
export function plannedDatastore(): TestDatastore & { create(): Promise<void>; dropTables(): Promise<void> } {
  const name = newName('datastore');
  const inDatabase = (database: string) => new pg.Client({ connectionString: addressOf(database) });
  let made = false;
  return {
    writeUrl: addressOf(name, 'datastore_write'),
    readUrl: addressOf(name, 'datastore_read'),
    async create() {
      made = true;
      await asAdmin((admin) => provisionDatastore(admin, name, inDatabase));
    },
    async dropTables() {
      const client = new pg.Client({ connectionString: addressOf(name, 'datastore_write') });
      await client.connect();
      const { rows } = await client.query<{ name: string }>(
        `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> '${COUNTS}'`,
      );
      for (const table of rows) await client.query(`DROP TABLE IF EXISTS ${table.name} CASCADE`);
      if (rows.length > 0) await client.query(`DELETE FROM ${COUNTS}`);
      await client.end();
    },
    end: async () => {
      if (made) await drop(name);
    },
  };
}

/** The address of a database on the test server, as the administrator or as one of the catalog's roles. */
export function addressOf(database: string, role?: 'catalog_owner' | 'datastore_write' | 'datastore_read'): string {
  const url = new URL(process.env[ADMIN_URL] as string);
  url.pathname = `/${database}`;
  if (role) Object.assign(url, { username: role, password: PASSWORD });
  return url.href;
}

const newName = (kind: string): string => `test_${kind}_${randomUUID().replaceAll('-', '').slice(0, 12)}`;

const drop = (name: string): Promise<void> =>
  asAdmin(async (admin) => {
    await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  });

async function asAdmin<T>(work: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client({ connectionString: process.env[ADMIN_URL] });
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}
