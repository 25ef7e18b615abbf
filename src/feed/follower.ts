/**
 * Follows the log for this process: one reader for all listeners. Blocks are cached, so that many listeners at about
 * the same position, live or after a reconnect, cost one statement.
 */
import type { Call } from '../kernel/call.ts';
import { createCounts } from '../kernel/counts.ts';
import { CatalogError } from '../kernel/errors.ts';
import type { ChangeBlock, Feed, Follow, FollowedBlock } from '../kernel/feed.ts';
import { createBlocks } from './blocks.ts';
import { placeAll } from './cursors.ts';
import { aheadOfLog } from './feed.rules.ts';
import { changesBehind, endsOfLog } from './feed.sql.ts';
import { goneFrom, lacksAny } from './pruned.ts';

/** Maximum number of changes in one block. */
const BLOCK = 500;
/** ms between polls without notifications: a process may die between writing and notifying. */
const LOOK_AFTER = 2_000;
/** ms in which notifications of writes are merged. */
const TELL_AFTER = 10;

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
  readonly tell: () => void;
  readonly onFailure: (failure: unknown) => void;
}

export function createLiveFeed({ call: newCall, tell, onFailure }: LiveOptions): LiveFeed {
  const blocks = createBlocks();
  const callers = createCounts();
  let open = 0;
  /** All changes up to here have been read for listeners; null without listeners. */
  let head: Promise<number> | null = null;
  let known = 0;
  /** The first position in the log at the last poll. */
  let first = 1;
  let timer: NodeJS.Timeout | undefined;
  let telling: NodeJS.Timeout | undefined;
  /** Incremented with every block read at the end. */
  let news = 0;
  /** Incremented when the log was reset. */
  let life = 0;
  const waiting = new Set<() => void>();
  let reading: Promise<unknown> = Promise.resolve();
  let looking: Promise<void> | null = null;
  let lookAgain = false;
  let over = false;

  /** Serializes reads, so that facts read later are newer. */
  function serialize<T>(work: () => Promise<T>): Promise<T> {
    const done = reading.then(work);
    reading = done.catch(() => {});
    return done;
  }

  const read = (start: number): Promise<ChangeBlock | null> =>
    serialize(async () => blocks.get(start) ?? blocks.add(start, await changesBehind(newCall().sql, start, BLOCK)));

  async function start(): Promise<number> {
    while (looking) await looking; // A poll started for earlier listeners: its result is older, and would be mistaken for a reset log.
    const call = newCall();
    await placeAll(call);
    ({ first, last: known } = await endsOfLog(call.sql));
    blocks.clear();
    clearInterval(timer);
    if (open > 0) timer = setInterval(() => void look(), LOOK_AFTER).unref(); // all listeners may have left in the meantime
    return known;
  }

  function look(): Promise<void> {
    if (looking) lookAgain = true;
    looking ??= advance()
      .catch(onFailure)
      .finally(() => {
        looking = null;
        if (lookAgain && head) void look();
      });
    return looking;
  }

  async function advance(): Promise<void> {
    lookAgain = false;
    const call = newCall();
    await placeAll(call);
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
  async function blockBehind(place: number): Promise<ChangeBlock | null> {
    const kept = blocks.behind(place);
    if (kept || place >= known) return kept;
    // Aligned blocks: readers that catch up read the same blocks.
    const block = await read(place - (place % BLOCK));
    return block && block.end > place ? block : read(place);
  }

  async function* goOn(
    start: number,
    since: number,
    signal: AbortSignal,
    done: () => void,
  ): AsyncGenerator<FollowedBlock> {
    let place = start;
    let go = () => {};
    const onAbort = () => go();
    signal.addEventListener('abort', onAbort);
    try {
      while (!signal.aborted) {
        const before = news; // noted before polling, so that no change is missed in between
        const block = await blockBehind(place);
        if (over) throw ended();
        if (life !== since) throw aheadOfLog();
        if (signal.aborted) return;
        if (block) {
          const from = place;
          if (lacksAny(from, newsOf(block, from))) throw await goneFrom(newCall().sql);
          place = block.end;
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
      if (telling || over) return;
      telling = setTimeout(() => {
        telling = undefined;
        tell();
      }, TELL_AFTER);
      telling.unref();
    },

    heard: async () => head?.then(look),

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
          throw await goneFrom(newCall().sql);
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
      clearTimeout(telling);
      wake();
    },
  };
}

/** The part of a block after a position. */
const newsOf = ({ start, changes }: ChangeBlock, place: number): ChangeBlock['changes'] =>
  place === start ? changes : changes.filter(({ position }) => position > place);

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
