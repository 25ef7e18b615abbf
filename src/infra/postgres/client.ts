/**
 * Creates all PostgreSQL clients and pools. Each client has a permanent `error` listener, so that a lost connection
 * never ends the process; detects a hung server; and supports several hosts.
 */
import pg from 'pg';
import { fits, type Host, readAddress, type SessionState } from './hosts.ts';

/** Timeouts of PostgreSQL in ms; 0 means unlimited. */
export interface Timeouts {
  /** For a connection: a new one, or a free one of the pool. */
  readonly connect: number;
  /** For a response, before the server is checked over another connection; half-open connections are closed. */
  readonly response: number;
  /** For one statement. */
  readonly statement: number;
  /** For one transaction. */
  readonly transaction: number;
}

/** Defaults without settings: statements of commands are unlimited, but a hung server is detected. */
export const TIMEOUTS: Timeouts = { connect: 10_000, response: 5_000, statement: 0, transaction: 60_000 };

/** The timeouts in the settings. */
export const timeoutsOf = (settings: {
  readonly 'catalog.database_connect_timeout': number;
  readonly 'catalog.database_response_timeout': number;
  readonly 'catalog.database_statement_timeout': number;
  readonly 'catalog.database_transaction_timeout': number;
}): Timeouts => ({
  connect: settings['catalog.database_connect_timeout'] * 1_000,
  response: settings['catalog.database_response_timeout'] * 1_000,
  statement: settings['catalog.database_statement_timeout'] * 1_000,
  transaction: settings['catalog.database_transaction_timeout'] * 1_000,
});

/** ms of idleness before TCP keep-alive probes start. */
const KEEP_ALIVE = 10_000;
/** ms for which a failed host is tried only after all others. */
const AVOID = 10_000;
/** Timeout in ms for closing a connection. */
const GOODBYE = 1_000;
/** ms beyond PostgreSQL's own limit after which its backend counts as hung. */
const GRACE = 5_000;

export interface ClientOptions extends pg.ClientConfig {
  readonly connectionString: string;
  readonly timeouts?: Timeouts;
  /** ms after which PostgreSQL cancels a statement; 0 if it may take longer. */
  readonly limit?: number;
}

/** Private members of pg. */
interface Internals {
  readonly connection: {
    readonly stream: import('node:net').Socket;
    on(event: 'errorMessage', listener: (error: Error & { code?: string }) => void): void;
  };
  readonly _activeQuery: object | null | undefined;
  readonly _queryQueue: readonly object[];
  readonly _sentQueryQueue: readonly object[];
  host: string;
  port: number;
}

/** SQLSTATE of a statement that follows the failed one of its transaction. */
export const TRANSACTION_ABORTED = '25P02';

/** A query that a client of a pool answers itself, with its number, as a promise: by it, a transaction of Prisma finds its connection. */
export const WHICH_CLIENT = 'number of the client';

let clients = 0;

/** A pg client that supports several hosts. */
export class Client extends pg.Client {
  /** Different from that of every other client of this process. */
  readonly number = ++clients;
  /** Number of transactions that `query` has ended, counted when it sends COMMIT or ROLLBACK; only for clients of a pool. */
  ended = 0;
  readonly #options: ClientOptions;
  readonly #address: ReturnType<typeof readAddress>;
  readonly #timeouts: Timeouts;
  /** True after the server became read-only: another host may accept writes. */
  isDemoted = false;
  /** The last error of a statement, except that its transaction is aborted: within a transaction, the one that aborted it. */
  lastError: Error | undefined;

  constructor(options: ClientOptions) {
    const address = readAddress(options.connectionString);
    const timeouts = options.timeouts ?? TIMEOUTS;
    super({
      connectionTimeoutMillis: timeouts.connect,
      ...options,
      connectionString: address.url,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE,
    });
    this.#options = options;
    this.#address = address;
    this.#timeouts = timeouts;
    this.on('error', () => {}); // the current statement reports it, or the `end` event that follows
    this.once('connect', () => this.#watch());
    inside(this).connection.on('errorMessage', (error) => {
      if (error.code !== TRANSACTION_ABORTED) this.lastError = error;
      if (error.code === '25006' && address.hosts.length > 1) this.isDemoted = true;
    });
  }

  override connect(): Promise<pg.Client>;
  override connect(done: ((failure: Error) => void) | ((failure: null, client: pg.Client) => void)): void;
  override connect(callback?: unknown): unknown {
    if (callback === undefined)
      return new Promise<pg.Client>((resolve, reject) => {
        this.connect((failure: Error | null) => (failure ? reject(failure) : resolve(this)));
      });
    const done = callback as (failure: Error) => void;
    const { hosts, target } = this.#address;
    if (hosts.length === 1 && target === 'any') return super.connect(done);
    this.#choose().then(({ host, port }) => {
      const internals = inside(this);
      if (internals.connection.stream.destroyed) return done(new Error('timeout expired')); // the pool no longer waits
      Object.assign(internals, { host, port });
      super.connect(done);
    }, done);
    return undefined;
  }

  /** Does not wait for a hung server to confirm the end. */
  override end(): Promise<void>;
  override end(done: (failure: Error) => void): void;
  override end(done?: (failure: Error) => void): Promise<void> | void {
    const late = setTimeout(() => this.#isBusy() || this.destroy(), GOODBYE).unref();
    this.once('end', () => clearTimeout(late));
    return done ? super.end(done) : super.end();
  }

  #isBusy(): boolean {
    const { _activeQuery, _sentQueryQueue, _queryQueue } = inside(this);
    return Boolean(_activeQuery) || _sentQueryQueue.length > 0 || _queryQueue.length > 0;
  }

  /** Closes the connection at once, without waiting for the server. */
  destroy(): void {
    inside(this).connection.stream.destroy();
  }

  /** The first host that answers with a session of the requested kind. @throws Error of the last host */
  #choose(): Promise<Host> {
    const { hosts, target, url } = this.#address;
    const key = this.#options.connectionString;
    const known = choosing.get(key);
    if (known) return known;
    const time = Math.max(1_000, Math.floor(this.#timeouts.connect / (hosts.length + 1)));
    const chosen = (async () => {
      const now = performance.now();
      const isAvoided = ({ host, port }: Host) => (avoided.get(`${host}:${port}`) ?? -AVOID) + AVOID > now;
      const ordered = [...hosts.filter((host) => !isAvoided(host)), ...hosts.filter(isAvoided)];
      let last: unknown = new Error('no host');
      let second: Host | null = null;
      for (const host of ordered) {
        try {
          const state = await stateOf(host, { ...this.#options, connectionString: url }, time);
          if (target === 'prefer-standby' && !state.isStandby) second ??= host;
          else if (fits(target, state)) return host;
          else last = wrongKind(host, target);
        } catch (thrown) {
          avoided.set(`${host.host}:${host.port}`, performance.now());
          last = thrown;
        }
      }
      if (second) return second;
      throw last;
    })();
    choosing.set(key, chosen);
    const over = () => void choosing.delete(key);
    chosen.then(over, over);
    return chosen;
  }

  /** Closes the connection if a running statement gets no response and the server does not answer a new connection either. */
  #watch(): void {
    const { response } = this.#timeouts;
    if (response === 0) return;
    const internals = inside(this);
    const { stream } = internals.connection;
    const limit = this.#options.limit ?? 0;
    let quietSince: number | null = null;
    let read = 0;
    const isQuiet = () => this.#isBusy() && !stream.isPaused() && !stream.destroyed;
    const close = (why: string) => stream.destroy(Object.assign(new Error(why), HUNG));
    const look = async () => {
      if (!isQuiet()) return;
      if (quietSince === null || stream.bytesRead !== read) quietSince = performance.now() - response;
      read = stream.bytesRead;
      if (limit > 0 && performance.now() - quietSince > limit + GRACE)
        return void close('The database does not cancel a timed-out statement');
      const { host, port } = internals;
      const answers = await isAnswering({ host, port }, { ...this.#options, connectionString: this.#address.url });
      if (!answers && isQuiet() && stream.bytesRead === read) close('The database does not respond');
    };
    stream.on('timeout', () => {
      look()
        .catch(() => {}) // a failed check proves nothing
        .finally(() => stream.destroyed || stream.setTimeout(response)); // restarts the timer
    });
    stream.setTimeout(response);
  }
}

/** Error properties by which Prisma's adapter also recognizes a lost connection. */
const HUNG = { code: 'ETIMEDOUT', errno: -110, syscall: 'read' } as const;

const inside = (client: pg.Client): Internals => client as unknown as Internals;

/** Host selections in progress, by address: concurrent connections share one. */
const choosing = new Map<string, Promise<Host>>();
/** Time of each host's last failure, by the monotonic clock. */
const avoided = new Map<string, number>();
/** Server checks in progress, by host. */
const checks = new Map<string, Promise<boolean>>();

const wrongKind = ({ host, port }: Host, target: string): Error =>
  Object.assign(new Error(`the server at ${host}:${port} does not accept sessions of the kind ${target}`), {
    code: '08004',
  });

/** A client for one query to one host: no watchdog, with a timeout. */
function brief({ host, port }: Host, options: ClientOptions, time: number): pg.Client {
  const { timeouts: _timeouts, limit: _limit, ...rest } = options;
  const client = new pg.Client({ ...rest, pipeline: false, connectionTimeoutMillis: time, query_timeout: time });
  Object.assign(inside(client), { host, port });
  client.on('error', () => {});
  return client;
}

/** @throws Error if the host is unusable */
async function stateOf(host: Host, options: ClientOptions, time: number): Promise<SessionState> {
  const client = brief(host, options, time);
  try {
    await client.connect();
    const { rows } = await client.query<SessionState>(
      `SELECT pg_is_in_recovery() AS "isStandby", current_setting('transaction_read_only') = 'on' AS "isReadOnly"`,
    );
    return rows[0]!;
  } finally {
    inside(client).connection.stream.destroy(); // a regular end could block forever
  }
}

/** Whether a server still responds to a new connection, even with an error. */
function isAnswering(host: Host, options: ClientOptions): Promise<boolean> {
  const key = `${host.host}:${host.port}`;
  const known = checks.get(key);
  if (known) return known;
  const client = brief(host, options, (options.timeouts ?? TIMEOUTS).response);
  const look = client
    .connect()
    .then(
      () => true,
      (failure: { code?: string }) => /^[0-9A-Z]{5}$/.test(failure.code ?? ''), // a SQLSTATE comes from the server itself
    )
    .finally(() => {
      checks.delete(key);
      inside(client).connection.stream.destroy();
    });
  checks.set(key, look);
  return look;
}

export interface PoolOptions extends Omit<ClientOptions, 'limit'> {
  /** Maximum number of connections. */
  readonly max: number;
  /** ms after which an idle connection is closed; 0 for never. */
  readonly idleTimeoutMillis?: number;
  /** ms after which PostgreSQL cancels a statement; 0 if it may take longer. */
  readonly limit?: number;
  readonly verify?: pg.PoolConfig['verify'];
  /** Statement sent on each new connection. */
  readonly begin?: string;
  /** Called with the text of every statement. */
  readonly onStatement?: (text: string) => void;
}

/** A pool of such clients. Connections of a demoted server are closed on release. */
export function createPool({ begin, onStatement, ...options }: PoolOptions): pg.Pool {
  const { timeouts = TIMEOUTS } = options;
  const pool = new pg.Pool({
    ...options,
    connectionTimeoutMillis: timeouts.connect,
    Client: pooledClient(onStatement) as unknown as typeof pg.Client,
    ...(begin && { onConnect: (client: pg.ClientBase) => client.query(begin).then(() => {}) }),
  } as pg.PoolConfig);
  pool.on('error', () => {}); // an idle connection was lost; the next statement opens another
  pool.on('release', (_failure, client) => {
    if ((client as unknown as Client).isDemoted) void (client as unknown as Client).end();
  });
  return pool;
}

function pooledClient(onStatement?: (text: string) => void): typeof Client {
  return class extends Client {
    override query(...args: unknown[]): never {
      const first = args[0] as string | { text: string };
      const text = typeof first === 'string' ? first : first.text;
      if (text === WHICH_CLIENT) return Promise.resolve(answerOf(this.number)) as never;
      if (text === 'COMMIT' || text === 'ROLLBACK') this.ended += 1;
      onStatement?.(text);
      return (super.query as (...a: unknown[]) => never)(...args);
    }
  } as typeof Client;
}

/** As Prisma's adapter reads it. */
const answerOf = (number: number) => ({
  fields: [{ name: 'number', dataTypeID: pg.types.builtins.INT4 }],
  rows: [[number]],
});
