/** Migrates a catalog database to the newest schema, by plain SQL files in order of their names. */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { Client } from '../infra/postgres/client.ts';
import { projectRoot } from '../kernel/root.ts';
import { lockTables } from './locks.ts';
import { incompatible } from './newer.ts';

/** A failed migration. The message names the file and the reason. The whole file was rolled back. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

const MIGRATIONS = join(projectRoot, 'prisma/migrations');
const OLDEST_POSTGRESQL = 14;
/** Lock for one migrating process at a time. The others wait, then find nothing to apply. */
const LOCK = 72707369;
/** ms that a statement waits for a table that was not locked before. Below PostgreSQL's deadlock_timeout. */
const TABLE_WAIT = 500;
/** ms until the next attempt, in which requests pass. */
const PAUSE = 1_000;
/** For about an hour: longer than a backup, which reads all tables in one transaction. */
const ATTEMPTS = 2_400;
/** lock_not_available, query_canceled by a timeout, deadlock_detected. */
const BUSY = new Set(['55P03', '57014', '40P01']);

/** The table of Prisma's migration engine, so that both tools are interchangeable. */
const TABLE = `CREATE TABLE _prisma_migrations (
  id varchar(36) PRIMARY KEY, checksum varchar(64) NOT NULL, finished_at timestamptz,
  migration_name varchar(255) NOT NULL, logs text, rolled_back_at timestamptz,
  started_at timestamptz NOT NULL DEFAULT now(), applied_steps_count integer NOT NULL DEFAULT 0)`;

/**
 * Applies missing migrations, each file in its own transaction. Returns the names of the applied files.
 * @throws MigrationError when PostgreSQL is too old, an applied file was changed, a newer release has applied a migration that this program
 * does not work with, or a statement fails
 */
export async function migrate(url: string, folder = MIGRATIONS): Promise<string[]> {
  const client = new Client({ connectionString: url, application_name: 'catalog-gateway migrate' });
  await client.connect();
  try {
    await checkVersion(client);
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    const { missing } = await compare(client, readMigrations(folder));
    await client.query(`SET lock_timeout = ${TABLE_WAIT}`);
    for (const migration of missing) await apply(client, migration);
    return missing.map(({ name }) => name);
  } finally {
    await client.end(); // releases the lock
  }
}

/** A migration by the name and checksum that a database or backup has. */
export interface NamedMigration {
  readonly name: string;
  readonly checksum: string;
}

/** Those that this program does not have, or has with another text. */
export function unknownMigrations(applied: readonly NamedMigration[]): string[] {
  const known = new Map(readMigrations(MIGRATIONS).map(({ name, checksum }) => [name, checksum]));
  return applied.filter(({ name, checksum }) => known.get(name) !== checksum).map(({ name }) => name);
}

/** Names of all tables that a migration of this program makes, also of those that a later one drops. */
export const migratedTables = (): ReadonlySet<string> =>
  new Set(
    readMigrations(MIGRATIONS).flatMap(({ sql }) =>
      [...sql.matchAll(/\bCREATE (?:UNLOGGED )?TABLE (\w+)/g)].map(([, name]) => name!),
    ),
  );

/** Takes the lock of migrations until the end of the client's transaction. False if another process has it. */
export async function tryLockMigrations(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS mine', [LOCK]);
  return rows[0]!.mine;
}

/** Makes the schema of exactly these migrations, in the client's transaction: for a restore. @throws MigrationError */
export async function createSchema(client: pg.ClientBase, applied: readonly NamedMigration[]): Promise<void> {
  const names = new Set(applied.map(({ name }) => name));
  await client.query(TABLE);
  for (const migration of readMigrations(MIGRATIONS)) if (names.has(migration.name)) await applyOne(client, migration);
}

/** How a database differs from this program. */
export interface MigrationState {
  /** Names of migrations to apply. */
  readonly pending: readonly string[];
  /** Names of migrations that a newer release has applied. */
  readonly newer: readonly string[];
}

/** Applies nothing. @throws MigrationError as `migrate` */
export async function migrationState(url: string, folder = MIGRATIONS): Promise<MigrationState> {
  const client = new Client({ connectionString: url, application_name: 'catalog-gateway doctor' });
  await client.connect();
  try {
    await checkVersion(client);
    if (!(await hasTable(client))) return { pending: namesOf(folder), newer: [] };
    const { missing, newer } = await compare(client, readMigrations(folder));
    return { pending: missing.map(({ name }) => name), newer };
  } finally {
    await client.end();
  }
}

/** Name of the newest migration of this program. */
export const newestMigration = (): string => namesOf(MIGRATIONS).at(-1)!;

const namesOf = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, 'migration.sql')))
    .sort();

function readMigrations(folder: string): Migration[] {
  return namesOf(folder).map((name) => {
    const sql = readFileSync(join(folder, name, 'migration.sql'), 'utf8');
    return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
  });
}

async function checkVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
  const version = rows[0]?.server_version ?? '';
  if (Number.parseInt(version, 10) >= OLDEST_POSTGRESQL) return;
  throw new MigrationError(`PostgreSQL ${OLDEST_POSTGRESQL} or newer is required (${client.host} runs ${version}).`);
}

async function hasTable(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS found`,
  );
  return rows[0]!.found;
}

async function compare(client: pg.Client, migrations: Migration[]): Promise<{ missing: Migration[]; newer: string[] }> {
  if (!(await hasTable(client))) await client.query(TABLE);
  const { rows } = await client.query<{ migration_name: string; checksum: string }>(
    'SELECT migration_name, checksum FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
  );
  const applied = new Map(rows.map((row) => [row.migration_name, row.checksum]));
  const missing = migrations.filter(({ name, checksum }) => {
    const before = applied.get(name);
    if (before !== undefined && before !== checksum) {
      throw new MigrationError(
        `Migration ${name} was changed after it was applied. Restore the file, and put changes into a new migration.`,
      );
    }
    return !applied.delete(name);
  });
  const newer = [...applied.keys()];
  const unusable = incompatible(newer);
  if (unusable.length > 0) {
    throw new MigrationError(
      `The database is too new for this program. A newer version has applied ${unusable.join(', ')}. Use a newer version of the program.`,
    );
  }
  return { missing, newer };
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query('BEGIN');
      await lockTables(client, migration.sql, attempt);
      await applyOne(client, migration);
      await client.query('COMMIT');
      return;
    } catch (thrown) {
      await client.query('ROLLBACK').catch(() => {});
      const cause = thrown instanceof MigrationError ? thrown.cause : thrown;
      if (attempt === ATTEMPTS || !BUSY.has((cause as { code?: string }).code ?? ''))
        throw thrown instanceof MigrationError ? thrown : failed(migration, thrown);
      await sleep(PAUSE);
    }
  }
}

/** In the client's transaction. */
async function applyOne(client: pg.ClientBase, migration: Migration): Promise<void> {
  const { name, sql, checksum } = migration;
  try {
    await client.query(sql);
    await client.query(
      'INSERT INTO _prisma_migrations (id, checksum, finished_at, migration_name, applied_steps_count) VALUES ($1, $2, now(), $3, 1)',
      [randomUUID(), checksum, name],
    );
  } catch (thrown) {
    throw failed(migration, thrown);
  }
}

const failed = ({ name, sql }: Migration, thrown: unknown): MigrationError =>
  new MigrationError(`Migration ${name} failed: ${describe(thrown, sql)}`, { cause: thrown });

/** PostgreSQL's message, with the line of the file that caused it. */
function describe(thrown: unknown, sql: string): string {
  const { message, position, hint } = thrown as { message: string; position?: string; hint?: string };
  const line = position ? ` (line ${sql.slice(0, Number(position)).split('\n').length})` : '';
  return `${message}${line}${hint ? `. ${hint}` : ''}`;
}
