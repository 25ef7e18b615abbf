/** Reads PostgreSQL's lock file postmaster.pid, and checks whether its server runs. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { Client, TIMEOUTS } from '../infra/postgres/client.ts';
import { EmbeddedError } from './errors.ts';

/** Part of each socket's file name; the server does not listen on the network. */
export const PORT = 5432;
/** PostgreSQL's administrator, reachable through the socket only. */
export const SUPERUSER = 'postgres';

/** The relevant lines of postmaster.pid. */
export interface Lock {
  readonly pid: number;
  readonly socketDir: string;
}

/** running: responds, and is ours. busy: starting up or shutting down. absent: not running. */
export type Probe = { readonly state: 'running'; readonly lock: Lock } | { readonly state: 'busy' | 'absent' };

/** The lock file of a data directory; null when missing. */
export function readLock(cluster: string): Lock | null {
  try {
    const [pid = '', , , , socketDir = ''] = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
    return { pid: Number(pid), socketDir };
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw thrown;
  }
}

/**
 * Checks whether a server runs on `cluster`. Removes the lock file of a killed server, because PostgreSQL would refuse to start when
 * another program has reused the process id.
 * @throws EmbeddedError when the responding server is not ours
 */
export async function probe(cluster: string): Promise<Probe> {
  const lock = readLock(cluster);
  if (lock === null) return { state: 'absent' };
  if (lock.socketDir === '') return { state: processAt(lock.pid, cluster) === 'dead' ? clear(cluster) : 'busy' };
  const answer = await ask(lock.socketDir);
  if (answer === 'silent') {
    const found = processAt(lock.pid, cluster);
    return { state: found === 'ours' || found === 'unknown' ? 'busy' : clear(cluster) };
  }
  if (answer === 'busy') return { state: 'busy' };
  checkOurs(cluster, lock, answer);
  return { state: 'running', lock };
}

interface Answer {
  readonly data_directory: string;
  readonly version: number;
}

async function ask(socketDir: string): Promise<Answer | 'silent' | 'busy'> {
  const client = connect(socketDir, 'postgres');
  try {
    await client.connect();
    const { rows } = await client.query<Answer>(
      `SELECT current_setting('data_directory') AS data_directory, current_setting('server_version_num')::int AS version`,
    );
    return rows[0] as Answer;
  } catch (thrown) {
    const { code = '', message } = thrown as { code?: string; message: string };
    if (['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes(code)) return 'silent';
    if (code.startsWith('57P') || code === '53300') return 'busy'; // starting, stopping, or all connections in use
    if (code === '') return 'busy'; // disconnected while connecting, or too slow to respond
    throw new EmbeddedError(`The PostgreSQL at ${socketDir} does not belong to the catalog: ${message}`);
  } finally {
    await client.end().catch(() => {});
  }
}

/** URL of a database at the socket, for pg and Prisma. Sets every part, so that no PG… variable applies. */
export const urlOf = (socketDir: string, user: string, database: string): string =>
  `postgresql://${user}@localhost:${PORT}/${database}?host=${encodeURIComponent(socketDir)}&sslmode=disable`;

/** A client of the server at a socket, as its administrator. */
export function connect(socketDir: string, database: string): pg.Client {
  return new Client({
    connectionString: urlOf(socketDir, SUPERUSER, database),
    timeouts: { ...TIMEOUTS, connect: 5_000 },
    application_name: 'catalog-gateway',
  });
}

function checkOurs(cluster: string, lock: Lock, { data_directory, version }: Answer): void {
  if (!existsSync(data_directory) || realpathSync(data_directory) !== realpathSync(cluster)) {
    throw new EmbeddedError(
      `${cluster} was copied or moved from ${data_directory}, whose PostgreSQL (process ${lock.pid}) is still running. ` +
        `Stop that process first. A copy of a running database is not usable.`,
    );
  }
  const major = Math.floor(version / 10_000);
  const made = clusterVersion(cluster);
  if (made !== null && made !== major)
    throw new EmbeddedError(
      `${cluster} was created by PostgreSQL ${made}, but PostgreSQL ${major} is running on it. Stop that process, and start PostgreSQL ${made}.`,
    );
}

/** Major version that created the data directory; null when there is none. */
export function clusterVersion(cluster: string): number | null {
  const file = join(cluster, 'PG_VERSION');
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : null;
}

function clear(cluster: string): 'absent' {
  rmSync(join(cluster, 'postmaster.pid'), { force: true });
  return 'absent';
}

/** Program with this process id: PostgreSQL on this data directory, another program, none, or one we may not inspect. */
export function processAt(pid: number, cluster: string): 'ours' | 'other' | 'dead' | 'unknown' {
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ESRCH') return 'dead';
  }
  const command = commandLine(pid);
  if (command === null) return 'unknown';
  return command.includes(cluster) ? 'ours' : 'other'; // a zombie process has no command line
}

function commandLine(pid: number): string | null {
  if (process.platform === 'linux') {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    } catch {
      return null;
    }
  }
  const { status, stdout } = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  return status === 0 ? stdout : null;
}
