/** How changes of tables are told. */
import { markTable } from '../../catalog/document/document.service.ts';
import { recordRevision } from '../../changes/changes.service.ts';
import type { Call } from '../../kernel/call.ts';
import { newId } from '../../kernel/ids.ts';
import { discardTable } from './owner.sql.ts';

/**
 * Says in the catalog, in the transaction of the call, that the table of a resource was made or changed. False where the resource went while
 * that was done: its table is noted then, and dropped like those of resources that go later.
 */
export async function tableWritten(
  call: Call,
  resourceId: string,
  action: 'created' | 'updated',
  detail: Record<string, unknown>,
): Promise<boolean> {
  const isThere = await markTable(call, resourceId, true);
  if (isThere) await recordTable(call, resourceId, action, detail);
  else await discardTable(call.sql, resourceId);
  return isThere;
}

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
