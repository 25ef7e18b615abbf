/** Compares the statistics with the rows that they count, and rebuilds them. */
import { type Call, inTransaction } from '../kernel/call.ts';
import { CatalogError, notAuthorized } from '../kernel/errors.ts';
import { listStatisticsFaults, resetStatistics, type StatisticsFault } from './check.sql.ts';
import { catchUp } from './fold.service.ts';
import { isAnyUncounted, lockStatistics } from './fold.sql.ts';

/** Attempts to find a moment without uncounted writes. */
const ATTEMPTS = 20;

/** Counts that differ. Sysadmins only. @throws CatalogError NOT_AUTHORIZED, UNAVAILABLE if writes never pause */
export async function statisticsCheck(call: Call): Promise<{ counts: number; faults: StatisticsFault[] }> {
  allowCheck(call);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    await catchUp(call, Number.POSITIVE_INFINITY);
    const found = await inTransaction(call, async ({ sql }) => {
      await lockStatistics(sql);
      const result = await listStatisticsFaults(sql);
      return (await isAnyUncounted(sql)) ? null : result; // a later write may be in one side only
    });
    if (found) return found;
  }
  throw new CatalogError('UNAVAILABLE', 'Other writers changed the catalog during each attempt. Retry.');
}

/** Counts everything again. Returns the number of objects. Readers wait. Sysadmins only. @throws CatalogError NOT_AUTHORIZED */
export async function statisticsRebuild(call: Call): Promise<number> {
  allowCheck(call);
  const objects = await inTransaction(call, async ({ sql }) => {
    await lockStatistics(sql);
    return resetStatistics(sql);
  });
  await catchUp(call, Number.POSITIVE_INFINITY);
  return objects;
}

function allowCheck({ actor }: Call): void {
  if (!actor.sysadmin) throw notAuthorized('only system administrators may check or rebuild the statistics');
}
