/**
 * Follows the log for this process: one reader for all listeners. Blocks are cached, so that many listeners at about
 * the same position, live or after a reconnect, cost one statement.
 */
import type { Call } from '../kernel/call.ts';
import { createCounts } from '../kernel/counts.ts';
import { CatalogError } from '../kernel/errors.ts';
import type { ChangeBlock, Feed, Follow, FollowedBlock } from '../kernel/feed.ts';
import { createBlocks } from './blocks.ts';
import { assignPositions } from './cursors.ts';
import { aheadOfLog } from './feed.rules.ts';
import { changesAfter, endsOfLog } from './feed.sql.ts';
import { lacksAny, prunedError } from './pruned.ts';

/** Maximum number of changes in one block. */
const BLOCK = 500;
/** ms between polls without notifications: a process may die between writing and notifying. */
const POLL_EVERY = 2_000;
/** ms in which notifications of writes are merged. */
const NOTIFY_AFTER = 10;

export interface LiveFeed extends Feed {
  /** Called after a write: polls if there are listeners. */
  heard(): Promise<void>;
  /** Ends all streams. */
  stop(): void;
}

export interface LiveOptions {
  /** An anonymous call, for reading the log. */
  readonly call: () => Call;
  /** Notifies all processes, including this one. */
  readonly notify: () => void;
  readonly onFailure: (failure: unknown) => void;
}

export function createLiveFeed({ call: newCall, notify, onFailure }: LiveOptions): LiveFeed {
  const blocks = createBlocks();
  const callers = createCounts();
  let open = 0;
  /** All changes up to here have been read for listeners; null without listeners. */
  let head: Promise<number> | null = null;
  let known = 0;
  /** The first position in the log at the last poll. */
  let first = 1;
  let timer: NodeJS.Timeout | undefined;
  let notifying: NodeJS.Timeout | undefined;
  /** Incremented with every block read at the end. */
  let news = 0;
  /** Incremented when the log was reset. */
  let life = 0;
  const waiting = new Set<() => void>();
  let reading: Promise<unknown> = Promise.resolve();
  let polling: Promise<void> | null = null;
  let pollAgain = false;
  let over = false;

  /** Serializes reads, so that facts read later are newer. */
  function serialize<T>(work: () => Promise<T>): Promise<T> {
    const done = reading.then(work);
    reading = done.catch(() => {});
    return done;
  }

  const read = (start: number): Promise<ChangeBlock | null> =>
    serialize(async () => blocks.get(start) ?? blocks.add(start, await changesAfter(newCall().sql, start, BLOCK)));

  async function start(): Promise<number> {
    while (polling) await polling; // A poll started for earlier listeners: its result is older, and would be mistaken for a reset log.
    const call = newCall();
    await assignPositions(call);
    ({ first, last: known } = await endsOfLog(call.sql));
    blocks.clear();
    clearInterval(timer);
    if (open > 0) timer = setInterval(() => void poll(), POLL_EVERY).unref(); // all listeners may have left in the meantime
    return known;
  }

  function poll(): Promise<void> {
    if (polling) pollAgain = true;
    polling ??= advance()
      .catch(onFailure)
      .finally(() => {
        polling = null;
        if (pollAgain && head) void poll();
      });
    return polling;
  }

  async function advance(): Promise<void> {
    pollAgain = false;
    const call = newCall();
    await assignPositions(call);
    const ends = await endsOfLog(call.sql);
    const { last } = ends;
    first = ends.first;
    if (last < known) {
      // The tables were emptied: earlier positions are invalid.
      blocks.clear();
      known = last;
      life += 1;
      wake();
    }
    for (let block = await read(known); block; block = await read(known)) {
      known = block.end;
      news += 1;
      wake();
    }
  }

  function wake(): void {
    const woken = [...waiting];
    waiting.clear();
    for (const go of woken) go();
  }

  function enter(caller: string): void {
    if (over) throw ended();
    const { settings } = newCall();
    const max = settings['catalog.limits.streams'];
    const own = settings['catalog.limits.streams_per_caller'];
    if (open >= max) throw full(`This server has reached its limit of ${max} open streams (catalog.limits.streams)`);
    if (callers.of(caller) >= own)
      throw full(`You have reached your limit of ${own} open streams (catalog.limits.streams_per_caller)`);
    callers.add(caller);
    open += 1;
  }

  function leave(caller: string): void {
    callers.remove(caller);
    open -= 1;
    if (open > 0) return;
    clearInterval(timer);
    head = null;
    blocks.clear();
  }

  /** A block that goes beyond a position; null at the end of the log. */
  async function blockAfter(position: number): Promise<ChangeBlock | null> {
    const cached = blocks.after(position);
    if (cached || position >= known) return cached;
    // Aligned blocks: readers that catch up read the same blocks.
    const block = await read(position - (position % BLOCK));
    return block && block.end > position ? block : read(position);
  }

  async function* goOn(
    start: number,
    since: number,
    signal: AbortSignal,
    done: () => void,
  ): AsyncGenerator<FollowedBlock> {
    let position = start;
    let go = () => {};
    const onAbort = () => go();
    signal.addEventListener('abort', onAbort);
    try {
      while (!signal.aborted) {
        const before = news; // noted before polling, so that no change is missed in between
        const block = await blockAfter(position);
        if (over) throw ended();
        if (life !== since) throw aheadOfLog();
        if (signal.aborted) return;
        if (block) {
          const from = position;
          if (lacksAny(from, newsOf(block, from))) throw await prunedError(newCall().sql);
          position = block.end;
          yield { block, from };
        } else if (news === before)
          await new Promise<void>((resolve) => {
            go = resolve;
            waiting.add(resolve);
          });
        waiting.delete(go);
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      done();
    }
  }

  return {
    wrote() {
      if (notifying || over) return;
      notifying = setTimeout(() => {
        notifying = undefined;
        notify();
      }, NOTIFY_AFTER);
      notifying.unref();
    },

    heard: async () => head?.then(poll),

    get age() {
      return blocks.age();
    },

    async follow({ caller, after, signal }: Follow): Promise<AsyncGenerator<FollowedBlock>> {
      if (signal.aborted) return goOn(0, life, signal, () => {}); // an aborted signal does not fire again, and the stream may never be read
      enter(caller);
      const leaveOnce = once(() => leave(caller));
      signal.addEventListener('abort', leaveOnce);
      try {
        await (head ??= start().catch((failure: unknown) => {
          head = null;
          throw failure;
        }));
        if (after !== null && after > known && after > (await endsOfLog(newCall().sql)).last) throw aheadOfLog();
        if (after !== null && after < first - 1 && after < (await endsOfLog(newCall().sql)).first - 1)
          throw await prunedError(newCall().sql);
      } catch (failure) {
        leaveOnce();
        throw failure;
      }
      return goOn(after ?? known, life, signal, () => {
        signal.removeEventListener('abort', leaveOnce);
        leaveOnce();
      });
    },

    stop() {
      over = true;
      clearInterval(timer);
      clearTimeout(notifying);
      wake();
    },
  };
}

/** The part of a block after a position. */
const newsOf = ({ start, changes }: ChangeBlock, after: number): ChangeBlock['changes'] =>
  after === start ? changes : changes.filter(({ position }) => position > after);

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}

const full = (message: string): CatalogError => new CatalogError('LIMIT', `${message}. Close one first.`);
const ended = (): CatalogError =>
  new CatalogError('UNAVAILABLE', 'The server is stopping. Connect again, with `after` set to the last cursor.');
