/** Counts committed writes. Readers call `catchUp`, so that statistics are exact; servers call it regularly, so that readers find little to do. */
import { assignPositions } from '../feed/cursors.ts';
import { type Call, inTransaction } from '../kernel/call.ts';
import { CatalogError } from '../kernel/errors.ts';
import { countedSoFar, FOLD_AT_ONCE, foldChanges, foldObjects, lockStatistics } from './fold.sql.ts';

/** Maximum number of batches for one reader: 20,000 writes. */
const MAX_BATCHES = 40;

/**
 * Counts all writes that are committed by now. Returns a text that stays the same until further changes are counted; null if there were
 * some to count.
 * @throws CatalogError UNAVAILABLE if there are too many for one request
 */
export async function catchUp(call: Call, maxBatches = MAX_BATCHES): Promise<string | null> {
  await assignPositions(call);
  const { any, version } = await countedSoFar(call.sql);
  if (!any) return version;
  for (let batch = 0; batch < maxBatches; batch += 1) if (await foldNext(call)) return null;
  throw new CatalogError('UNAVAILABLE', 'The server is still counting recent writes. Retry in a few seconds.');
}

/** Counts the next batch; true after the last one. */
const foldNext = (call: Call): Promise<boolean> =>
  inTransaction(call, async ({ sql }) => {
    await lockStatistics(sql);
    // Changes last: they remove all rows of the queue that objects leave.
    if ((await foldObjects(sql)) === FOLD_AT_ONCE) return false;
    return (await foldChanges(sql)) < FOLD_AT_ONCE;
  });
