/**
 * Chooses a read replica. A replica may answer a read only if it has replayed the log of the primary up to a position that the primary
 * reported recently enough. So the age of an answer has a limit that depends neither on clocks nor on estimates of the lag.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Settings } from '../../kernel/settings.ts';
import { serialize } from '../concurrency/serialize.ts';
import type { Logger } from '../log/log.ts';
import { type Client, createPool, type Timeouts, timeoutsOf } from './client.ts';
import { type Sql, sessionStart, sqlOn } from './db.ts';
import { reasonOf } from './failures.ts';
import { createProbe } from './probe.ts';
import { MARK, POSITION, type PositionRow, REPLAYED, type ReplayedRow, START, type StartedRow } from './replica.sql.ts';

export interface Replicas {
  /**
   * A replica with all writes of this process, and all other writes that were acknowledged `maxAge` ms ago. With 0: all writes that were
   * acknowledged before. Null: no replica is so far, so read from the primary. Never throws.
   */
  choose(maxAge: number): Sql | null | Promise<Sql | null>;
  /** Must be called after each commit, before its response: later reads of this process see it. */
  wrote(): void;
  /** Reports that a replica failed to answer. It is not chosen until it works again. */
  suspect(sql: Sql): void;
  /** By names for metrics. */
  readonly pools: Readonly<Record<string, pg.Pool>>;
  states(): readonly ReplicaState[];
  close(): Promise<void>;
}

export interface ReplicaState {
  /** Whether it answers, is a standby and follows the primary. */
  readonly isUp: boolean;
  /** Bytes of the log that it had not replayed, when the position of the primary was last read. */
  readonly lagBytes: number;
}

/** Timeout in ms for one question about a position. */
const TIMEOUT = 1_000;
/** Maximum ms that a read waits for a replica. A commit takes about a millisecond in one network; after a vain wait, reads do not wait. */
const WAIT = 50;
/** Maximum ms that a read waits for a connection to a replica. */
const CONNECT = 2_000;
/** ms between two looks at a server without reads. */
const INTERVAL = 500;

/** A position in the log of a primary. */
interface Position {
  readonly lsn: bigint;
  readonly place: string;
  /** When the primary was asked, and the number of commits of this process before. */
  readonly at: number;
  readonly commits: number;
}

/** Null for a site without replicas. */
export function openReplicas(settings: Settings, primaryUrl: string, log: Logger): Replicas | null {
  const urls = settings['catalog.database_replica_urls'];
  if (urls.length === 0) return null;
  const max = settings['catalog.database_pool'];
  const timeouts = timeoutsOf(settings);
  const primary = createProbe(primaryUrl);
  let commits = 0;
  let last: Position | null = null;
  let turn = 0;

  const look = serialize(async (): Promise<Position | null> => {
    const begun = { at: performance.now(), commits };
    try {
      const [row] = await primary.query<PositionRow>(POSITION, [], AbortSignal.timeout(TIMEOUT));
      const { lsn, place, mark } = row!;
      if (mark !== place) await primary.query(MARK, [place], AbortSignal.timeout(TIMEOUT));
      last = { ...begun, lsn: BigInt(lsn), place };
      return last;
    } catch {
      return null; // the primary refuses the read itself
    }
  });
  const replicas = urls.map((url, at) => createReplica(url, { max, timeouts, log: log.child({ replica: at + 1 }) }));
  const watch = async () => {
    await Promise.all([look(), ...replicas.map((replica) => replica.ask())]);
  };
  void watch();
  const watching = setInterval(watch, INTERVAL).unref();

  function reached(position: Position): Sql | null | Promise<Sql | null> {
    turn = (turn + 1) % replicas.length;
    const ordered = [...replicas.slice(turn), ...replicas.slice(0, turn)];
    const ready = ordered.find((replica) => replica.has(position));
    if (ready) return ready.sql();
    const soon = ordered.filter((replica) => replica.isNear(position));
    if (soon.length === 0) return null;
    return Promise.any(soon.map((replica) => replica.reach(position))).catch(() => null);
  }

  return {
    choose(maxAge) {
      const isRecent = last?.commits === commits && performance.now() - last.at <= maxAge;
      return isRecent ? reached(last!) : look().then((position) => position && reached(position));
    },
    wrote() {
      commits += 1;
    },
    suspect: (sql) => replicas.find((replica) => replica.sql() === sql)?.suspect(),
    pools: Object.fromEntries(replicas.map(({ pool }, at) => [`replica_${at + 1}`, pool])),
    states: () => replicas.map((replica) => replica.state(last)),
    async close() {
      clearInterval(watching);
      await Promise.all([primary.close(), ...replicas.map((replica) => replica.close())]);
    },
  };
}

interface ReplicaOptions {
  readonly max: number;
  readonly timeouts: Timeouts;
  readonly log: Logger;
}

function createReplica(url: string, { max, timeouts, log }: ReplicaOptions) {
  const probe = createProbe(url);
  const pool = createPool({
    connectionString: url,
    max,
    timeouts: { ...timeouts, connect: Math.min(timeouts.connect, CONNECT) },
    limit: timeouts.statement,
    pipeline: true,
    idleTimeoutMillis: 0,
    // The position is that of the probe's server. A URL may reach several servers, and a restart may lose replayed changes.
    verify: (client, done) =>
      client.query<StartedRow>(START).then(({ rows }) => {
        done(rows[0]!.started === server ? undefined : new Error('the connection reached another server'));
      }, done),
    begin: `${sessionStart(timeouts)}; SET default_transaction_read_only = on`,
  });
  const clients = new Set<Client>();
  pool.on('connect', (client) => void clients.add(client as unknown as Client));
  pool.on('remove', (client) => void clients.delete(client as unknown as Client));
  const open = (): Sql => ({ ...sqlOn(pool), isReplica: true });
  const disconnect = () => {
    for (const client of clients) client.destroy();
  };
  let sql = open();
  /** When the server of the probe started: all reads must reach the same server. */
  let server: string | null = null;
  let replayed = 0n;
  let place: string | null = null;
  let isUp = false;
  /** Position up to which reads do not wait for it, because an earlier one waited in vain. */
  let missedLsn: bigint | null = null;
  let isClosed = false;
  /** Failed looks in a row. */
  let failures = 0;

  const ask = serialize(async () => {
    try {
      const [row] = await probe.query<ReplayedRow>(REPLAYED, [], AbortSignal.timeout(TIMEOUT));
      const { started, lsn, mark } = row!;
      if (started !== server) disconnect();
      server = started;
      if (lsn === null) throw new Error('the server is not a standby');
      if (mark !== place) sql = open(); // caches belong to the history of one primary
      place = mark;
      replayed = BigInt(lsn);
      if (missedLsn !== null && replayed >= missedLsn) missedLsn = null;
      if (!isUp && !isClosed) log.info('a read replica is available again');
      isUp = true;
      failures = 0;
    } catch (failure) {
      if (isUp && !isClosed)
        log.warn({ reason: reasonOf(failure) ?? (failure as Error).message }, 'a read replica is unavailable');
      isUp = false;
      failures += 1;
      // Running reads are repeated on the primary. A first failure may be that of a busy process.
      if (failures > 1) disconnect();
    }
  });
  const has = (position: Position) => isUp && place === position.place && replayed >= position.lsn;

  return {
    pool,
    ask,
    has,
    sql: () => sql,
    isNear: (position: Position) => isUp && place === position.place && missedLsn === null,
    /** Waits until the replica has the position. @throws Error if it does not get there in time */
    async reach(position: Position): Promise<Sql> {
      const end = performance.now() + WAIT;
      for (;;) {
        await Promise.race([ask(), delay(WAIT, undefined, { ref: false })]);
        if (has(position)) return sql;
        if (!isUp || performance.now() >= end) break;
        await delay(1);
      }
      missedLsn = position.lsn;
      throw new Error('the replica is behind');
    },
    suspect() {
      isUp = false;
      void ask();
    },
    state: (position: Position | null): ReplicaState => ({
      isUp: isUp && (position === null || place === position.place),
      lagBytes: position === null || replayed >= position.lsn ? 0 : Number(position.lsn - replayed),
    }),
    async close() {
      isClosed = true;
      await probe.close();
      await pool.end();
    },
  };
}
