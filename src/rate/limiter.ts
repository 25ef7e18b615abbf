/** Rate limit per caller over all APIs: the graph, the Action API and every other facade (docs/graphql.md). */
import { networkOf } from '../infra/http/client-network.ts';
import type { Logger } from '../infra/log/log.ts';
import type { Database } from '../infra/postgres/db.ts';
import type { Actor } from '../kernel/call.ts';
import { CatalogError } from '../kernel/errors.ts';
import { type Meter, noMeter } from '../kernel/meter.ts';
import type { Settings } from '../kernel/settings.ts';
import { type Allowance, createBuckets, type Taken } from './buckets.ts';
import { spendAll } from './rate.sql.ts';
import { sweepFull } from './rate.store.ts';

export interface LimiterOptions {
  readonly settings: Settings;
  readonly database: Pick<Database, 'db' | 'sql'>;
  readonly log: Logger;
  /** Counts events for metrics. */
  readonly meter?: Meter;
  /** Whether an IP address is in one of the networks of catalog.rate.exempt. */
  readonly isExempt: (address: string) => boolean;
}

/** Sets a response header. */
export type SetHeader = (name: string, value: string) => void;

export interface Limiter {
  /** A function that charges a cost to the caller and sets the rate limit headers; undefined for callers without a limit. */
  chargeOf(actor: Actor, setHeader: SetHeader): ((cost: number) => void) | undefined;
  close(): Promise<void>;
}

/** ms between exchanges of spending among processes. */
const SHARE_INTERVAL = 1_000;
/** Number of exchanges after which full buckets are removed. */
const SWEEP_EVERY = 60;

/** Null when no caller has a limit, so that requests have no overhead. */
export function createLimiter({ settings, database, log, meter = noMeter, isExempt }: LimiterOptions): Limiter | null {
  const allowances = { address: allowanceOf(settings, 'anonymous'), user: allowanceOf(settings, 'users') };
  if (!allowances.address && !allowances.user) return null;
  const isShared = settings['catalog.rate.shared'];
  const buckets = createBuckets(isShared);
  let sharing = Promise.resolve();
  let round = 0;

  async function share(): Promise<void> {
    round += 1;
    const spent = buckets.spent();
    if (spent.size > 0) {
      const seconds = [...spent.values()].map((ms) => ms / 1_000);
      for (const { caller, fullIn } of await spendAll(database.sql, [...spent.keys()], seconds))
        buckets.learn(caller, Math.max(0, fullIn) * 1_000, Date.now());
    }
    if (round % SWEEP_EVERY === 0) await sweepFull(database.db);
  }

  const next = () => {
    sharing = sharing
      .then(share)
      .catch((failure: unknown) => log.warn({ err: failure }, 'sharing rate limits between processes failed'));
  };
  const timer = isShared ? setInterval(next, SHARE_INTERVAL).unref() : undefined;

  return {
    chargeOf(actor, setHeader) {
      const allowance = allowances[actor.userId === null ? 'address' : 'user'];
      if (!allowance || actor.sysadmin || isExempt(actor.address)) return undefined;
      const kind = actor.userId === null ? 'address' : 'user';
      const caller = actor.userId === null ? `address ${networkOf(actor.address)}` : `user ${actor.userId}`;
      return (cost) => {
        const taken = buckets.take(caller, allowance, cost, Date.now());
        setHeaders(setHeader, allowance, taken);
        if (taken.isAllowed) return;
        meter.add('catalog_rate_limit_refusals_total', [kind]);
        throw tooMuch(cost, taken, allowance);
      };
    },
    close() {
      clearInterval(timer);
      if (isShared) next();
      return sharing;
    },
  };
}

function allowanceOf(settings: Settings, who: 'anonymous' | 'users'): Allowance | null {
  const perMinute = settings[`catalog.rate.${who}`];
  return perMinute === 0 ? null : { perMinute, max: perMinute * settings['catalog.rate.saved'] };
}

/** draft-ietf-httpapi-ratelimit-headers: the maximum and the time to restore it, the remaining budget and the time until full. */
function setHeaders(
  setHeader: SetHeader,
  { perMinute, max }: Allowance,
  { left, fullIn, retryIn, isAllowed }: Taken,
): void {
  setHeader('RateLimit-Policy', `"cost";q=${max};w=${Math.round((max / perMinute) * 60)}`);
  setHeader('RateLimit', `"cost";r=${left};t=${fullIn}`);
  if (!isAllowed) setHeader('Retry-After', String(retryIn));
}

const tooMuch = (cost: number, { left, retryIn }: Taken, { perMinute, max }: Allowance): CatalogError =>
  new CatalogError(
    'RATE_LIMIT',
    `Rate limit exceeded: the request costs ${Math.ceil(cost)}, and ${left} of ${max} are left. ${perMinute} are added per minute. Retry in ${retryIn} s.`,
  );
