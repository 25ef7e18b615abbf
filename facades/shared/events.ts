/** Server-sent events (text/event-stream) with backpressure: reads no more events than the client consumes. */
import type { ServerResponse } from 'node:http';
import { CORS } from './http.ts';

/** ms between keep-alive comments, shorter than the timeouts of proxies. */
const BEAT = 12_000;
/** ms for a reader to consume sent data. A slower one is disconnected, and can resume with its last cursor. */
const TIMEOUT = 30_000;

export interface EventTexts {
  /** Texts to send, in order. */
  readonly texts: AsyncIterable<string | Buffer>;
  /** Keep-alive text, sent at the start and at intervals. */
  readonly beat: () => string;
  /** Called once when the reader has disconnected or everything was sent. */
  readonly stop: () => void;
  /** The last text when the events end with a failure. */
  readonly end: (failure: unknown) => string;
  /** Headers in addition to those of every stream. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends events until the end, or until the reader disconnects. Never throws. */
export async function sendEvents(res: ServerResponse, { texts, beat, stop, end, headers }: EventTexts): Promise<void> {
  if (res.destroyed) return stop(); // disconnected during setup: no close event will follow
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

/** Maximum bytes of cached texts per list of results. Longer texts are built piece by piece for each reader. */
const SHARED = 2 ** 20;

/** Texts of result lists, built once for all readers of a full list. Partial lists are built separately. */
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
