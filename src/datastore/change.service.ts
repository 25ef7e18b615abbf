/** How changes of tables are told. */
import { recordRevision } from '../changes/changes.service.ts';
import type { Call } from '../kernel/call.ts';
import { newId } from '../kernel/ids.ts';

/** Records a change of a table, in the transaction of the call. */
export const recordTable = (
  call: Call,
  objectId: string,
  action: 'created' | 'updated' | 'deleted',
  detail: Record<string, unknown>,
): Promise<void> =>
  recordRevision(call, newId(), `DataStore: table ${objectId} ${action}`, [
    { objectType: 'table', objectId, action, detail },
  ]);
