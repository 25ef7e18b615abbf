/** Counts uses in the memory of the process. A batch of counts has no caller: addresses and accounts stay here, for at most a minute. */
import { randomUUID } from 'node:crypto';
import { DAY, dayOf } from '../kernel/time.ts';
import { type SearchUse, USE, type UsageCounter } from '../kernel/usage.ts';
import { CRAWLER, createAgents, ROBOT } from './agents.ts';
import { nextDay, REPEAT, storedWords } from './usage.rules.ts';

/** Maximum counted objects between two flushes. Further objects are lost until the database takes a batch. */
const MAX_OBJECTS = 50_000;
/** Maximum callers in each of two generations of repeats. */
const MAX_CALLERS = 50_000;
/** Maximum distinct words of searches per day and process. */
const MAX_SEARCHES = 1_000;

/** Maximum characters that distinguish searches. */
const MAX_KEY = 200;

/** Kind and type of an object, before its id. */
const prefixesOf = (kind: number) => ({ dataset: `${kind}d`, resource: `${kind}r` });
const PREFIX = { view: prefixesOf(USE.view), download: prefixesOf(USE.download), read: prefixesOf(USE.read) };

/** Uses of one day, for the table usage_batch. */
export interface Batch {
  readonly id: string;
  readonly day: string;
  readonly objects: readonly string[];
  readonly kinds: readonly number[];
  readonly counts: readonly number[];
}

export interface Counter extends UsageCounter {
  /** Batches that came back, or else the counts since the last call. Empty after the last one. */
  take(): Batch[];
  /** Returns a batch that was not stored. */
  putBack(batch: Batch): void;
  /** Number of uses that were not counted, because too many objects were waiting. */
  lost(): number;
}

export interface CounterOptions {
  /** Milliseconds since 1970; for tests. */
  readonly now?: () => number;
  readonly maxObjects?: number;
  readonly maxCallers?: number;
}

export function createCounter({
  now = Date.now,
  maxObjects = MAX_OBJECTS,
  maxCallers = MAX_CALLERS,
}: CounterOptions = {}): Counter {
  const verdictOf = createAgents();
  /** Counts by kind and object. */
  let counts = new Map<string, number>();
  let day = '';
  let dayEnds = 0;
  let waiting: Batch[] = [];
  let lost = 0;
  const { isRepeat, forget } = createRepeats(now, maxCallers);
  const searched = new Set<string>();

  function add(key: string): void {
    const before = counts.get(key);
    if (before !== undefined) counts.set(key, before + 1);
    else if (counts.size < maxObjects) counts.set(key, 1);
    else lost += 1;
  }

  /** Moves the counts to a batch. */
  function close(): void {
    if (counts.size > 0) {
      const keys = [...counts.keys()];
      waiting.push({
        id: randomUUID(),
        day,
        objects: keys.map((key) => key.slice(1)),
        kinds: keys.map((key) => Number(key[0])),
        counts: [...counts.values()],
      });
      counts = new Map();
    }
  }

  function begin(at: number): void {
    close();
    searched.clear();
    [day, dayEnds] = [dayOf(at), nextDay(at)];
  }

  function addSearch({ words, isEmpty }: SearchUse): void {
    add(`${USE.search}`);
    if (!isEmpty) return;
    add(`${USE.emptySearch}`);
    const stored = storedWords(words);
    if (stored === null || (!searched.has(stored) && searched.size >= MAX_SEARCHES)) return;
    searched.add(stored);
    add(`${USE.emptySearch}w${stored}`);
  }

  return {
    count(use, userId, address, agent) {
      const at = now();
      const verdict = verdictOf(agent);
      if (verdict & (use.kind === 'view' ? ROBOT : CRAWLER)) return;
      const key = use.kind === 'search' ? `4${use.words.slice(0, MAX_KEY)}` : PREFIX[use.kind][use.of] + use.id;
      // Plain concatenation: templates with separators cost a fifth more. Ids have a fixed length, so keys stay distinct.
      if (isRepeat(userId === null ? address + key + verdict : userId + key, at)) return;
      if (at >= dayEnds || at < dayEnds - DAY) begin(at); // clocks are also set back
      if (use.kind === 'search') addSearch(use);
      else add(key);
    },
    take() {
      forget();
      if (waiting.length === 0) close(); // while batches cannot be stored, later counts stay together
      const batches = waiting;
      waiting = [];
      return batches;
    },
    putBack: (batch) => void waiting.push(batch),
    lost: () => lost,
  };
}

/** Remembers the last counted use of each caller and object, in two generations. */
function createRepeats(now: () => number, maxCallers: number) {
  let [fresh, older] = [new Map<string, number>(), new Map<string, number>()];
  let turnsAt = 0;

  /** Whether a use repeats a counted one. Remembers it if not. */
  function isRepeat(key: string, at: number): boolean {
    const last = fresh.get(key) ?? older.get(key);
    if (last !== undefined && Math.abs(at - last) < REPEAT) return true;
    if (at >= turnsAt || at < turnsAt - REPEAT || fresh.size >= maxCallers) {
      older = at - turnsAt >= REPEAT ? new Map() : fresh;
      fresh = new Map();
      turnsAt = at + REPEAT;
    }
    fresh.set(key, at);
    return false;
  }

  /** Empties both generations once they are too old: without further uses, callers would stay in memory. */
  function forget(): void {
    if (now() >= turnsAt + REPEAT) [fresh, older] = [new Map(), new Map()];
  }

  return { isRepeat, forget };
}

/** A counter that counts nothing. */
export const noCounter: Counter = { count() {}, take: () => [], putBack() {}, lost: () => 0 };
