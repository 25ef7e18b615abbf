/** Creates the data directory and starts PostgreSQL on it. Independent of databases and roles. */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chownSync,
  closeSync,
  existsSync,
  fchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Binaries, binariesIn, findBinaries } from './binaries.ts';
import { EmbeddedError } from './errors.ts';
import type { Folders } from './place.ts';
import { clusterVersion, PORT, probe, SUPERUSER } from './postmaster.ts';

/** Options for running a server. */
export interface LaunchOptions {
  /** False only for tests: a power failure may then lose or damage data. */
  readonly durable: boolean;
  /** Maximum client connections. */
  readonly maxConnections: number;
  /** Folder of other PostgreSQL programs, with `bin` and `lib`: for data of an older major version. */
  readonly programs?: string;
}

/** Maximum ms to wait for a server to start, recover after a kill, or stop. */
const TIMEOUT = 60_000;

/**
 * Returns the socket folder of a running server: the existing one, or a new one.
 * @throws EmbeddedError with the end of PostgreSQL's own log when it cannot run
 */
export async function ensureServer(folders: Folders, options: LaunchOptions): Promise<string> {
  for (const deadline = Date.now() + TIMEOUT; ; ) {
    const found = await probe(folders.cluster);
    if (found.state === 'running') return found.lock.socketDir;
    const failure =
      found.state === 'absent' ? await launch(folders, options) : 'PostgreSQL is still starting up or shutting down.';
    if (failure === null) continue;
    if (Date.now() > deadline) throw new EmbeddedError(`PostgreSQL failed to start in ${folders.base}:\n${failure}`);
    await sleep(30);
  }
}

/** Starts a server and waits until it is ready. Returns null, or the reason to try again. */
async function launch(folders: Folders, options: LaunchOptions): Promise<string | null> {
  const binaries = options.programs === undefined ? findBinaries(folders) : binariesIn(options.programs);
  await createCluster(folders, binaries, options);
  checkVersion(folders, binaries);
  const log = openLog(folders);
  const child = spawn(join(binaries.bin, 'postgres'), serverArguments(folders, options), {
    ...spawnOptions(folders, binaries),
    stdio: ['ignore', log.fd, log.fd],
    detached: true, // Ctrl-C at the terminal must reach this process only, which stops the server when it is done
  });
  closeSync(log.fd);
  child.unref();
  let ended: string | null = null;
  child.once('error', (error) => {
    ended = error.message;
  });
  child.once('exit', (code, signal) => {
    ended ??= `ended with ${signal ?? code}`;
  });
  for (;;) {
    if (ended !== null) return afterEnd(folders, log.tail() || ended);
    if (isReady(folders, child.pid)) return null;
    await sleep(4);
  }
}

/** Decides on a retry: another process may have been first, or children of a killed server may still run. */
async function afterEnd(folders: Folders, why: string): Promise<string> {
  const passing = /lock file "|pre-existing shared memory|in use by another process/.test(why);
  if (passing || (await probe(folders.cluster)).state !== 'absent') return why;
  throw new EmbeddedError(`PostgreSQL failed to start in ${folders.base}:\n${why}`);
}

function isReady({ cluster }: Folders, pid: number | undefined): boolean {
  try {
    const lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
    return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
  } catch {
    return false; // not yet
  }
}

/** Creates the cluster under a temporary name and renames it when complete, so that a kill leaves no partial one. */
async function createCluster(folders: Folders, binaries: Binaries, { durable }: LaunchOptions): Promise<void> {
  if (existsSync(folders.cluster)) return;
  const draft = `${folders.cluster}.${process.pid}`;
  rmSync(draft, { recursive: true, force: true });
  const run = spawnSync(
    join(binaries.bin, 'initdb'),
    [
      '-D',
      draft,
      '-U',
      SUPERUSER,
      '--auth-local=trust',
      '--auth-host=reject',
      '-E',
      'UTF8',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
      ...(durable ? [] : ['--no-sync']),
    ],
    { ...spawnOptions(folders, binaries), encoding: 'utf8' },
  );
  if (run.status !== 0)
    throw new EmbeddedError(`initdb failed in ${folders.base}:\n${run.error?.message ?? run.stderr}`);
  try {
    renameSync(draft, folders.cluster);
  } catch (thrown) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(folders.cluster)) throw thrown; // otherwise another process was first
  }
}

function checkVersion({ cluster }: Folders, { major }: Binaries): void {
  const made = clusterVersion(cluster);
  if (made === major) return;
  throw new EmbeddedError(
    made === null
      ? `${cluster} is not a PostgreSQL data directory (it has no PG_VERSION). Move it away to start with an empty database.`
      : `${cluster} was created by PostgreSQL ${made}, but this is PostgreSQL ${major}. To upgrade, install the programs of PostgreSQL ${made} and run: catalog backup FOLDER --programs /usr/lib/postgresql/${made}. Then move the data folder away and run: catalog restore FOLDER/FILE (docs/upgrade.md).`,
  );
}

function serverArguments(folders: Folders, { durable, maxConnections }: LaunchOptions): string[] {
  const set = {
    listen_addresses: '',
    port: PORT,
    unix_socket_directories: socketFolder(folders),
    unix_socket_permissions: '0700',
    max_connections: maxConnections,
    max_locks_per_transaction: 256,
    timezone: 'UTC',
    log_timezone: 'UTC',
    jit: 'off', // compiling costs more than it saves for these short statements
    ...(!durable && { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  return ['-D', folders.cluster, ...Object.entries(set).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** Passes only the necessary environment variables to the server. */
const spawnOptions = ({ account, base }: Folders, { lib }: Binaries) => ({
  ...account,
  cwd: base,
  env: { LC_ALL: 'C', PATH: '/usr/bin:/bin', LD_LIBRARY_PATH: lib, DYLD_LIBRARY_PATH: lib },
});

/** The data folder, when its path is short enough for a socket address; otherwise a private folder in the system's temporary one. */
function socketFolder({ base, account }: Folders): string {
  if (fits(base)) return base;
  const uid = account?.uid ?? process.getuid?.() ?? 0;
  const temporary = fits(join(tmpdir(), 'catalog-gateway-0123456789abcdef')) ? tmpdir() : '/tmp';
  const folder = join(temporary, `catalog-gateway-${createHash('sha256').update(base).digest('hex').slice(0, 16)}`);
  try {
    mkdirSync(folder, { mode: 0o700 });
    if (account) chownSync(folder, account.uid, account.gid);
    return folder;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
  }
  const found = lstatSync(folder);
  if (found.isDirectory() && found.uid === uid && (found.mode & 0o777) === 0o700) return folder;
  const own = mkdtempSync(join(temporary, 'catalog-gateway-')); // another user owns the name
  if (account) chownSync(own, account.uid, account.gid);
  return own;
}

const fits = (folder: string): boolean => Buffer.byteLength(join(folder, `.s.PGSQL.${PORT}`)) < 100;

/** PostgreSQL logs to a file, so that the server can outlive this process. Truncated above 10 MiB. */
function openLog({ base, account }: Folders): { fd: number; tail: () => string } {
  const file = join(base, 'postgres.log');
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > 10 * 2 ** 20) renameSync(file, `${file}.1`);
  const fd = openSync(file, 'a', 0o600);
  if (account) fchownSync(fd, account.uid, account.gid); // that user may start the server next
  const start = size > 10 * 2 ** 20 ? 0 : size;
  return {
    fd,
    tail: () => readFileSync(file).subarray(start).toString('utf8').trim().split('\n').slice(-15).join('\n'),
  };
}
