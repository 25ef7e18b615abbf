/** Assigns positions to new log entries. */
import { type Call, inTransaction } from '../kernel/call.ts';
import { isAnyUnplaced, lockPlaces, PLACED_AT_ONCE, placeNext } from './feed.sql.ts';

/** Assigns a position to every committed change. */
export async function placeAll(call: Call): Promise<void> {
  if (!(await isAnyUnplaced(call.sql))) return;
  for (let placed = PLACED_AT_ONCE; placed === PLACED_AT_ONCE; )
    placed = await inTransaction(call, async ({ sql }) => {
      await lockPlaces(sql);
      return placeNext(sql);
    });
}
