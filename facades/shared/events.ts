/** Event streams (text/event-stream) at the pace of their reader: what it has not taken is not read for it either. */
import type { ServerResponse } from 'node:http';
import { CORS } from './http.ts';

/** ms between signs of life: shorter than proxies wait. */
const BEAT = 12_000;
/** ms that a reader may take for what was sent; after that it counts as gone, and can come back with its last cursor. */
const TIMEOUT = 30_000;

export interface EventTexts {
  /** What is sent, in order. */
  readonly texts: AsyncIterable<string | Buffer>;
  /** A sign of life: at once, and now and then. */
  readonly beat: () => string;
  /** Told once when the reader is gone or everything was sent. */
  readonly stop: () => void;
  /** What is sent last when the events end with a failure. */
  readonly end: (failure: unknown) => string;
  /** Headers on top of those of every stream. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends events until there are no more, or the reader is gone. Never throws. */
export async function sendEvents(res: ServerResponse, { texts, beat, stop, end, headers }: EventTexts): Promise<void> {
  if (res.destroyed) return stop(); // gone while it was worked out: nothing would say so any more
  let taken: (() => void) | null = null;
  let isGone = false;
  const gone = () => {
    isGone = true;
    taken?.();
    stop();
  };
  res.once('close', gone);
  res.on('drain', () => taken?.());
  res.writeHead(200, {
    ...CORS,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-accel-buffering': 'no',
    ...headers,
  });
  res.write(beat());
  const timer = setInterval(() => void (res.writableNeedDrain || res.write(beat())), BEAT);
  const drained = () =>
    new Promise<void>((resolve) => {
      const late = setTimeout(() => res.destroy(), TIMEOUT);
      taken = () => {
        clearTimeout(late);
        taken = null;
        resolve();
      };
    });
  let last = '';
  try {
    for await (const text of texts) {
      if (isGone) return;
      if (text.length > 0 && !res.write(text)) await drained();
      if (isGone) return;
    }
  } catch (failure) {
    last = end(failure);
  } finally {
    clearInterval(timer);
    stop();
    res.end(last);
  }
}

/** Bytes of the texts of one list of results that are kept for others; longer ones are made piece by piece, for each reader at its pace. */
const SHARED = 2 ** 20;

/** The texts of lists of results, made once for all who get a list whole; a part of one is made anew. */
export function sharedTexts<Result>(textOf: (result: Result) => string) {
  const whole = new WeakMap<readonly Result[], Buffer>();
  return function* texts(results: readonly Result[], skip: number): Generator<Buffer> {
    const known = skip > 0 ? undefined : whole.get(results);
    if (known) return yield known;
    let piece = '';
    let isLong = false;
    for (const result of results.slice(skip)) {
      piece += textOf(result);
      if (piece.length <= SHARED) continue;
      isLong = true;
      yield Buffer.from(piece);
      piece = '';
    }
    const rest = Buffer.from(piece);
    if (skip === 0 && !isLong) whole.set(results, rest);
    yield rest;
  };
}
