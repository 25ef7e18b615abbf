/**
 * Shortens the log while PostgreSQL is down: such failures are one line without a stack trace, and repeated messages
 * are throttled and counted.
 */
import type { LogFn, Logger } from 'pino';
import { reasonOf } from '../postgres/failures.ts';

/** ms in which the same message is logged once. */
const ONCE_IN = 10_000;

interface Outage {
  leftOut: number;
  readonly timer: NodeJS.Timeout;
}

/** A pino hook for each message. */
export function createOutages(every = ONCE_IN) {
  const outages = new Map<string, Outage>();
  return function logMethod(this: Logger, args: Parameters<LogFn>, method: LogFn): void {
    const [first, message] = args as [unknown, unknown];
    const { err, ...more } = (typeof first === 'object' && first !== null ? first : {}) as { err?: unknown };
    const reason = err === undefined ? null : reasonOf(err);
    if (reason === null) {
      method.apply(this, args);
      return;
    }
    const key = `${message} ${reason}`;
    const known = outages.get(key);
    if (known) {
      known.leftOut += 1;
      return;
    }
    const write = (facts: object) => method.apply(this, [{ ...more, ...facts, reason }, String(message)] as never);
    const timer = setTimeout(() => {
      const { leftOut } = outages.get(key) as Outage;
      outages.delete(key);
      if (leftOut > 0) write({ leftOut });
    }, every).unref();
    outages.set(key, { leftOut: 0, timer });
    write({});
  };
}
