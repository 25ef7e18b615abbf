/**
 * Follows the log for this process: one reader for all listeners. Blocks are cached, so that many listeners at about
 * the same position, live or after a reconnect, cost one statement.
 */
import type { Call } from '../kernel/call.ts';
import { type Counts, createCounts } from '../kernel/counts.ts';
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
  /** Open streams. */
  readonly open: number;
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

/** State shared by the listeners of this process. */
interface State extends Pick<LiveOptions, 'onFailure'> {
  readonly newCall: () => Call;
  readonly blocks: ReturnType<typeof createBlocks>;
  readonly callers: Counts;
  open: number;
  /** All changes up to here have been read for listeners; null without listeners. */
  head: Promise<number> | null;
  known: number;
  /** The first position in the log at the last poll. */
  first: number;
  timer: NodeJS.Timeout | undefined;
  /** Incremented with every block read at the end. */
  news: number;
  /** Incremented when the log was reset. */
  life: number;
  readonly waiting: Set<() => void>;
  reading: Promise<unknown>;
  polling: Promise<void> | null;
  pollAgain: boolean;
  over: boolean;
}

export function createLiveFeed({ call: newCall, notify, onFailure }: LiveOptions): LiveFeed {
  const feed: State = {
    newCall,
    onFailure,
    blocks: createBlocks(),
    callers: createCounts(),
    open: 0,
    head: null,
    known: 0,
    first: 1,
    timer: undefined,
    news: 0,
    life: 0,
    waiting: new Set(),
    reading: Promise.resolve(),
    polling: null,
    pollAgain: false,
    over: false,
  };
  let notifying: NodeJS.Timeout | undefined;
  return {
    wrote() {
      if (notifying || feed.over) return;
      notifying = setTimeout(() => {
        notifying = undefined;
        notify();
      }, NOTIFY_AFTER);
      notifying.unref();
    },

    heard: async () => feed.head?.then(() => poll(feed)),

    get open() {
      return feed.open;
    },

    get age() {
      return feed.blocks.age();
    },

    follow: (requested) => follow(feed, requested),

    stop() {
      feed.over = true;
      clearInterval(feed.timer);
      clearTimeout(notifying);
      wake(feed);
    },
  };
}

async function follow(feed: State, { caller, after, signal }: Follow): Promise<AsyncGenerator<FollowedBlock>> {
  if (signal.aborted) return goOn(feed, 0, feed.life, signal, () => {}); // an aborted signal does not fire again, and the stream may never be read
  enter(feed, caller);
  const leaveOnce = once(() => leave(feed, caller));
  signal.addEventListener('abort', leaveOnce);
  try {
    await (feed.head ??= start(feed).catch((failure: unknown) => {
      feed.head = null;
      throw failure;
    }));
    const ends = () => endsOfLog(feed.newCall().sql);
    if (after !== null && after > feed.known && after > (await ends()).last) throw aheadOfLog();
    if (after !== null && after < feed.first - 1 && after < (await ends()).first - 1)
      throw await prunedError(feed.newCall().sql);
  } catch (failure) {
    leaveOnce();
    throw failure;
  }
  return goOn(feed, after ?? feed.known, feed.life, signal, () => {
    signal.removeEventListener('abort', leaveOnce);
    leaveOnce();
  });
}

/** Serializes reads, so that facts read later are newer. */
function serialize<T>(feed: State, work: () => Promise<T>): Promise<T> {
  const done = feed.reading.then(work);
  feed.reading = done.catch(() => {});
  return done;
}

const read = (feed: State, start: number): Promise<ChangeBlock | null> =>
  serialize(
    feed,
    async () => feed.blocks.get(start) ?? feed.blocks.add(start, await changesAfter(feed.newCall().sql, start, BLOCK)),
  );

async function start(feed: State): Promise<number> {
  while (feed.polling) await feed.polling; // A poll started for earlier listeners: its result is older, and would be mistaken for a reset log.
  const call = feed.newCall();
  await assignPositions(call);
  ({ first: feed.first, last: feed.known } = await endsOfLog(call.sql));
  feed.blocks.clear();
  clearInterval(feed.timer);
  if (feed.open > 0) feed.timer = setInterval(() => void poll(feed), POLL_EVERY).unref(); // all listeners may have left in the meantime
  return feed.known;
}

function poll(feed: State): Promise<void> {
  if (feed.polling) feed.pollAgain = true;
  feed.polling ??= advance(feed)
    .catch(feed.onFailure)
    .finally(() => {
      feed.polling = null;
      if (feed.pollAgain && feed.head) void poll(feed);
    });
  return feed.polling;
}

async function advance(feed: State): Promise<void> {
  feed.pollAgain = false;
  const call = feed.newCall();
  await assignPositions(call);
  const ends = await endsOfLog(call.sql);
  const { last } = ends;
  feed.first = ends.first;
  if (last < feed.known) {
    // The tables were emptied: earlier positions are invalid.
    feed.blocks.clear();
    feed.known = last;
    feed.life += 1;
    wake(feed);
  }
  for (let block = await read(feed, feed.known); block; block = await read(feed, feed.known)) {
    feed.known = block.end;
    feed.news += 1;
    wake(feed);
  }
}

function wake(feed: State): void {
  const woken = [...feed.waiting];
  feed.waiting.clear();
  for (const go of woken) go();
}

function enter(feed: State, caller: string): void {
  if (feed.over) throw ended();
  const { settings } = feed.newCall();
  const max = settings['catalog.limits.streams'];
  const own = settings['catalog.limits.streams_per_caller'];
  if (feed.open >= max) throw full(`This server has reached its limit of ${max} open streams (catalog.limits.streams)`);
  if (feed.callers.of(caller) >= own)
    throw full(`You have reached your limit of ${own} open streams (catalog.limits.streams_per_caller)`);
  feed.callers.add(caller);
  feed.open += 1;
}

function leave(feed: State, caller: string): void {
  feed.callers.remove(caller);
  feed.open -= 1;
  if (feed.open > 0) return;
  clearInterval(feed.timer);
  feed.head = null;
  feed.blocks.clear();
}

/** A block that goes beyond a position; null at the end of the log. */
async function blockAfter(feed: State, position: number): Promise<ChangeBlock | null> {
  const cached = feed.blocks.after(position);
  if (cached || position >= feed.known) return cached;
  // Aligned blocks: readers that catch up read the same blocks.
  const block = await read(feed, position - (position % BLOCK));
  return block && block.end > position ? block : read(feed, position);
}

async function* goOn(
  feed: State,
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
      const before = feed.news; // noted before polling, so that no change is missed in between
      const block = await blockAfter(feed, position);
      if (feed.over) throw ended();
      if (feed.life !== since) throw aheadOfLog();
      if (signal.aborted) return;
      if (block) {
        const from = position;
        if (lacksAny(from, newsOf(block, from))) throw await prunedError(feed.newCall().sql);
        position = block.end;
        yield { block, from };
      } else if (feed.news === before)
        await new Promise<void>((resolve) => {
          go = resolve;
          feed.waiting.add(resolve);
        });
      feed.waiting.delete(go);
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    done();
  }
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
