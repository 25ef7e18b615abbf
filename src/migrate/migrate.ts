/** Migrates a catalog database to the newest schema, by plain SQL files in order of their names. */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { Client } from '../infra/postgres/client.ts';
import { projectRoot } from '../kernel/root.ts';

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

/** The table of Prisma's migration engine, so that both tools are interchangeable. */
const TABLE = `CREATE TABLE _prisma_migrations (
  id varchar(36) PRIMARY KEY, checksum varchar(64) NOT NULL, finished_at timestamptz,
  migration_name varchar(255) NOT NULL, logs text, rolled_back_at timestamptz,
  started_at timestamptz NOT NULL DEFAULT now(), applied_steps_count integer NOT NULL DEFAULT 0)`;

/**
 * Applies missing migrations, each file in its own transaction. Returns the names of the applied files.
 * @throws MigrationError when PostgreSQL is too old, an applied file was changed, the database is newer than this program, or a statement
 * fails
 */
export async function migrate(url: string, folder = MIGRATIONS): Promise<string[]> {
  const client = new Client({ connectionString: url, application_name: 'catalog-gateway migrate' });
  await client.connect();
  try {
    await checkVersion(client);
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    const missing = await findMissing(client, readMigrations(folder));
    for (const migration of missing) await apply(client, migration);
    return missing.map(({ name }) => name);
  } finally {
    await client.end(); // releases the lock
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

async function findMissing(client: pg.Client, migrations: Migration[]): Promise<Migration[]> {
  const {
    rows: [table],
  } = await client.query<{ found: boolean }>(`SELECT to_regclass('_prisma_migrations') IS NOT NULL AS found`);
  if (!table?.found) await client.query(TABLE);
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
  if (applied.size > 0) {
    throw new MigrationError(
      `The database is newer than this program. It has the migrations ${[...applied.keys()].join(', ')}. Use a newer version of the program.`,
    );
  }
  return missing;
}

async function apply(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  try {
    await client.query('BEGIN');
    await client.query(sql);
    await client.query(
      'INSERT INTO _prisma_migrations (id, checksum, finished_at, migration_name, applied_steps_count) VALUES ($1, $2, now(), $3, 1)',
      [randomUUID(), checksum, name],
    );
    await client.query('COMMIT');
  } catch (thrown) {
    await client.query('ROLLBACK').catch(() => {});
    throw new MigrationError(`Migration ${name} failed: ${describe(thrown, sql)}`, { cause: thrown });
  }
}

/** PostgreSQL's message, with the line of the file that caused it. */
function describe(thrown: unknown, sql: string): string {
  const { message, position, hint } = thrown as { message: string; position?: string; hint?: string };
  const line = position ? ` (line ${sql.slice(0, Number(position)).split('\n').length})` : '';
  return `${message}${line}${hint ? `. ${hint}` : ''}`;
}
