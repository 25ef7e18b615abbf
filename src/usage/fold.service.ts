/** Stores the counts of this process, and sums those of all processes. Readers call `catchUp`, so that their numbers are at most a second old. */

import type { Sql } from '../infra/postgres/db.ts';
import { type Call, inTransaction } from '../kernel/call.ts';
import { DAY, dayOf } from '../kernel/time.ts';
import type { Counter } from './counter.ts';
import {
  addBatch,
  dayOfCursor,
  FOLD_AT_ONCE,
  foldBatches,
  indexChanged,
  isAnyBatch,
  lockUsage,
  mergeBefore,
  rollTo,
} from './fold.sql.ts';

/** Maximum number of transactions for one reader: the batches of 16 processes in 2 minutes. */
const MAX_FOLDS = 20;

/** Stores what the process has counted. Counts that cannot be stored stay in memory. @throws Error of the database */
export async function flush(counter: Counter, sql: Sql): Promise<void> {
  for (let batches = counter.take(); batches.length > 0; batches = counter.take())
    for (let at = 0; at < batches.length; at += 1)
      try {
        await addBatch(sql, batches[at]!);
      } catch (failure) {
        for (const batch of batches.slice(at)) counter.putBack(batch);
        throw failure;
      }
}

/** Sums the stored batches. */
export async function catchUp(call: Call, maxFolds = MAX_FOLDS): Promise<void> {
  if (!(await isAnyBatch(call.sql))) return;
  for (let fold = 0; fold < maxFolds; fold += 1) if ((await foldNext(call)) < FOLD_AT_ONCE) return;
}

/** The same for the loop of a server, which also moves the recent numbers to the next day. */
export async function keepUp(call: Call): Promise<void> {
  await catchUp(call, Number.POSITIVE_INFINITY);
  const today = dayOf(call.request.now.getTime());
  const before = await dayOfCursor(call.sql);
  if (before !== today) {
    await rollIfLate(call, today);
    const oldest = dayOf(call.request.now.getTime() - call.settings['catalog.usage.keep_days'] * DAY);
    await inTransaction(call, async ({ sql }) => {
      await lockUsage(sql);
      await mergeBefore(sql, oldest, today);
    });
  }
  if (call.settings['catalog.search.solr_url'].length > 0) await indexChanged(call.sql);
}

/** Sums the next batches; how many. */
const foldNext = (call: Call): Promise<number> =>
  inTransaction(call, async ({ sql, request }) => {
    await lockUsage(sql);
    return foldBatches(sql, await currentDay(sql, dayOf(request.now.getTime())));
  });

const rollIfLate = (call: Call, today: string): Promise<string> =>
  inTransaction(call, async ({ sql }) => {
    await lockUsage(sql);
    return currentDay(sql, today);
  });

/**
 * The day of the recent numbers, after they are moved to today. Clocks of other processes may be ahead by up to a day;
 * a later day comes from a clock that was wrong, and is corrected.
 */
export async function currentDay(sql: Sql, today: string): Promise<string> {
  const before = await dayOfCursor(sql);
  if (before !== null && before >= today && before <= dayOf(Date.parse(today) + DAY)) return before;
  await rollTo(sql, today);
  return today;
}
