/** Checker of links: checks links of several hosts at a time; every process of the catalog may have one. */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../infra/log/log.ts';
import { startLoop, startNotifiedLoop } from '../infra/worker/loop.ts';
import type { Call } from '../kernel/call.ts';
import { CHANNEL } from './channel.ts';
import { checkLink } from './check.service.ts';
import { nextTurn, refreshHosts, takeLinks } from './due.sql.ts';
import { indexVerdicts, planNewLinks, pruneHosts } from './plan.service.ts';
import { createTurns } from './turns.ts';
import { createVisit } from './visit.ts';

export interface CheckerOptions {
  /** URL of the catalog database, for the connection that receives requests of editors. */
  readonly databaseUrl: string;
  /** A new call with the current time, as a sysadmin without a user. */
  readonly callNow: () => Call;
  readonly log: Logger;
}

export interface Checker {
  /** Takes no more links, and ends running checks, which are repeated later. */
  stop(): Promise<void>;
}

/** ms between two looks for due links. */
const POLL = 5_000;
/** ms between two prunes of hosts. */
const PRUNE_INTERVAL = 3_600_000;
/** Timeout in ms for running checks when the process stops. */
const TIMEOUT = 5_000;

/** Starts the checker. `stop` ends it. @throws Error when the database cannot be reached */
export async function startChecker({ databaseUrl, callNow, log }: CheckerOptions): Promise<Checker> {
  const { settings } = callNow();
  const hosts = settings['catalog.links.interval'] === 0 ? 0 : settings['catalog.links.hosts'];
  if (hosts === 0) return { stop: async () => {} };
  const aborting = new AbortController();
  const { signal } = aborting;
  setMaxListeners(0, signal); // each running check listens
  const timeout = settings['catalog.links.timeout'] * 1_000;
  const turns = createTurns({ sql: () => callNow().sql, pause: settings['catalog.links.pause'], timeout, signal });
  const visit = createVisit({
    turns,
    userAgent: settings['catalog.links.user_agent'],
    allowedHosts: settings['catalog.loading.allowed_hosts'],
    timeout,
    signal,
  });
  const running = new Map<string, Promise<void>>();
  let soon: NodeJS.Timeout | undefined;
  const failed = (failure: unknown) => log.error({ err: failure }, 'checking links failed');

  async function look(wake: () => Promise<void>): Promise<void> {
    await planNewLinks(callNow());
    await indexVerdicts(callNow());
    const { sql } = callNow();
    const free = hosts - running.size;
    if (free > 0) {
      const { taken, idle } = await takeLinks(sql, free, [...running.keys()]);
      if (idle.length > 0) await refreshHosts(sql, idle);
      for (const link of taken) begin(link, wake);
    }
    if (running.size < hosts) await wakeAtNextTurn(wake);
  }

  /** Between two looks at the usual interval, the pause of a host may end. */
  async function wakeAtNextTurn(wake: () => Promise<void>): Promise<void> {
    const wait = await nextTurn(callNow().sql, [...running.keys()]);
    clearTimeout(soon);
    if (wait !== null && wait < POLL) soon = setTimeout(wake, Math.max(wait, MIN_WAIT)).unref();
  }

  function begin(link: Parameters<typeof checkLink>[2], wake: () => Promise<void>): void {
    const checked = checkLink(callNow, visit, link)
      .catch((failure: unknown) => {
        if (!signal.aborted) failed(failure);
      })
      .then(() => {
        running.delete(link.host);
        if (!signal.aborted) void wake();
      });
    running.set(link.host, checked);
  }

  const prunes = startLoop({ look: () => pruneHosts(callNow()), interval: PRUNE_INTERVAL, onFailure: failed });
  const loop = await startNotifiedLoop({
    look,
    url: databaseUrl,
    channels: [CHANNEL],
    interval: POLL,
    delay: 50,
    onFailure: failed,
  });
  return {
    async stop() {
      aborting.abort();
      clearTimeout(soon);
      await Promise.all([loop.stop(), prunes.stop()]);
      clearTimeout(soon);
      await Promise.race([Promise.all(running.values()), sleep(TIMEOUT, undefined, { ref: false })]);
    },
  };
}

/** ms between two looks at least. */
const MIN_WAIT = 20;
