/** The catalog database: one pool, shared by Prisma and the named statements of the hot path. Independent of tables. */
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { type Prisma, PrismaClient } from '../../generated/prisma/client.ts';
import { CatalogError, conflict } from '../../kernel/errors.ts';
import { endStatement, type Span, spanningStatement } from '../../kernel/trace.ts';
import { type Client, createPool, TIMEOUTS, type Timeouts, TRANSACTION_ABORTED, WHICH_CLIENT } from './client.ts';
import { asRefusal, isUnavailable } from './failures.ts';
import { NamedQuery } from './named-query.ts';
import { holding, senderOf, sharing } from './sharing.ts';

/** A Prisma client or the client of an open transaction. */
export type Db = PrismaClient | Prisma.TransactionClient;

/** True for a client, false for an open transaction. */
export const isClient = (db: Db): db is PrismaClient => '$disconnect' in db;

/**
 * A named statement: PostgreSQL parses and plans it once per connection. The text must never vary under one name. A
 * text that depends on the caller's input has no name, or callers could fill the server with plans.
 */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  /** Timeout of the statement outside transactions, which throws LIMIT. Unlimited by default. */
  readonly timeout?: Timeout;
  /** Whether it reads or counts few rows by their keys: outside transactions, it shares a connection with others of the same moment. */
  readonly isShort?: true;
}

export interface Timeout {
  readonly seconds: number;
  /** The name of its setting, for the error message. */
  readonly setting: string;
}

type Scalars<Model extends Prisma.ModelName> = Prisma.TypeMap['model'][Model]['payload']['scalars'];
type Returned<Value> = Value extends bigint | Prisma.Decimal ? string : Value extends bigint[] ? string[] : Value;

/** Fields of a model as statements return them: bigint and numeric are strings. */
export type RowOf<Model extends Prisma.ModelName, Field extends keyof Scalars<Model>> = {
  readonly [Name in Field]: Returned<Scalars<Model>[Name]>;
};

/** Raw SQL for stores. Inside a transaction it runs there. Rows are objects. */
export interface Sql {
  /** Whether a read replica answers. */
  readonly isReplica?: true;
  /** Ends `span` with the statement. */
  rows<Row>(statement: Statement, values?: readonly unknown[], span?: Span): Promise<Row[]>;
}

/** The only column of a statement's first row. */
export async function firstValue<Value>(sql: Sql, statement: Statement, values?: readonly unknown[]): Promise<Value> {
  const [row] = await sql.rows<Record<string, Value>>(statement, values);
  return Object.values(row!)[0]!;
}

export interface Database {
  readonly db: PrismaClient;
  readonly sql: Sql;
  readonly pool: pg.Pool;
  /** The database URL, for other kinds of connections. */
  readonly url: string;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly url: string;
  /** Maximum number of connections. */
  readonly max?: number;
  /** Called with the text of every statement, in order; for LOG_SQL and for tests that count statements. */
  readonly onStatement?: (text: string) => void;
  /** Unlimited by default. */
  readonly timeouts?: Timeouts;
}

export function openDatabase({ url, max = 10, onStatement, timeouts = TIMEOUTS }: DatabaseOptions): Database {
  const begin = sessionStart(timeouts);
  const limit = limitOf(timeouts);
  const observe = onStatement && ((text: string) => text === begin || text === limit?.text || onStatement(text));
  const pool = createPool({
    connectionString: url,
    max,
    timeouts,
    limit: timeouts.statement === 0 ? 0 : Math.max(timeouts.statement, timeouts.transaction),
    pipeline: true, // concurrent statements of a transaction are pipelined
    idleTimeoutMillis: 0, // a cached connection keeps its plans
    begin,
    ...(observe && { onStatement: observe }),
  });
  const db = new PrismaClient({ adapter: new PrismaPg(pool, { statementNameGenerator }), errorFormat: 'minimal' });
  leases.set(db, { byNumber: numbered(pool), timeouts, limit });
  const close = async () => {
    await db.$disconnect();
    if (!pool.ended) await pool.end();
  };
  return { db, sql: sqlOn(pool), pool, url, close };
}

/**
 * UTC, because Prisma sends and reads instants without their zone. No parallel workers and no compiled expressions: our
 * statements read few rows, and starting either costs several times as much as they do.
 */
const SESSION = `SET timezone = 'UTC'; SET max_parallel_workers_per_gather = 0; SET jit = off`;

/**
 * Session settings, with timeouts after which PostgreSQL itself cancels statements and orphaned transactions. Set by a
 * statement: proxies refuse unknown connection parameters.
 */
export const sessionStart = ({ statement, transaction }: Timeouts): string =>
  statement === 0
    ? SESSION
    : `${SESSION}; SET statement_timeout = ${statement}; SET idle_in_transaction_session_timeout = ${2 * transaction}`;

/** Statements of stores, sent directly to a pool or to one connection. */
export function sqlOn(target: pg.Pool | pg.ClientBase): Sql {
  const send = senderOf(target);
  const share = target instanceof pg.Pool ? sharing(target) : send;
  return {
    async rows<Row>(statement: Statement, values: readonly unknown[] = [], span?: Span): Promise<Row[]> {
      const { name, text, timeout, isShort } = statement;
      const bound = target instanceof pg.Pool ? timeout : undefined;
      let hasFailed = true;
      try {
        const run = isShort && !bound ? share : send;
        const found =
          name === undefined && bound === undefined && values.length === 0
            ? (await target.query(text)).rows // only pg's own query runs several statements in one text
            : await new Promise<Row[]>((resolve, reject) => {
                const query = new NamedQuery<Row>(name ?? '', text, values, (bound?.seconds ?? 0) * 1_000);
                run(query, (error, rows) => (error ? reject(error) : resolve(rows as Row[])));
              });
        hasFailed = false;
        return found;
      } catch (thrown) {
        if (bound && isTimeout(thrown))
          throw new CatalogError(
            'LIMIT',
            `Timeout: the request took longer than ${bound.seconds} s (${bound.setting}). Request less at a time.`,
          );
        if (thrown instanceof Error) Error.captureStackTrace(thrown); // the caller's stack, not that of the socket's reader
        throw thrown;
      } finally {
        if (span) endStatement(span, hasFailed);
      }
    },
  };
}

/**
 * Runs `work` in a transaction. After a deadlock it is retried, up to three times, so `work` must have no effects
 * outside the database. @throws CatalogError CONFLICT for a violated unique or foreign key, UNAVAILABLE for a timeout,
 * UnknownOutcome if the connection is lost during the commit
 */
export async function transact<T>(
  db: PrismaClient,
  work: (db: Prisma.TransactionClient, sql: Sql) => Promise<T>,
  tries = 4,
): Promise<T> {
  const { timeouts, limit } = leases.get(db) as Leases;
  let isWorkDone = false;
  try {
    return await db.$transaction(
      async (tx) => {
        const client = await clientOf(db, tx);
        const { ended } = client;
        let isOver = false;
        const sql = sqlOf(client, () => (client.ended === ended ? null : transactionOver(isOver)));
        // In one packet with the first statement that `work` sends by `sql`. If it fails, so do all statements of `work`.
        if (limit) sql.rows(limit).catch(() => {});
        try {
          const done = await work(tx, sql);
          isWorkDone = client.ended === ended; // unless a timeout has rolled it back
          return done;
        } catch (thrown) {
          throw abortedBy(thrown, client);
        } finally {
          isOver = true;
        }
      },
      { maxWait: 2 * timeouts.connect, timeout: timeouts.transaction },
    );
  } catch (thrown) {
    if (isUnavailable(thrown) && !(thrown instanceof CatalogError))
      throw isWorkDone ? new UnknownOutcome(thrown) : asRefusal(thrown);
    if (isUniqueViolation(thrown)) throw conflict(TAKEN);
    if (isForeignKeyViolation(thrown)) throw Object.assign(conflict(BROKEN), { cause: thrown }); // for the log
    if (isDeadlock(thrown)) {
      if (tries > 1) return transact(db, work, tries - 1);
      throw conflict('Deadlock with other writers, in every attempt. Try again.');
    }
    throw thrown;
  }
}

/** The message of a name or an id that another transaction has just used. */
export const TAKEN = 'A concurrent write used the same name or id. Read again and retry.';

const BROKEN = 'A concurrent write changed an object that this one refers to, or refers to it. Read again and retry.';

/** A commit without a response. It is not retried here, and nothing that it refers to is deleted: it may have succeeded. */
export class UnknownOutcome extends CatalogError {
  constructor(override readonly cause: unknown) {
    super(
      'UNAVAILABLE',
      'The database connection was lost during the commit, so the outcome is unknown. Read again before you retry.',
    );
  }
}

/** True for a violated unique or primary key constraint, from Prisma or from raw SQL. */
const isUniqueViolation = (thrown: unknown): boolean =>
  codesOf(thrown).some((code) => code === 'P2002' || code === '23505');

/** The same for a foreign key: services check references, so only a concurrent write should break one. */
const isForeignKeyViolation = (thrown: unknown): boolean =>
  codesOf(thrown).some((code) => code === 'P2003' || code === '23503');

/** True for a statement that hit its timeout. */
const isTimeout = (thrown: unknown): boolean => codesOf(thrown).includes('57014');

const isDeadlock = (thrown: unknown): boolean =>
  codesOf(thrown).some((code) => code === 'P2034' || code === '40P01' || code === '40001');

/** Prisma's and PostgreSQL's codes, at any place in the error. */
function codesOf(thrown: unknown): unknown[] {
  if (thrown instanceof CatalogError || typeof thrown !== 'object' || thrown === null) return [];
  const error = thrown as {
    code?: unknown;
    meta?: { code?: unknown; driverAdapterError?: { cause?: { originalCode?: unknown } } };
  };
  return [error.code, error.meta?.code, error.meta?.driverAdapterError?.cause?.originalCode];
}

interface Leases {
  readonly byNumber: ReadonlyMap<number, pg.PoolClient>;
  readonly timeouts: Timeouts;
  readonly limit: Statement | null;
}

const leases = new WeakMap<PrismaClient, Leases>();

/** The connections of a pool by their numbers. */
function numbered(pool: pg.Pool): Leases['byNumber'] {
  const byNumber = new Map<number, pg.PoolClient>();
  pool.on('connect', (client) => byNumber.set((client as unknown as Client).number, client));
  pool.on('remove', (client) => byNumber.delete((client as unknown as Client).number));
  return byNumber;
}

/** Sets the statement timeout of a transaction: that of the whole transaction. Null if statements have none. */
const limitOf = ({ statement, transaction }: Timeouts): Statement | null =>
  statement === 0
    ? null
    : { name: 'transaction_timeout', text: `SELECT set_config('statement_timeout', '${transaction}', true)` };

/** The connection of a transaction that Prisma has opened. The connection itself answers, without PostgreSQL. */
async function clientOf(db: PrismaClient, tx: Prisma.TransactionClient): Promise<pg.PoolClient & Client> {
  const { byNumber } = leases.get(db) as Leases;
  const [found] = await tx.$queryRawUnsafe<{ number: number }[]>(WHICH_CLIENT);
  return byNumber.get(found!.number) as pg.PoolClient & Client;
}

/** The error that aborted a transaction, if `thrown` only says that it is aborted: concurrent statements may reject in any order. */
const abortedBy = (thrown: unknown, client: Client): unknown =>
  (codesOf(thrown).includes(TRANSACTION_ABORTED) && client.lastError) || thrown;

/** The error of a statement after its transaction. During `work`, only a timeout or the end of the process ends one: Prisma's code for both. */
const transactionOver = (isWorkOver: boolean) =>
  Object.assign(new Error('The transaction is over'), isWorkOver ? {} : { code: 'P2028' });

/**
 * Statements of a transaction, sent on its connection without Prisma, which takes five times as long for each. None is
 * sent after its COMMIT or ROLLBACK: it would be committed alone, or run in another transaction. `refusal`: the error of a
 * transaction that is over, or null.
 */
function sqlOf(client: pg.PoolClient, refusal: () => Error | null): Sql {
  const sql = sqlOn(client);
  const hold = holding(client);
  return {
    rows: (statement, values, span) => {
      const refused = refusal();
      if (refused) return spanningStatement(span, Promise.reject(refused));
      hold();
      return sql.rows(statement, values, span);
    },
  };
}

/**
 * Names Prisma's own statements, so that they are planned once. Statements beyond the first 500 texts stay unnamed. So
 * do lists of values: each length is another text, and could exhaust the names.
 */
const names = new Map<string, string>();
const IS_LIST = / IN \(\$\d+,/;
function statementNameGenerator({ sql }: { sql: string }): string {
  let name = names.get(sql);
  if (name === undefined && names.size < 500 && !IS_LIST.test(sql)) names.set(sql, (name = `prisma_${names.size}`));
  return name as string; // undefined for pg: an unnamed statement
}
