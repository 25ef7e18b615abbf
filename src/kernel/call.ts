import type { Logger } from 'pino';
import type { Background } from '../infra/concurrency/background.ts';
import type { Argon } from '../infra/crypto/argon.ts';
import type { SecretBox } from '../infra/crypto/secret-box.ts';
import type { Blobs } from '../infra/files/blobs.ts';
import { networkOf } from '../infra/http/client-network.ts';
import type { Mail } from '../infra/mail.ts';
import type { Datastore } from '../infra/postgres/datastore.ts';
import type { Db, Sql } from '../infra/postgres/db.ts';
import { isClient, transact } from '../infra/postgres/db.ts';
import type { Settings } from './config.ts';
import type { Feed } from './feed.ts';

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
  /** Aborted when the client disconnects; undefined if unknown. */
  readonly gone?: AbortSignal;
  /**
   * Charges the cost of an operation to the caller; undefined without rate limits. @throws CatalogError RATE_LIMIT,
   * before the operation runs
   */
  readonly charge?: (cost: number) => void;
  /** Checks whether the caller's key, token or session is still valid; undefined for callers without one. */
  readonly isCredentialValid?: () => Promise<boolean>;
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
  /** Brings the statistics up to the last committed write. @throws CatalogError UNAVAILABLE if there are too many writes */
  readonly countWrites: (call: Call) => Promise<void>;
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

/** The call with other facts about its request. */
export const withRequest = (call: Call, facts: Partial<RequestFacts>): Call => ({
  ...call,
  request: { ...call.request, ...facts },
});

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
  let steps: Step[] = [];
  const ends: Step[] = [];
  try {
    const result = await transact(call.db, (db, sql) => {
      steps = [];
      later.set(db, steps); // each attempt has its own transaction and steps
      atEnd.set(db, ends);
      return work({ ...call, db, sql });
    });
    await take(call, steps);
    return result;
  } finally {
    await take(call, ends);
  }
}

type Step = (call: Call) => Promise<void>;

const later = new WeakMap<Db, Step[]>();
const atEnd = new WeakMap<Db, Step[]>();

async function take(call: Call, steps: readonly Step[]): Promise<void> {
  for (const step of new Set(steps))
    await step(call).catch((failure: unknown) => call.process.log.error({ err: failure }, 'post-commit step failed'));
}

/**
 * Runs `step` after this call's transaction commits, and never after a rollback. A step registered twice runs once. A
 * failing step is logged, because the writes are committed. Outside a transaction it does not run: there is no commit.
 */
export function afterCommit(call: Call, step: Step): void {
  later.get(call.db)?.push(step);
}

/** Runs `step` after every attempt of this call's transaction, committed or not. Otherwise as afterCommit. */
export function afterEnd(call: Call, step: Step): void {
  atEnd.get(call.db)?.push(step);
}
