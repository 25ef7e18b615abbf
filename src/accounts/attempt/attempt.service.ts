/**
 * Rate limits for guessing. An attempt is counted before it is evaluated, so that concurrent ones do not count as one.
 * Counters do not depend on whether the account exists. They expire automatically, so no user is locked out permanently.
 */

import { networkOf } from '../../infra/http/client-network.ts';
import type { Call } from '../../kernel/call.ts';
import { CatalogError } from '../../kernel/errors.ts';
import { type AttemptKind, accountKey, type Counted, maxAttempts, tooOften } from './attempt.rules.ts';
import { countAttempts } from './attempt.sql.ts';
import { forgetAttempts, sweepAttempts, takeBackAttempts } from './attempt.store.ts';

export const byAccount = (login: string): Counted => ['account', accountKey(login)];
export const byAddress = ({ actor }: Call): Counted => ['address', networkOf(actor.address)];
/** A user at an address of an earlier sign-in: attempts from elsewhere do not count here. */
export const byKnownAddress = ({ actor }: Call, userId: string): Counted => ['place', userId, networkOf(actor.address)];

/** The hash under which the caller's address is stored. */
export const addressHash = ({ actor, secrets: { secretBox } }: Call): string =>
  secretBox.hash(`address ${networkOf(actor.address)}`);

/** Counts one attempt under each key. Never inside a transaction: a refusal must not be rolled back. @throws CatalogError LIMIT. */
export async function countAttempt(call: Call, kind: AttemptKind, counted: readonly Counted[]): Promise<void> {
  const {
    db,
    sql,
    settings,
    request: { now },
    process: { background },
  } = call;
  const oldest = new Date(now.getTime() - settings['catalog.auth.lockout'] * 1_000);
  const max = new Map(counted.map((it) => [keyOf(call, kind, it), maxAttempts(kind, it, settings)]));
  const rows = await countAttempts(sql, [...max.keys()], now, oldest);
  background.start('sweep of attempts', () => sweepAttempts(db, oldest));
  const over = rows.filter(({ key, tries }) => tries > max.get(key)!);
  if (over.length === 0) return;
  const latest = Math.max(...over.map(({ since }) => since.getTime()));
  throw new CatalogError('LIMIT', tooOften(Math.max(1, Math.ceil((latest - oldest.getTime()) / 1_000))));
}

/**
 * Counts one attempt under each key, then evaluates it. An evaluation refused for lack of capacity (LIMIT) reveals
 * nothing, so its attempt is not counted. @throws CatalogError LIMIT, and every error of `look`.
 */
export async function attempt<T>(
  call: Call,
  kind: AttemptKind,
  counted: readonly Counted[],
  look: () => Promise<T>,
): Promise<T> {
  await countAttempt(call, kind, counted);
  try {
    return await look();
  } catch (thrown) {
    if (thrown instanceof CatalogError && thrown.kind === 'LIMIT')
      await takeBackAttempts(
        call.db,
        counted.map((it) => keyOf(call, kind, it)),
      );
    throw thrown;
  }
}

/** Corrects the counters after a success: those of accounts are reset, those of addresses get this one attempt back. */
export async function forgiveAttempt(call: Call, kind: AttemptKind, counted: readonly Counted[]): Promise<void> {
  const keys = (address: boolean) =>
    counted.filter(([by]) => (by === 'address') === address).map((it) => keyOf(call, kind, it));
  await forgetAttempts(call.db, keys(false));
  await takeBackAttempts(call.db, keys(true));
}

const keyOf = ({ secrets: { secretBox } }: Call, kind: AttemptKind, counted: Counted): string =>
  secretBox.hash(`attempt ${JSON.stringify([kind, ...counted])}`);
