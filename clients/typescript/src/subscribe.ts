/** Subscriptions over event streams that outlast their connections. */
import { ask, dataOf, pause, read } from './ask.ts';
import { eventsOf } from './events.ts';
import { CatalogFailure } from './failure.ts';

export interface Subscribing<Data> {
  /** Where to begin: asked for until it is known. */
  readonly after: () => Promise<string>;
  /** Where to go on behind an event; null or undefined: where it began. */
  readonly cursorOf: (data: Data) => string | null | undefined;
  /** Asks for the stream behind a cursor. */
  readonly open: (after: string, signal: AbortSignal) => Promise<Response>;
  readonly retries: number;
  readonly patience: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * The data of each event, until the server says that there are no more, the signal is raised or the caller stops asking. A connection
 * that breaks is made again, with the cursor of the last event that the caller has taken; as often as that takes, once there was one.
 * @throws CatalogFailure when it is refused, or is not to be had from the beginning
 */
export async function* follow<Data>({
  after: begin,
  cursorOf,
  open,
  retries,
  patience,
  signal,
}: Subscribing<Data>): AsyncGenerator<Data, void, undefined> {
  let after: string | undefined;
  let most = retries;
  for (let tries = 0; !signal?.aborted; tries += 1) {
    const stop = new AbortController();
    const end = () => stop.abort(signal?.reason);
    signal?.addEventListener('abort', end, { once: true });
    try {
      after ??= await begin();
      const behind = after;
      const send = () => open(behind, stop.signal);
      const response = await ask(send, { retries: most, patience, isSafe: true, signal });
      if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream'))
        throw await notAStream(response);
      most = Number.POSITIVE_INFINITY;
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
      if (!(failure instanceof CatalogFailure) || failure.status !== 0 || tries >= most) throw failure;
    } finally {
      signal?.removeEventListener('abort', end);
      stop.abort(); // also where the caller stops asking
    }
    // By chance, so that all who were cut off at once do not come back at once.
    await pause(Math.random() * Math.min(2 ** tries, patience), signal).catch(() => {});
  }
}

/** What the answer says instead, which is not worth another try. */
async function notAStream(response: Response): Promise<unknown> {
  return read(response).then(
    () => new CatalogFailure('The answer is no stream of events', { status: response.status }),
    (failure) => failure,
  );
}
