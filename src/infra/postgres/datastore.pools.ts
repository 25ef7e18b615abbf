import type pg from 'pg';
import { Client, createPool, type Timeouts } from './client.ts';
import { readAddress } from './hosts.ts';

/** The DataStore's own objects beside the tables of resources. Each new connection checks for them: the database may be a new one. */
export interface OwnTables {
  /** A statement that returns whether they exist, as `done`. */
  readonly look: string;
  /** Statements that create them, run by the writing role; `reader` is the role that needs explicit grants. */
  readonly make: (reader: string | null) => string;
}

export interface PoolOptions {
  readonly writeUrl: string;
  readonly readUrl: string | null;
  /** Maximum number of connections of each kind. */
  readonly max: number;
  /** The same for downloads. */
  readonly maxFiles: number;
  /** Timeout in ms of a statement of `sql`, and of callers' own statements. */
  readonly timeout: number;
  /** Lock timeout in ms. Statements with a `timeout` get at most half of it, so that the lock is reported as the reason. */
  readonly lockTimeout: number;
  readonly own: OwnTables;
  readonly timeouts: Timeouts;
}

/** Text formats of values, independent of the server's own settings. */
const SESSION =
  '-c timezone=UTC -c datestyle=ISO,MDY -c intervalstyle=postgres -c extra_float_digits=1 -c search_path=public -c standard_conforming_strings=on';

/** For callers' own statements: each backend has a memory limit, which parallel workers would bypass. */
const FRUGAL = '-c work_mem=4MB -c hash_mem_multiplier=1 -c max_parallel_workers_per_gather=0 -c jit=off';

export interface Pools {
  readonly writer: pg.Pool;
  /** A lock holder waits for a write connection, never for another lock connection. */
  readonly locks: pg.Pool;
  readonly reader: pg.Pool;
  /** For callers' own statements: short searches never wait for long ones. */
  readonly slow: pg.Pool;
  /** For downloads, which take long too. */
  readonly files: pg.Pool;
  /** One connection for work on tables that takes long, outside of transactions. */
  readonly upkeep: pg.Pool;
  /** The role of `reader` in its address; null when there is none. */
  readonly role: string | null;
  /** The same; null if it is the writing role. */
  readonly otherRole: string | null;
}

/** Does not connect yet. */
export function openPools({
  writeUrl,
  readUrl,
  max,
  maxFiles,
  timeout,
  lockTimeout,
  own,
  timeouts,
}: PoolOptions): Pools {
  const role = readUrl === null ? null : roleOf(readUrl) || null;
  const otherRole = role === roleOf(writeUrl) ? null : role;
  const writing = `${SESSION} -c lock_timeout=${lockTimeout}`;
  const reading = `${SESSION} -c lock_timeout=${Math.min(lockTimeout, Math.ceil(timeout / 2))}`;
  const verify = (client: pg.ClientBase, done: (failure?: Error) => void): void =>
    void prepare(client, own, { writeUrl, options: writing, reader: otherRole, timeouts }).then(() => done(), done);
  const poolOf = (connectionString: string, max: number, options: string): pg.Pool =>
    createPool({ connectionString, max, options, timeouts, verify });
  return {
    writer: poolOf(writeUrl, max, writing),
    locks: poolOf(writeUrl, max, writing),
    reader: poolOf(readUrl ?? writeUrl, max, `${reading} -c statement_timeout=${timeout}`),
    slow: poolOf(readUrl ?? writeUrl, max, `${reading} ${FRUGAL}`),
    files: poolOf(readUrl ?? writeUrl, maxFiles, reading),
    upkeep: poolOf(writeUrl, 1, writing),
    role,
    otherRole,
  };
}

const roleOf = (address: string) => decodeURIComponent(new URL(readAddress(address).url).username);

/** Creates the DataStore's own objects if a new connection does not find them. */
async function prepare(
  client: pg.ClientBase,
  { look, make }: OwnTables,
  {
    writeUrl,
    options,
    reader,
    timeouts,
  }: { writeUrl: string; options: string; reader: string | null; timeouts: Timeouts },
): Promise<void> {
  const { rows } = await client.query<{ done: boolean }>(look);
  if (rows[0]!.done) return;
  const writer = new Client({ connectionString: writeUrl, options, timeouts });
  await writer.connect();
  try {
    await writer.query(make(reader));
  } finally {
    await writer.end();
  }
}
