/** `/livez` and `/readyz`: liveness of the process, and readiness of all components. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { JSON_TYPE, retryHeader, sendText } from '../../facades/shared/http.ts';
import type { Logger } from '../infra/log/log.ts';
import { reasonOf } from '../infra/postgres/failures.ts';

/** Checks a component once. @throws any failure */
export type Check = (signal: AbortSignal) => Promise<unknown>;

export interface Health {
  owns(url: string | undefined): boolean;
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** Whether each part works. */
  parts(): Promise<Record<string, boolean>>;
  /** Makes `/readyz` report that the server is stopping. */
  stop(): void;
}

/** State of a component in `/readyz`. */
type State = 'ok' | 'failing';

/** Timeout in ms for checking all components. */
const TIMEOUT = 1_000;
/** ms for which a result is cached, which bounds the checks for any number of requests. */
const CACHE_TIME = 500;

/**
 * Checks components by name; concurrent requests share one check. Failures are logged when they change and not shown to
 * anonymous callers.
 */
export function createHealth(checks: Readonly<Record<string, Check>>, log: Logger): Health {
  let last: { readonly at: number; readonly states: Promise<Record<string, State>> } | null = null;
  let isStopping = false;
  const failing = new Set<string>();

  async function run(name: string, check: Check): Promise<State> {
    try {
      await within(TIMEOUT, check);
      if (failing.delete(name)) log.info({ part: name }, 'a part of the service works again');
      return 'ok';
    } catch (failure) {
      const reason = reasonOf(failure) ?? (failure as Error)?.message ?? String(failure);
      if (!failing.has(name)) log.warn({ part: name, reason }, 'a part of the service fails');
      failing.add(name);
      return 'failing';
    }
  }

  function states(): Promise<Record<string, State>> {
    const now = performance.now();
    if (last === null || now - last.at > CACHE_TIME) {
      const results = Object.entries(checks).map(async ([name, check]) => [name, await run(name, check)] as const);
      last = { at: now, states: Promise.all(results).then((found) => Object.fromEntries(found)) };
    }
    return last.states;
  }

  return {
    owns: (url = '') => /^\/(?:livez|readyz)(?:\?|$)/.test(url),
    async handle(req, res) {
      const answer = (status: number, body: object) =>
        sendText(res, status, JSON_TYPE, `${JSON.stringify(body)}\n`, {
          'cache-control': 'no-store',
          ...retryHeader(res, status),
        });
      if (req.method !== 'GET' && req.method !== 'HEAD') {
        res.setHeader('allow', 'GET, HEAD');
        return answer(405, { status: 'error' });
      }
      if (req.url!.startsWith('/livez')) return answer(200, { status: 'live' });
      if (isStopping) return answer(503, { status: 'stopping' });
      const parts = await states();
      const isReady = Object.values(parts).every((state) => state === 'ok');
      answer(isReady ? 200 : 503, { status: isReady ? 'ready' : 'failing', parts });
    },
    parts: async () =>
      Object.fromEntries(Object.entries(await states()).map(([name, state]) => [name, state === 'ok'])),
    stop() {
      isStopping = true;
    },
  };
}

async function within(time: number, check: Check): Promise<void> {
  const signal = AbortSignal.timeout(time);
  const late = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error(`no answer within ${time} ms`)), { once: true });
  });
  await Promise.race([check(signal), late]);
}
