/** Logs one line per request. */
import type { Logger } from '../infra/log/log.ts';
import type { EndedRequest, Observer } from '../operations/recorder.ts';

export function createRequestLog(log: Logger): Observer {
  return ({ method, route, facade, operation, status, milliseconds, cost, userId, requestId }: EndedRequest) => {
    const ms = Math.round(milliseconds * 10) / 10;
    log.info({ requestId, method, route, facade, operation, status, ms, cost, userId }, 'request');
  };
}
