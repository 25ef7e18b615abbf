/** Sends subscription results over a WebSocket with backpressure: reads no more events than the reader consumes. */
import type { Duplex } from 'node:stream';
import type { FormattedExecutionResult } from 'graphql';
import type { WebSocket } from 'ws';
import type { EventStream } from '../../src/graph/subscriptions/subscriptions.ts';
import { toJsonText } from '../../src/kernel/json.ts';

/** ms for a reader to consume sent data. A slower one is disconnected, and can resume with its last cursor. */
const TIMEOUT = 30_000;
/** Maximum characters written before waiting for the buffer to drain. */
const PIECE = 65_536;

export interface Pace {
  /** Resolves when all sent data is consumed, or the connection is closed. */
  drained(): Promise<void>;
  /** Sends messages in as few writes as backpressure allows. Stops early when `isOver` returns true. */
  sendAll(messages: Iterable<string>, isOver: () => boolean): Promise<void>;
}

/** Calls `onTaken` whenever the reader has consumed everything. */
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

/** Maximum characters of a cached text. Longer ones are serialized per reader, because a list of them would fill the memory. */
const SHARED = 16_384;
/** Serialized results, shared by all readers. */
const texts = new WeakMap<readonly FormattedExecutionResult[], (string | undefined)[]>();

function* textsOf(results: readonly FormattedExecutionResult[], skip: number): Generator<string> {
  let known = texts.get(results);
  if (!known) texts.set(results, (known = []));
  for (let n = skip; n < results.length; n += 1) {
    const text = known[n] ?? toJsonText(results[n]);
    if (text.length <= SHARED) known[n] = text;
    yield text;
  }
}

/** Messages with results of the operation `id`, from the text of each. */
export function messagesOf(id: string): (result: string) => string {
  const head = `{"id":${JSON.stringify(id)},"type":"next","payload":`;
  return (result) => `${head}${result}}`;
}

/**
 * An iterable for graphql-ws for the operation `id`. It yields nothing, because this function sends the results itself from the shared
 * texts. Calls `onEnd` once, on any end.
 */
export function flow(id: string, stream: EventStream, pace: Pace, onEnd: () => void): AsyncIterableIterator<never> {
  const messageOf = messagesOf(id);
  let isOver = false;
  let isFlowing = false;
  const stop = (): IteratorReturnResult<undefined> => {
    isOver = true;
    stream.stop();
    return { done: true, value: undefined };
  };

  function* messages(results: readonly FormattedExecutionResult[], skip: number): Generator<string> {
    for (const text of textsOf(results, skip)) yield messageOf(text);
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
      if (!isFlowing && !isOver) onEnd(); // completed before it began
      return stop();
    },
  };
}
