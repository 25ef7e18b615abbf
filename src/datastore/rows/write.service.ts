/** Writes and deletes rows, drops and hides tables. Each operation writes the DataStore first and the catalog last. */

import { markTable } from '../../catalog/document/document.service.ts';
import type { Sql } from '../../infra/postgres/db.ts';
import { type Call, inTransaction } from '../../kernel/call.ts';
import { checkVersion, invalidField, type Problem, refuse } from '../../kernel/errors.ts';
import { writableTable } from '../access.service.ts';
import { datastoreOf } from '../connected.ts';
import { noteWrite } from '../indexes/counter.ts';
import { tryRows, writeRows } from '../indexes/keep.service.ts';
import { recordTable } from '../tables/change.service.ts';
import { noteCount } from '../tables/counts.store.ts';
import { listed, versionOf } from '../tables/fields.rules.ts';
import { lockPatiently } from '../tables/lock.sql.ts';
import { hideTable } from '../tables/owner.store.ts';
import { findKey, listColumns } from '../tables/tables.sql.ts';
import { batches, extraKeys, keyProblems, METHODS, type Method, recordsOf } from './records.rules.ts';
import { type FieldCondition, planConditions, planFilters, planSearch } from './search.plan.ts';
import type { TableRecord } from './search.service.ts';
import { countRows, deleteRows, removeTable, writeBatch } from './write.store.ts';

export interface WriteRecordsInput {
  readonly resourceId: string;
  readonly records?: unknown;
  readonly method?: string | null;
  readonly mode?: 'UPSERT' | 'UPDATE' | 'INSERT' | null;
  readonly force?: boolean | null;
  readonly dryRun?: boolean | null;
  readonly calculateRecordCount?: boolean | null;
  readonly expectedVersion?: number | null;
}

/** @throws CatalogError CONFLICT, if the columns or the dictionary of the table differ from those that the caller read */
async function checkTable(sql: Sql, table: string, expectedVersion: number | null | undefined): Promise<void> {
  if (expectedVersion != null) checkVersion('The table', versionOf(await listColumns(sql, table)), expectedVersion);
}

/** Thrown to roll back a dry run. */
const TRIED = Symbol('tried');

/** Writes records. Returns their number. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION, CONFLICT, UNAVAILABLE */
export async function recordsWrite(call: Call, input: WriteRecordsInput): Promise<number> {
  const store = datastoreOf(call);
  const { resourceId } = await writableTable(call, input);
  const method = (input.mode || input.method || 'upsert').toLowerCase() as Method;
  if (!METHODS.includes(method))
    throw invalidField('method', `Value must be one of: upsert; insert; update (not '${input.method}')`);
  const { records, problems } = recordsOf(input.records);
  refuse(problems);
  try {
    const write = async (sql: Sql) => {
      await checkTable(sql, resourceId, input.expectedVersion);
      const columns = await listColumns(sql, resourceId);
      const key = method === 'insert' ? [] : await findKey(sql, resourceId);
      if (records.length > 0) {
        if (method !== 'insert') refuse(keyProblems(records, key));
        refuse(extraKeys(records, columns, method));
      }
      let added = 0;
      const emptyValues = call.settings['catalog.action_api.empty_numbers'];
      for (const batch of batches(records, columns, key, method, emptyValues)) {
        const written = await writeBatch(sql, resourceId, batch, method, key, columns);
        if (written.missing) throw invalidField('key', `key "${listed(written.missing)}" not found`);
        added += written.added;
      }
      await checkTable(sql, resourceId, input.expectedVersion); // the written records lock the columns
      if (records.length > 0) await noteCount(sql, resourceId, added);
      if (input.calculateRecordCount) await countRows(sql, resourceId);
      if (input.dryRun) throw TRIED;
    };
    const settle = async () => {
      if (records.length > 0)
        await inTransaction(call, (call) =>
          recordTable(call, resourceId, 'updated', { method, records: records.length }),
        );
    };
    if (input.dryRun) await tryRows(store, resourceId, write);
    else {
      await writeRows(call, resourceId, () => store.writeWith(write, settle));
      noteWrite(store, resourceId, records.length);
    }
  } catch (thrown) {
    if (thrown !== TRIED) throw thrown;
  }
  return records.length;
}

export interface DeleteTableInput {
  readonly resourceId: string;
  readonly force?: boolean | null;
  readonly expectedVersion?: number | null;
}

/** Drops a table. Returns the resource's id. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION, CONFLICT, UNAVAILABLE */
export async function tableDelete(call: Call, input: DeleteTableInput): Promise<string> {
  const store = datastoreOf(call);
  const { resourceId } = await writableTable(call, input);
  return store.exclusively(resourceId, async () => {
    await store.writeWith(
      async (sql) => {
        await lockPatiently(sql, resourceId);
        await checkTable(sql, resourceId, input.expectedVersion);
        await removeTable(sql, resourceId);
      },
      () =>
        inTransaction(call, async (call) => {
          await markTable(call, resourceId, false);
          await recordTable(call, resourceId, 'deleted', {});
        }),
    );
    return resourceId;
  });
}

export interface DeleteInput {
  readonly resourceId: string;
  readonly filter?: readonly FieldCondition[] | null;
  readonly filters?: unknown;
  readonly force?: boolean | null;
  readonly expectedVersion?: number | null;
}

/** Deletes rows. Returns their number. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION, CONFLICT, UNAVAILABLE */
export async function recordsDelete(call: Call, input: DeleteInput): Promise<number> {
  const store = datastoreOf(call);
  const { resourceId } = await writableTable(call, input);
  await checkTable(store.sql, resourceId, input.expectedVersion);
  const columns = await listColumns(store.sql, resourceId);
  const problems: Problem[] = [];
  if (!input.filter && input.filters === undefined) throw invalidField('filter', 'Required');
  const conditions = input.filter
    ? planConditions(input.filter, columns, problems)
    : planFilters(input.filters, columns, problems);
  refuse(problems);
  const plan = { ...planSearch({}, columns).plan, conditions };
  const write = async (sql: Sql) => {
    const gone = await deleteRows(sql, resourceId, plan, columns);
    await checkTable(sql, resourceId, input.expectedVersion); // the deletion locks the columns
    if (gone > 0) await noteCount(sql, resourceId, -gone);
    return gone;
  };
  return store.writeWith(write, async (count) => {
    noteWrite(store, resourceId, count);
    if (count > 0)
      await inTransaction(call, (call) => recordTable(call, resourceId, 'updated', { deletedRecords: count }));
    return count;
  });
}

/** Hides a table as if its dataset were private, or shows it again. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, UNAVAILABLE */
export async function tableHide(
  call: Call,
  { resourceId, hidden }: { resourceId: string; hidden: boolean },
): Promise<TableRecord> {
  const store = datastoreOf(call);
  await writableTable(call, { resourceId, force: true });
  await inTransaction(call, async (call) => {
    await hideTable(call.db, resourceId, hidden);
    await recordTable(call, resourceId, 'updated', { hidden });
  });
  return { resourceId, columns: await listColumns(store.sql, resourceId) };
}
