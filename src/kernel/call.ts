import type { Logger } from 'pino';
import type { Background } from '../infra/concurrency/background.ts';
import type { Argon } from '../infra/crypto/argon.ts';
import type { SecretBox } from '../infra/crypto/secret-box.ts';
import type { Blobs } from '../infra/files/blobs.ts';
import { networkOf } from '../infra/http/client-network.ts';
import type { Mail } from '../infra/mail.ts';
import type { Datastore } from '../infra/postgres/datastore.ts';
import type { Db, Sql } from '../infra/postgres/db.ts';
import { isClient, transact, UnknownOutcome } from '../infra/postgres/db.ts';
import type { Replicas } from '../infra/postgres/replicas.ts';
import {
  beginTransaction,
  sourceOfDb,
  sourceOfSql,
  tracedDatastore,
  tracedDb,
  tracedSql,
} from '../infra/postgres/traced.ts';
import { CatalogError } from './errors.ts';
import type { Feed } from './feed.ts';
import type { Meter } from './meter.ts';
import { type Origin, requestIdOf } from './request.ts';
import type { Settings } from './settings.ts';
import { type ActiveSpan, spanning } from './trace.ts';
import type { SearchUse, UsageCounter, Use } from './usage.ts';

/** A user's capacity in a group or organization; admin includes editor, editor includes member. */
export type Capacity = 'admin' | 'editor' | 'member';

/** The caller's identity. Anonymous callers have no id and no name. */
export interface Actor {
  readonly userId: string | null;
  readonly name: string | null;
  readonly sysadmin: boolean;
  /** The network address of the request: the author of an anonymous caller's revision. */
  readonly address: string;
  /** Group id → capacity there, own or inherited from a parent group (catalog.auth.roles_that_cascade_to_sub_groups). */
  readonly capacities: ReadonlyMap<string, Capacity>;
  /** The caller's session; undefined for other credentials. */
  readonly sessionId?: string;
  /** The scope of a token that restricts the caller: `read`, or `write` without the account's own secrets and sysadmin rights. */
  readonly limitedTo?: 'read' | 'write';
}

/** The request, or the job or command, that a call serves. */
export interface RequestFacts {
  /** The time of the request, used for all its writes. */
  readonly now: Date;
  /** The HTTP request; undefined for jobs and commands. */
  readonly origin?: Origin | undefined;
  /** Aborted when the client disconnects; undefined if unknown. */
  readonly gone?: AbortSignal;
  /**
   * Charges the cost of an operation to the caller; undefined without rate limits. @throws CatalogError RATE_LIMIT,
   * before the operation runs
   */
  readonly charge?: (cost: number) => void;
  /** Bounds the table records of a client's operation; undefined for other requests, whose answer is one result. */
  readonly records?: RecordsBudget;
  /** Results of reads, for later operations of a request that writes nothing; undefined for other requests. */
  readonly read?: Map<string, unknown>;
  /** Objects that the operation of a client looked up; undefined for other requests, which report them in another way. */
  readonly uses?: (Use | SearchUse)[];
  /** Parent of the spans of this call; undefined for requests without a trace. */
  readonly span?: ActiveSpan;
  /** Checks whether the caller's key, token or session is still valid; undefined for callers without one. */
  readonly isCredentialValid?: () => Promise<boolean>;
}

/** Counts bytes of table records. @throws CatalogError LIMIT when they are too many */
export interface RecordsBudget {
  /** Called before a read. Throws if an earlier one was refused. */
  readonly begin: () => void;
  /** Records that were read. A negative number gives back those of a failed read. */
  readonly read: (bytes: number) => void;
  /** Records in the answer: each alias of a field returns them once more. */
  readonly send: (bytes: number) => void;
}

/** Data beside the catalog's database. No transaction includes them. */
export interface Stores {
  /** The DataStore's database; null if there is none or the plugin is disabled. */
  readonly datastore: Datastore | null;
  /** The file store. */
  readonly blobs: Blobs;
}

/** Protects secrets of accounts. */
export interface Secrets {
  readonly secretBox: SecretBox;
  /** Argon2id in worker threads. */
  readonly argon: Argon;
}

/** Parts of this process that work beside the call. */
export interface ProcessParts {
  /** The live change log. */
  readonly feed: Feed;
  readonly mail: Mail;
  readonly background: Background;
  readonly log: Logger;
  /** Counts events for metrics. */
  readonly meter: Meter;
  /** Counts uses of datasets and resources. */
  readonly usage: UsageCounter;
  /** Sums the uses that all processes have stored. */
  readonly sumUses: (call: Call) => Promise<void>;
  /** Brings the statistics up to the last committed write. @throws CatalogError UNAVAILABLE if there are too many writes */
  readonly countWrites: (call: Call) => Promise<unknown>;
  /** Null without read replicas. */
  readonly replicas: Replicas | null;
}

/** Everything that a service may access besides its input. Created once per request, immutable. */
export interface Call {
  readonly actor: Actor;
  readonly request: RequestFacts;
  /** The catalog's database, by Prisma and by SQL: both in the same transaction, if there is one. */
  readonly db: Db;
  readonly sql: Sql;
  readonly stores: Stores;
  readonly secrets: Secrets;
  readonly process: ProcessParts;
  readonly settings: Settings;
}

/** The call with other facts about its request; facts that are undefined stay as they were. Every property is written out: of all ways to copy an object, this is the cheapest. */
export const withRequest = (call: Call, facts: Partial<RequestFacts>): Call => ({
  actor: call.actor,
  request: withFacts(call.request, facts),
  db: call.db,
  sql: call.sql,
  stores: call.stores,
  secrets: call.secrets,
  process: call.process,
  settings: call.settings,
});

/**
 * The call under a span: its statements belong to it. The same call without one. Only this sets `request.span`, because a call
 * that has it has clients that record spans.
 */
export function withSpan(call: Call, span: ActiveSpan | null | undefined): Call {
  if (!span) return call;
  const { datastore, blobs } = call.stores;
  return {
    actor: call.actor,
    request: withFacts(call.request, { span }),
    db: tracedDb(call.request.span ? sourceOfDb(call.db) : call.db, span),
    sql: tracedSql(call.sql, span),
    stores: { datastore: datastore && tracedDatastore(datastore, span), blobs },
    secrets: call.secrets,
    process: call.process,
    settings: call.settings,
  };
}

const withFacts = (before: RequestFacts, facts: Partial<RequestFacts>): RequestFacts =>
  ({
    now: facts.now ?? before.now,
    origin: facts.origin ?? before.origin,
    gone: facts.gone ?? before.gone,
    charge: facts.charge ?? before.charge,
    records: facts.records ?? before.records,
    read: facts.read ?? before.read,
    uses: facts.uses ?? before.uses,
    span: facts.span ?? before.span,
    isCredentialValid: facts.isCredentialValid ?? before.isCredentialValid,
  }) satisfies { [Key in keyof Required<RequestFacts>]: RequestFacts[Key] | undefined } as RequestFacts;

/** `traceparent` of the span that a call serves, for work that it causes; null without a recorded trace. */
export const traceparentOf = ({ request: { span } }: Call): string | null => span?.traceparent() ?? null;

/** The log, with the id of the request. */
export const logOf = ({ process: { log }, request: { origin } }: Pick<Call, 'process' | 'request'>): Logger =>
  origin ? log.child({ requestId: requestIdOf(origin) }) : log;

const NOWHERE: ReadonlyMap<string, Capacity> = new Map();

export const anonymous = (address: string): Actor => ({
  userId: null,
  name: null,
  sysadmin: false,
  address,
  capacities: NOWHERE,
});

/** The key under which connections and streams are counted: the user from any address, else the network address. */
export const callerOf = ({ userId, address }: Actor): string => userId ?? `at ${networkOf(address)}`;

/**
 * Runs `work` in one transaction: its call reads and writes through the transaction. A call that is already in a
 * transaction is reused, so services can be nested.
 */
export async function inTransaction<T>(call: Call, work: (call: Call) => Promise<T>): Promise<T> {
  if (!isClient(call.db)) return work(call);
  if (sourceOfSql(call.sql).isReplica) throw new NeedsPrimary();
  let steps: Step[] = [];
  const ends: Step[] = [];
  const span = call.request.span && beginTransaction(call.request.span);
  try {
    const committing = transact(sourceOfDb(call.db), (db, sql) => {
      steps = [];
      later.set(db, steps); // each attempt has its own transaction and steps
      atEnd.set(db, ends);
      return work(withSpan({ ...call, db, sql }, span));
    });
    const result = await (span ? spanning(span, committing) : committing);
    await take(call, steps);
    return result;
  } catch (thrown) {
    if (thrown instanceof UnknownOutcome)
      ends.length = 0; // they could delete a file that the commit refers to
    else if (thrown instanceof CatalogError && thrown.kind === 'CONFLICT' && thrown.cause)
      logOf(call).warn({ err: thrown.cause }, 'A write was refused, because it would break a reference');
    throw thrown;
  } finally {
    call.process.replicas?.wrote(); // also after a failure: the commit may have succeeded
    await take(call, ends);
  }
}

/** A query that reads from a replica began a transaction. It runs again on the primary. */
class NeedsPrimary extends Error {
  override readonly message = 'Transactions run on the primary';
}

type Step = (call: Call) => Promise<void>;

const later = new WeakMap<Db, Step[]>();
const atEnd = new WeakMap<Db, Step[]>();

async function take(call: Call, steps: readonly Step[]): Promise<void> {
  for (const step of new Set(steps))
    await step(call).catch((failure: unknown) => logOf(call).error({ err: failure }, 'post-commit step failed'));
}

/**
 * Runs `step` after this call's transaction commits, and never after a rollback. A step registered twice runs once. A
 * failing step is logged, because the writes are committed. Outside a transaction it does not run: there is no commit.
 */
export function afterCommit(call: Call, step: Step): void {
  later.get(sourceOfDb(call.db))?.push(step);
}

/** Runs `step` after this call's transaction, committed or not, unless its outcome is unknown. Otherwise as afterCommit. */
export function afterEnd(call: Call, step: Step): void {
  atEnd.get(sourceOfDb(call.db))?.push(step);
}
