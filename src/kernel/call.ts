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

/** What a member of a group or organization may do there; admin includes editor includes member. */
export type Capacity = 'admin' | 'editor' | 'member';

/** Who is asking. Anonymous callers have no id and no name. */
export interface Actor {
  readonly userId: string | null;
  readonly name: string | null;
  readonly sysadmin: boolean;
  /** Where the request came from: the revision's author when nobody is signed in. */
  readonly address: string;
  /** Group id → capacity there, own or inherited from a parent group (catalog.auth.roles_that_cascade_to_sub_groups). */
  readonly capacities: ReadonlyMap<string, Capacity>;
  /** The session that the caller is signed in by; left out for other callers. */
  readonly sessionId?: string;
  /** Set when a token narrows what the caller may do: `read`, or `write` without the account's own secrets and powers. */
  readonly limitedTo?: 'read' | 'write';
}

/** Everything a service may touch besides its input. Made once per request, never changed. */
export interface Call {
  readonly actor: Actor;
  readonly db: Db;
  readonly sql: Sql;
  /** The DataStore's database; null where there is none, or the plugin is switched off. */
  readonly datastore: Datastore | null;
  readonly settings: Settings;
  readonly secretBox: SecretBox;
  /** Argon2id, off this thread. */
  readonly argon: Argon;
  /** The bytes of files. */
  readonly blobs: Blobs;
  readonly mail: Mail;
  /** The log of changes as it goes on. */
  readonly feed: Feed;
  readonly background: Background;
  readonly log: Logger;
  /** Takes the cost of an operation from what the caller may spend; left out where nobody counts. @throws CatalogError RATE_LIMIT, before anything runs */
  readonly charge?: (cost: number) => void;
  /** The time of the request, one for everything written in it. */
  readonly now: Date;
  /** Whether the key, token or session that the caller was known by still counts, asked now; left out where there is none. */
  readonly stands?: () => Promise<boolean>;
  /** Aborted when the caller no longer waits for an answer; left out where nobody knows. */
  readonly gone?: AbortSignal;
}

const NOWHERE: ReadonlyMap<string, Capacity> = new Map();

export const anonymous = (address: string): Actor => ({
  userId: null,
  name: null,
  sysadmin: false,
  address,
  capacities: NOWHERE,
});

/** Whose connections and streams are counted together: a user's, wherever they come from, else those of a network address. */
export const callerOf = ({ userId, address }: Actor): string => userId ?? `at ${networkOf(address)}`;

/**
 * Runs `work` in one transaction: its call reads and writes through the transaction.
 * A call already in a transaction is used as it is, so services can be put together.
 */
export async function inTransaction<T>(call: Call, work: (call: Call) => Promise<T>): Promise<T> {
  if (!isClient(call.db)) return work(call);
  let steps: Step[] = [];
  const ends: Step[] = [];
  try {
    const result = await transact(call.db, (db, sql) => {
      steps = [];
      later.set(db, steps); // each try has a transaction, and steps, of its own
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
    await step(call).catch((failure: unknown) => call.log.error({ err: failure }, 'post-commit step failed'));
}

/**
 * Has `step` done once the transaction of this call is committed, and never when it is not. The same step asked for twice is
 * done once; one that fails is logged, for what was written stands. Outside a transaction it is not done: there is no commit.
 */
export function afterCommit(call: Call, step: Step): void {
  later.get(call.db)?.push(step);
}

/** Has `step` done once the transaction of this call is over, committed or not, and after every try of it. Otherwise as afterCommit. */
export function afterEnd(call: Call, step: Step): void {
  atEnd.get(call.db)?.push(step);
}
