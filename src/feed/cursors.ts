/** Assigns positions to new log entries. */
import { type Call, inTransaction } from '../kernel/call.ts';
import { assignNext, hasUnpositioned, lockPositions, POSITIONS_AT_ONCE } from './feed.sql.ts';

/** Assigns a position to every committed change. */
export async function assignPositions(call: Call): Promise<void> {
  if (!(await hasUnpositioned(call.sql))) return;
  for (let assigned = POSITIONS_AT_ONCE; assigned === POSITIONS_AT_ONCE; )
    assigned = await inTransaction(call, async ({ sql }) => {
      await lockPositions(sql);
      return assignNext(sql);
    });
}
