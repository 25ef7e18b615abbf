/** Results of a subscription over one WebSocket, at the pace of its reader: what it has not taken is not read for it either. */
import type { Duplex } from 'node:stream';
import type { FormattedExecutionResult } from 'graphql';
import type { WebSocket } from 'ws';
import type { EventStream } from '../../src/graph/subscriptions/subscriptions.ts';

/** ms that a reader may take for what was sent; after that it counts as gone, and can come back with its last cursor. */
const TIMEOUT = 30_000;
/** Characters that are written before looking whether they are taken. */
const PIECE = 65_536;

export interface Pace {
  /** Resolves when what was sent is taken, or the connection is closed. */
  drained(): Promise<void>;
  /** Sends messages in as few writes as the reader's pace allows. `isOver` ends it before the end. */
  sendAll(messages: Iterable<string>, isOver: () => boolean): Promise<void>;
}

/** `onTaken` is told whenever the reader has taken all. */
export function paceOf(socket: WebSocket, connection: Duplex, onTaken: () => void): Pace {
  let waiting: Promise<void> | null = null;

  const wait = () =>
    new Promise<void>((resolve) => {
      const late = setTimeout(() => socket.terminate(), TIMEOUT);
      const done = () => {
        clearTimeout(late);
        connection.off('drain', done).off('close', done);
        waiting = null;
        onTaken();
        resolve();
      };
      connection.once('drain', done).once('close', done);
    });

  async function drained(): Promise<void> {
    if (connection.writableNeedDrain && !connection.destroyed) await (waiting ??= wait());
  }

  return {
    drained,
    async sendAll(messages, isOver) {
      const rest = messages[Symbol.iterator]();
      for (let next = rest.next(); !next.done && !isOver(); await drained()) {
        connection.cork();
        for (let written = 0; !next.done && written < PIECE; next = rest.next()) {
          socket.send(next.value);
          written += next.value.length;
        }
        connection.uncork();
      }
    },
  };
}

/** Characters of a text that is kept for others; a longer one is made for each reader at its pace, or a list of them would fill the memory. */
const SHARED = 16_384;
/** The texts of results, made once for all who are sent them. */
const texts = new WeakMap<readonly FormattedExecutionResult[], (string | undefined)[]>();

function* textsOf(results: readonly FormattedExecutionResult[], skip: number): Generator<string> {
  let known = texts.get(results);
  if (!known) texts.set(results, (known = []));
  for (let n = skip; n < results.length; n += 1) {
    const text = known[n] ?? JSON.stringify(results[n]);
    if (text.length <= SHARED) known[n] = text;
    yield text;
  }
}

/**
 * What graphql-ws takes for the results of the operation `id`: it yields none, for they are sent here, without making each message anew
 * for each reader. `onEnd` is told once, whatever the end is.
 */
export function flow(id: string, stream: EventStream, pace: Pace, onEnd: () => void): AsyncIterableIterator<never> {
  const head = `{"id":${JSON.stringify(id)},"type":"next","payload":`;
  let isOver = false;
  let isFlowing = false;
  const stop = (): IteratorReturnResult<undefined> => {
    isOver = true;
    stream.stop();
    return { done: true, value: undefined };
  };

  function* messages(results: readonly FormattedExecutionResult[], skip: number): Generator<string> {
    for (const text of textsOf(results, skip)) yield `${head}${text}}`;
  }

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      isFlowing = true;
      try {
        for await (const { results, skip } of stream) {
          await pace.sendAll(messages(results, skip), () => isOver);
          if (isOver) break;
        }
        return stop();
      } finally {
        stop();
        onEnd();
      }
    },
    async return() {
      if (!isFlowing && !isOver) onEnd(); // it was completed before it began
      return stop();
    },
  };
}
