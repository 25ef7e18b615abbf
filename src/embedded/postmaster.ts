/** What PostgreSQL's own lock file, postmaster.pid, says about a data directory, and whether it is true. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { Client, TIMEOUTS } from '../infra/postgres/client.ts';
import { EmbeddedError } from './errors.ts';

/** Part of every socket's file name; nothing listens on the network. */
export const PORT = 5432;
/** PostgreSQL's own administrator, reached through the socket only. */
export const SUPERUSER = 'postgres';

/** The lines of postmaster.pid that matter here. */
export interface Lock {
  readonly pid: number;
  readonly dataDirectory: string;
  readonly socketDir: string;
}

/** running: answers, and is ours. busy: starting up or shutting down. absent: nothing runs. */
export type Probe = { readonly state: 'running'; readonly lock: Lock } | { readonly state: 'busy' | 'absent' };

/** The lock file of a data directory; null when there is none. */
export function readLock(cluster: string): Lock | null {
  try {
    const [pid = '', dataDirectory = '', , , socketDir = ''] = readFileSync(
      join(cluster, 'postmaster.pid'),
      'utf8',
    ).split('\n');
    return { pid: Number(pid), dataDirectory, socketDir };
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw thrown;
  }
}

/**
 * Looks whether a server runs on `cluster`. A lock file left by one that was killed is removed: PostgreSQL itself would
 * refuse to start when the process id has meanwhile been given to another program.
 * @throws EmbeddedError when the server that answers there is not ours.
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
    if (code.startsWith('57P') || code === '53300') return 'busy'; // starting, stopping, or all connections taken
    if (code === '') return 'busy'; // cut while connecting, or too slow to answer
    throw new EmbeddedError(`The PostgreSQL at ${socketDir} does not belong to the catalog: ${message}`);
  } finally {
    await client.end().catch(() => {});
  }
}

/** The address of a database behind the socket, for pg and Prisma alike; every part is given, so that no PG… variable steps in. */
export const urlOf = (socketDir: string, user: string, database: string): string =>
  `postgresql://${user}@localhost:${PORT}/${database}?host=${encodeURIComponent(socketDir)}&sslmode=disable`;

/** A client of the server behind a socket, as its administrator. */
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
    throw new EmbeddedError(`${cluster} was created by PostgreSQL ${made}, but PostgreSQL ${major} is running on it.`);
}

/** Major version that made the data directory; null when there is none yet. */
export function clusterVersion(cluster: string): number | null {
  const file = join(cluster, 'PG_VERSION');
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : null;
}

function clear(cluster: string): 'absent' {
  rmSync(join(cluster, 'postmaster.pid'), { force: true });
  return 'absent';
}

/** Which program has the process id: PostgreSQL on this data directory, another program, none, or one we may not look at. */
export function processAt(pid: number, cluster: string): 'ours' | 'other' | 'dead' | 'unknown' {
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ESRCH') return 'dead';
  }
  const command = commandLine(pid);
  if (command === null) return 'unknown';
  return command.includes(cluster) ? 'ours' : 'other'; // a dead process that nobody has waited for has no command line
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
