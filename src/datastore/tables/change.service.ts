/** Records changes of tables in the catalog. */
import { markTable } from '../../catalog/document/document.service.ts';
import { recordRevision } from '../../changes/changes.service.ts';
import type { Call } from '../../kernel/call.ts';
import { newId } from '../../kernel/ids.ts';
import { discardTable } from './owner.sql.ts';

/**
 * Records in the catalog, in the call's transaction, that a resource's table was created or changed. Returns false when the resource was
 * deleted concurrently; the table is then scheduled for dropping like those of other deleted resources.
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

/** Records a table change in the call's transaction. */
export const recordTable = (
  call: Call,
  objectId: string,
  action: 'created' | 'updated' | 'deleted',
  detail: Record<string, unknown>,
): Promise<void> =>
  recordRevision(call, newId(), `DataStore: table ${objectId} ${action}`, [
    { objectType: 'table', objectId, action, detail },
  ]);
