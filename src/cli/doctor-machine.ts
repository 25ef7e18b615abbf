/** Checks of `catalog doctor` on the machine, the settings and the databases. */
import { existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findSecret } from '../infra/crypto/secret-file.ts';
import { reasonOf } from '../infra/postgres/failures.ts';
import { createProbe } from '../infra/postgres/probe.ts';
import { STARTED } from '../infra/postgres/replica.sql.ts';
import { idleSettings } from '../kernel/config.ts';
import type { Settings } from '../kernel/settings.ts';
import { version } from '../kernel/version.ts';
import { operations } from '../operations/operations.service.ts';
import { type Catalog, operator } from './catalog.ts';
import { type Check, failed, ok, warning } from './doctor-finding.ts';

const GIB = 2 ** 30;
/** Free bytes below which PostgreSQL may soon refuse writes. */
const MIN_FREE = GIB;
const OLDEST_NODE = [20, 19];

export const machineChecks = (settings: Settings): Readonly<Record<string, Check>> => ({
  version: checkVersion,
  settings: () => checkSettings(settings),
  secret: () => checkSecret(settings),
  disk: () => checkDisk(settings['catalog.data_dir']),
});

function checkVersion() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const text = `catalog ${version}, Node ${process.versions.node}`;
  const isOld = major < OLDEST_NODE[0]! || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]!);
  return isOld ? failed(text, `Install Node ${OLDEST_NODE.join('.')} or newer.`) : ok(text);
}

/** Unknown names and invalid values stop every command before this check. */
function checkSettings(settings: Settings) {
  const problems = [...idleSettings(settings).map((name) => `${name} has no effect`), ...contradictions(settings)];
  return problems.length > 0
    ? warning(problems.join('; '), 'Effective settings and their origin: catalog config')
    : ok('valid');
}

function contradictions(settings: Settings): string[] {
  const { hostname, protocol } = new URL(settings['catalog.site_url']);
  const isLocalUrl = /^(localhost|127\.|\[::1\])/.test(hostname);
  const isLocalHost = /^(localhost|127\.|::1)/.test(settings['catalog.host']);
  const [url, datastore] = [settings['catalog.database_url'], settings['catalog.datastore.write_url']];
  return [
    ...(isLocalUrl && !isLocalHost ? [`catalog.site_url is ${hostname}, so links work on this machine only`] : []),
    ...(!isLocalUrl && protocol === 'http:' ? ['catalog.site_url has no TLS'] : []),
    ...(url !== null && datastore === null ? ['catalog.datastore.write_url is not set, so there are no tables'] : []),
    ...(url !== null && url === datastore ? ['the catalog and the DataStore have the same database and user'] : []),
  ];
}

function checkSecret(settings: Settings) {
  if (settings['catalog.secret'] !== null) return ok('set by catalog.secret');
  const file = join(settings['catalog.data_dir'], 'secret');
  if (!existsSync(file))
    return warning(
      `${file} is missing`,
      'It is created at the next start. Restore it from a backup if the catalog has users.',
    );
  findSecret(settings); // throws for a damaged one
  const mode = statSync(file).mode & 0o777;
  return mode & 0o077
    ? failed(`${file} can be read by other users (mode ${mode.toString(8)})`, `Run: chmod 600 ${file}`)
    : ok(file);
}

function checkDisk(folder: string) {
  let at = folder;
  while (!existsSync(at)) at = dirname(at);
  const { bavail, bsize, blocks } = statfsSync(at);
  const text = `${((Number(bavail) * bsize) / GIB).toFixed(1)} GiB of ${((Number(blocks) * bsize) / GIB).toFixed(1)} GiB free at ${at}`;
  return Number(bavail) * bsize < MIN_FREE
    ? failed(text, 'Free disk space: PostgreSQL refuses writes when it is full.')
    : ok(text);
}

const SERVER = `SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS standby,
  current_setting('max_connections')::int AS most, (SELECT count(*) FROM pg_stat_activity)::int AS used`;
const INVALID = `SELECT indexrelid::regclass::text AS name FROM pg_index WHERE NOT indisvalid ORDER BY 1`;

export const databaseChecks = (catalog: Catalog): Readonly<Record<string, Check>> => ({
  database: () => checkServer(catalog),
  ...(catalog.settings['catalog.database_replica_urls'].length > 0 && { replicas: () => checkReplicas(catalog) }),
  indexes: () => checkIndexes(catalog),
  files: () => checkFiles(catalog),
  servers: () => checkServers(catalog),
});

async function checkServer({ database }: Catalog) {
  const { rows } = await database.pool.query<{ version: string; standby: boolean; most: number; used: number }>(SERVER);
  const { version: server, standby, most, used } = rows[0]!;
  const text = `PostgreSQL ${server}, ${used} of ${most} connections`;
  if (standby) return failed(`${text}, a standby`, 'Connect to the primary: target_session_attrs=read-write');
  return used > 0.9 * most ? warning(text, 'Raise max_connections, or lower catalog.database_pool.') : ok(text);
}

/** Lag in bytes above which a replica answers few reads. */
const MAX_LAG = 16 * 2 ** 20;
const IDENTITY = `SELECT (SELECT system_identifier::text FROM pg_control_system()) AS system, pg_is_in_recovery() AS standby,
  ${STARTED},
  (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_flush_lsn() END - '0/0'::pg_lsn)::float8 AS lsn`;

async function checkReplicas({ database, settings }: Catalog) {
  type Identity = { system: string; started: string; standby: boolean; lsn: number };
  const urls = settings['catalog.database_replica_urls'];
  const [primary] = (await database.pool.query<Identity>(IDENTITY)).rows;
  const problems = await Promise.all(
    urls.map(async (url, at) => {
      const probe = createProbe(url);
      try {
        const [row] = await probe.query<Identity>(IDENTITY, [], AbortSignal.timeout(5_000));
        if (row!.system !== primary!.system) return `replica ${at + 1} belongs to another primary`;
        if (row!.started === primary!.started) return null; // the primary: all servers may be listed
        if (!row!.standby) return `replica ${at + 1} is not a standby`;
        const behind = primary!.lsn - row!.lsn;
        return behind > MAX_LAG ? `replica ${at + 1} is ${behind} bytes behind` : null;
      } catch (failure) {
        return `replica ${at + 1} does not answer: ${reasonOf(failure) ?? (failure as Error).message}`;
      } finally {
        await probe.close();
      }
    }),
  );
  const found = problems.filter((problem) => problem !== null);
  return found.length > 0
    ? warning(found.join('; '), 'Reads go to the primary meanwhile. See pg_stat_replication there.')
    : ok(`${urls.length} listed, and all standbys follow the primary`);
}

async function checkIndexes({ database }: Catalog) {
  const { rows } = await database.pool.query<{ name: string }>(INVALID);
  const names = rows.map(({ name }) => name);
  return names.length > 0
    ? failed(
        `invalid: ${names.join(', ')}`,
        `Run in PostgreSQL: ${names.map((name) => `REINDEX INDEX CONCURRENTLY ${name};`).join(' ')}`,
      )
    : ok('all indexes are valid');
}

/** A valid key without a file: a working store reports that it is missing. */
const NO_FILE = '00000000-0000-0000-0000-000000000000';

async function checkFiles({ app, settings }: Catalog) {
  await app.callAs(operator).stores.blobs.has(NO_FILE);
  const bucket = settings['catalog.files.bucket'];
  return ok(bucket === null ? 'the folder answers' : `bucket ${bucket} answers`);
}

async function checkServers({ app }: Catalog) {
  const alive = (await operations(app.callAs(operator)).processes()).filter(({ isAlive }) => isAlive);
  const others = alive.filter((server) => server.version !== version);
  if (others.length > 0)
    return warning(
      `${others.length} of ${alive.length} running servers have another version: ${[...new Set(others.map((it) => it.version))].join(', ')}`,
      `Restart them with ${version}.`,
    );
  return ok(`${alive.length} running`);
}
