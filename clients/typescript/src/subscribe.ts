/** Subscriptions over event streams, which resume after lost connections. */
import { ask, dataOf, pause, read } from './ask.ts';
import { eventsOf } from './events.ts';
import { CatalogFailure } from './failure.ts';

export interface Subscribing<Data> {
  /** Returns the first cursor. Called until it succeeds. */
  readonly after: () => Promise<string>;
  /** The cursor of an event. Null or undefined: unchanged. */
  readonly cursorOf: (data: Data) => string | null | undefined;
  /** Opens the stream after a cursor. */
  readonly open: (after: string, signal: AbortSignal) => Promise<Response>;
  readonly retries: number;
  readonly maxDelay: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Yields the data of each event, until the server completes the subscription, the signal aborts or the caller stops. Opens a lost
 * connection again after the cursor of the last event. After a first success it retries without limit.
 * @throws CatalogFailure if the subscription is refused, or cannot be started
 */
export async function* follow<Data>({
  after: begin,
  cursorOf,
  open,
  retries,
  maxDelay,
  signal,
}: Subscribing<Data>): AsyncGenerator<Data, void, undefined> {
  let after: string | undefined;
  let maxTries = retries;
  for (let tries = 0; !signal?.aborted; tries += 1) {
    const stop = new AbortController();
    const end = () => stop.abort(signal?.reason);
    signal?.addEventListener('abort', end, { once: true });
    try {
      after ??= await begin();
      const cursor = after;
      const send = () => open(cursor, stop.signal);
      const response = await ask(send, { retries: maxTries, maxDelay, isSafe: true, signal });
      if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream'))
        throw await notAStream(response);
      maxTries = Number.POSITIVE_INFINITY;
      for await (const { type, data: text } of eventsOf(response.body)) {
        if (type === 'complete') return;
        if (type !== 'next') continue;
        const data = dataOf<Data>(JSON.parse(text), response);
        tries = 0;
        yield data;
        after = cursorOf(data) ?? after;
      }
    } catch (failure) {
      if (signal?.aborted) return;
      if (!(failure instanceof CatalogFailure) || failure.status !== 0 || tries >= maxTries) throw failure;
    } finally {
      signal?.removeEventListener('abort', end);
      stop.abort(); // also if the caller stops
    }
    // Random, so that clients that were disconnected together do not reconnect together.
    await pause(Math.random() * Math.min(2 ** tries, maxDelay), signal).catch(() => {});
  }
}

/** The failure for a response that is not a stream. It is not retried. */
async function notAStream(response: Response): Promise<unknown> {
  return read(response).then(
    () => new CatalogFailure('The response is not an event stream', { status: response.status }),
    (failure) => failure,
  );
}
