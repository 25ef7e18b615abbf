/** One request at a time per host over all processes, with a pause after each. */
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '../infra/postgres/db.ts';
import { endTurn, pauseOfHost, takeTurn } from './turns.sql.ts';

/** The host accepts no request for a longer time. */
export class HostPaused extends Error {
  override readonly name = 'HostPaused';
  /** ms until it does. */
  readonly wait: number;

  constructor(host: string, wait: number) {
    super(`${host} is paused for ${Math.ceil(wait / 1_000)} s`);
    this.wait = wait;
  }
}

export interface Turns {
  /**
   * Sends a request in the host's turn. `work` returns the pause in ms that the host needs afterwards, besides the usual
   * one. @throws HostPaused, and errors of `work`
   */
  inTurn<T>(host: string, work: () => Promise<{ value: T; pause: number }>): Promise<T>;
}

export interface TurnOptions {
  readonly sql: () => Sql;
  /** ms between two requests to a host. */
  readonly pause: number;
  /** Maximum ms of a request. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/** Maximum ms to wait for a turn; a link that waits longer is checked later. */
const MAX_WAIT = 30_000;
/** ms between two tries to take a turn that another request has. */
const POLL = 200;

let turns = 0;

export const createTurns = ({ sql, pause, timeout, signal }: TurnOptions): Turns => ({
  async inTurn(host, work) {
    const holder = `${hostname()} ${process.pid} ${++turns}`;
    const until = performance.now() + MAX_WAIT;
    while (!(await takeTurn(sql(), host, holder, timeout / 1_000 + 30))) {
      const wait = await pauseOfHost(sql(), host);
      if (performance.now() + wait > until) throw new HostPaused(host, Math.max(wait, MAX_WAIT));
      await sleep(wait > 0 ? wait + 1 : POLL * (0.5 + Math.random()), undefined, { signal });
    }
    const start = performance.now();
    let rest = 0;
    try {
      const { value, pause: requested } = await work();
      rest = requested;
      return value;
    } finally {
      // A slow host rests as long as it worked.
      await endTurn(sql(), host, holder, Math.max(pause, rest, performance.now() - start) / 1_000);
    }
  },
});
