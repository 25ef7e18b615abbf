/** Dispatcher of webhooks: delivers several at a time; every process of the catalog may have one, and each can deliver any webhook. */
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { endOfLog } from '../feed/feed.service.ts';
import type { Logger } from '../infra/log/log.ts';
import { startNotifiedLoop } from '../infra/worker/loop.ts';
import type { Call } from '../kernel/call.ts';
import type { Tracer } from '../tracing/tracer.ts';
import { serve } from './delivery.service.ts';
import { dueWebhooks, passIdle } from './delivery.sql.ts';
import { isAnyActive } from './delivery.store.ts';
import { CHANNEL } from './webhook.sql.ts';

export interface DispatcherOptions {
  /** Maximum number of webhooks delivered concurrently. */
  readonly senders: number;
  /** URL of the catalog database, for the connection that receives notifications of changes. */
  readonly databaseUrl: string;
  /** A new call with the current time, as a sysadmin without a user. */
  readonly callNow: () => Call;
  readonly log: Logger;
  /** Null without traces. */
  readonly tracer?: Tracer | null;
}

export interface Dispatcher {
  /** Starts no more messages, and waits for running ones. */
  stop(): Promise<void>;
}

/** ms between two polls without notifications: for retries, and for webhooks of dead processes. */
const POLL = 2_000;
/** ms in which notifications are merged. */
const TOGETHER = 50;
/** Timeout in ms for running messages when the process stops; after that another process sends them again. */
const TIMEOUT = 20_000;

/** Starts the dispatcher. `stop` ends it. @throws Error when the database cannot be reached */
export async function startDispatcher({
  senders,
  databaseUrl,
  callNow,
  log,
  tracer = null,
}: DispatcherOptions): Promise<Dispatcher> {
  const running = new Map<string, Promise<void>>();
  const aborting = new AbortController();
  const self = `${hostname()} ${process.pid}`;
  let stopping = false;
  let isMore = false;
  const failed = (failure: unknown) => log.error({ err: failure }, 'webhook delivery failed');

  async function look(wake: () => Promise<void>): Promise<void> {
    if (stopping || running.size >= senders) return;
    const call = callNow();
    if (!(await isAnyActive(call.db))) return;
    const last = await endOfLog(call);
    await passIdle(call.sql, last);
    const free = senders - running.size;
    const max = free + running.size + 1;
    const due = await dueWebhooks(call.sql, self, last, max, Math.ceil(senders / 2));
    const next = due.filter((id) => !running.has(id));
    isMore = next.length > free;
    if (!stopping) for (const id of next.slice(0, free)) begin(id, wake);
  }

  function begin(id: string, wake: () => Promise<void>): void {
    const served = serve({ newCall: callNow, tracer }, id, self, aborting.signal, () => stopping)
      .catch((failure: unknown) => {
        if (!aborting.signal.aborted) failed(failure);
        return false;
      })
      .then((hasServed) => {
        running.delete(id);
        if (hasServed || isMore) void wake();
      });
    running.set(id, served);
  }

  const loop = await startNotifiedLoop({
    look,
    url: databaseUrl,
    channels: ['change', CHANNEL],
    interval: POLL,
    delay: TOGETHER,
    onFailure: failed,
  });
  return {
    async stop() {
      stopping = true;
      await loop.stop();
      const all = () => Promise.all(running.values());
      await Promise.race([all(), sleep(TIMEOUT, undefined, { ref: false })]);
      aborting.abort();
      await all();
    },
  };
}
