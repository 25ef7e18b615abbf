/**
 * Sends several statements on one connection in one packet: each write, and each process of PostgreSQL that it wakes,
 * costs more than a short statement.
 */
import type { Socket } from 'node:net';
import type pg from 'pg';
import type { NamedQuery } from './named-query.ts';

type Named = Pick<NamedQuery<unknown>, 'name'>;
type Done = (error: Error | null, rows: unknown[]) => void;
type Send = (query: Named, done: Done) => void;

interface Waiting {
  readonly query: Named;
  readonly done: Done;
}

/** Maximum number of statements that share a connection at a time. */
const MAX_SHARED = 16;

/** Sends statements to a pool or to one connection. */
export function senderOf(target: pg.Pool | pg.ClientBase): Send {
  const send = target.query.bind(target) as unknown as (query: Named, values: undefined, done: Done) => void;
  return (query, done) => send(query, undefined, done);
}

/** Runs the statements of one moment, such as those of a request's loaders, on one connection, and sends them at once. */
export function sharing(pool: pg.Pool): Send {
  let open: Waiting[] | null = null;
  /** Two of one name would share a parse, and its failure. */
  const joins = (batch: Waiting[], { name }: Named) =>
    batch.length < MAX_SHARED && batch.every(({ query }) => query.name !== name);
  return (query, done) => {
    if (open && joins(open, query)) return void open.push({ query, done });
    const batch = [{ query, done }];
    open = batch;
    pool.connect((failure, client, release) => {
      if (open === batch) open = null; // a released connection is handed over at once: before the next tick
      if (client) runAll(batch, client, release);
      else for (const { done } of batch) done(failure as Error, []);
    });
    // After the ticks that loaders have scheduled, and not later: a statement never waits with those of another moment.
    process.nextTick(() => {
      if (open === batch) open = null;
    });
  };
}

/** Sends statements at once and releases their connection at the end. After an error it is closed, as the pool does it. */
function runAll(batch: readonly Waiting[], client: pg.PoolClient, release: (failure?: Error) => void): void {
  let left = batch.length;
  let first: Error | undefined;
  const send = senderOf(client);
  const stream = streamOf(client);
  stream.cork(); // not until the next tick, as `holding` does: that costs PostgreSQL a fifth more for a list of datasets
  for (const { query, done } of batch)
    send(query, (error, rows) => {
      first ??= error ?? undefined;
      left -= 1;
      if (left === 0) release(first);
      done(error, rows);
    });
  stream.uncork();
}

const streamOf = (client: pg.PoolClient) => (client as unknown as { connection: { stream: Socket } }).connection.stream;

/** Buffers the output of a connection until the end of the current microtasks, so that it is sent in one packet. */
export function holding(client: pg.PoolClient): () => void {
  const stream = streamOf(client);
  let held = false;
  const letGo = () => {
    held = false;
    stream.uncork();
  };
  return () => {
    if (held) return;
    held = true;
    stream.cork();
    process.nextTick(letGo);
  };
}
