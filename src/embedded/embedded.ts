/**
 * Embedded PostgreSQL: started on demand, shared by all processes of this checkout, and stopped by the last one. It survives the death of a
 * process, and is restarted when it dies itself.
 */
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import type { Logger } from '../infra/log/log.ts';
import { EmbeddedError } from './errors.ts';
import { ensureServer, type LaunchOptions } from './launch.ts';
import { type Folders, findFolders } from './place.ts';
import { connect, probe, readLock, SUPERUSER, urlOf } from './postmaster.ts';
import { provision } from './provision.ts';

export interface EmbeddedOptions extends Partial<LaunchOptions> {
  /** Contains the database in its folder `postgres`, or a pointer to it. */
  readonly dataDir: string;
  readonly log?: Logger;
}

/** A running server, from this process's view. */
export interface Embedded {
  /** URL of the catalog database, as catalog_owner. */
  readonly catalogUrl: string;
  readonly datastoreWriteUrl: string;
  /** URL for the read-only role. */
  readonly datastoreReadUrl: string;
  /** URL of the database `postgres` as PostgreSQL's administrator, for tests and repairs. */
  readonly adminUrl: string;
  /** Folder of the files. */
  readonly folder: string;
  /** Releases the server; the last process to do so stops it. Returns whether it was stopped. */
  stop(): Promise<boolean>;
}

/** Advisory lock that every process shares while it uses the server. A process that gets it exclusively is the last one. */
const PRESENCE = 72707371;

/** ms between attempts to restart a server. */
const RETRY = 2_000;

/** Starts the server, or attaches to a running one. @throws EmbeddedError */
export async function startEmbedded({
  dataDir,
  log,
  durable = true,
  maxConnections = 100,
  programs,
}: EmbeddedOptions): Promise<Embedded> {
  const folders = findFolders(dataDir);
  const options = { durable, maxConnections, ...(programs !== undefined && { programs }) };
  let { socketDir, presence } = await attach(folders, options);
  let stopping = false;
  let repair: Promise<void> = Promise.resolve();

  const watch = (client: Client) =>
    client.once('end', () => {
      if (!stopping) repair = restart();
    });
  /** Tries until it succeeds: the disk may be full for a while. */
  const restart = async () => {
    log?.warn('the embedded PostgreSQL stopped; restarting it');
    for (; !stopping; await sleep(RETRY))
      try {
        ({ socketDir, presence } = await attach(folders, options));
        return void watch(presence);
      } catch (error) {
        log?.error({ err: error }, 'restarting the embedded PostgreSQL failed; trying again');
      }
  };
  watch(presence);

  return {
    catalogUrl: urlOf(socketDir, 'catalog_owner', 'catalog'),
    datastoreWriteUrl: urlOf(socketDir, 'datastore_write', 'datastore'),
    datastoreReadUrl: urlOf(socketDir, 'datastore_read', 'datastore'),
    adminUrl: urlOf(socketDir, SUPERUSER, 'postgres'),
    folder: folders.base,
    async stop() {
      if (stopping) return false;
      stopping = true;
      await repair;
      return release(folders, presence);
    },
  };
}

async function attach(folders: Folders, options: LaunchOptions): Promise<{ socketDir: string; presence: Client }> {
  let failure: unknown;
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const socketDir = await ensureServer(folders, options);
    const presence = connect(socketDir, 'postgres');
    try {
      await presence.connect();
      await presence.query('SELECT pg_advisory_lock_shared($1)', [PRESENCE]);
      await provision(presence, (database) => connect(socketDir, database));
      return { socketDir, presence };
    } catch (thrown) {
      failure = thrown; // the last user just stopped the server, or it died: try again
      await presence.end().catch(() => {});
      await sleep(50);
    }
  }
  throw new EmbeddedError(
    `The embedded PostgreSQL keeps stopping: ${failure instanceof Error ? failure.message : failure}`,
  );
}

async function release(folders: Folders, presence: Client): Promise<boolean> {
  try {
    await presence.query('SELECT pg_advisory_unlock_shared($1)', [PRESENCE]);
    const { rows } = await presence.query<{ alone: boolean }>('SELECT pg_try_advisory_lock($1) AS alone', [PRESENCE]);
    if (!rows[0]?.alone || !(await isLastClient(presence))) return false;
    await shutDown(folders);
    return true;
  } catch {
    return false; // it has stopped already
  } finally {
    await presence.end().catch(() => {});
  }
}

/** Whether no other client, such as psql, is connected. Recently closed connections of this process may take a moment to disappear. */
async function isLastClient(presence: Client): Promise<boolean> {
  for (let attempt = 0; attempt < 15; attempt += 1) {
    const { rows } = await presence.query<{ others: number }>(
      `SELECT count(*)::int AS others FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
    );
    if (rows[0]?.others === 0) return true;
    await sleep(20);
  }
  return false;
}

/** A fast shutdown: committed data is on disk. */
async function shutDown({ cluster, base }: Folders): Promise<void> {
  const found = await probe(cluster);
  if (found.state !== 'running') return;
  process.kill(found.lock.pid, 'SIGINT');
  for (const deadline = Date.now() + 30_000; Date.now() < deadline && readLock(cluster)?.pid === found.lock.pid; )
    await sleep(4);
  if (found.lock.socketDir !== base) rmSync(found.lock.socketDir, { recursive: true, force: true });
}
