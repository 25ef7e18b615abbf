/** Changing tables. The DataStore is written first and the catalog last; every step can be repeated. */

import { mayUpdateDataset } from '../catalog/dataset/dataset.policy.ts';
import { datasetShow } from '../catalog/dataset/dataset.service.ts';
import type { ResourceInput } from '../catalog/dataset/input.ts';
import { markTable } from '../catalog/document/document.service.ts';
import { TABLE_ONLY } from '../catalog/document/project.ts';
import { resourceCreate } from '../catalog/resource/resource.service.ts';
import { recordRevision } from '../changes/changes.service.ts';
import { type Call, inTransaction } from '../kernel/call.ts';
import type { Sql } from '../kernel/db.ts';
import { invalid, invalidField, notAuthorized, type Problem, refuse } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { allowWriting, checkForce, ownerOf, writableTable } from './access.service.ts';
import { datastoreOf } from './connected.ts';
import {
  countRows,
  deleteRows,
  describeFields,
  findKey,
  growTable,
  listAliases,
  listColumns,
  listKnownTypes,
  listTaken,
  makeTable,
  putAliases,
  putIndexes,
  removeTable,
  writeBatch,
} from './datastore.store.ts';
import {
  aliasProblems,
  type Column,
  type Field,
  type FieldInput,
  indexProblems,
  listed,
  notAType,
  takenProblems,
  wantedFields,
} from './fields.rules.ts';
import { findOwners, hideTable } from './owner.store.ts';
import { batches, extraKeys, keyProblems, METHODS, type Method, recordsOf } from './records.rules.ts';
import { planFilters, planSearch } from './search.plan.ts';
import type { TableRecord } from './search.service.ts';

export interface CreateTableInput {
  readonly resourceId?: string | null;
  readonly dataset?: string | null;
  readonly resource?: ResourceInput | null;
  readonly fields?: readonly FieldInput[] | null;
  readonly records?: unknown;
  readonly aliases?: readonly string[] | null;
  readonly primaryKey?: readonly string[] | null;
  readonly indexes?: readonly string[] | null;
  readonly force?: boolean | null;
  readonly calculateRecordCount?: boolean | null;
}

/**
 * Makes the table of a resource, or changes the one there is: adds fields, puts keys and aliases, inserts records.
 * @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION, CONFLICT, UNAVAILABLE
 */
export async function tableCreate(call: Call, input: CreateTableInput): Promise<TableRecord> {
  datastoreOf(call);
  if (input.resource && input.resourceId != null)
    throw invalidField('resource', 'resource cannot be used with resource_id');
  if (input.resource && input.dataset) return createWithResource(call, input, input.dataset, input.resource);
  if (input.resourceId == null) throw invalid([{ path: [], message: 'Missing id, can not get Resource object' }]);
  const { resourceId } = input;
  const owner = await ownerOf(call, resourceId);
  if (!owner) throw invalidField('resourceId', 'Not found: Resource');
  allowWriting(call, owner);
  checkForce(owner, input.force);
  return datastoreOf(call).exclusively(resourceId, async () => {
    const isNew = !(await ownerOf(call, resourceId))?.active;
    const { columns, count } = await writeTable(call, resourceId, input, isNew);
    await inTransaction(call, async (call) => {
      await markTable(call, resourceId, true);
      await recordTable(call, resourceId, isNew ? 'created' : 'updated', { records: count });
    });
    return { resourceId, columns };
  });
}

/** A new resource that is nothing but its table. Where the catalog refuses it, the table goes again. */
async function createWithResource(
  call: Call,
  input: CreateTableInput,
  idOrName: string,
  resource: ResourceInput,
): Promise<TableRecord> {
  const dataset = await datasetShow(call, idOrName);
  const reason =
    call.actor.userId === null ? 'Sign in to change tables' : mayUpdateDataset(call.actor, dataset, call.settings);
  if (reason !== null && !call.actor.sysadmin) throw notAuthorized(reason);
  if (resource.url) throw invalidField('resource', 'The datapusher has to be enabled.');
  const id = newId();
  const { columns, count } = await writeTable(call, id, input, true);
  try {
    await inTransaction(call, async (call) => {
      const whole = { ...resource, databaseId: id, url: TABLE_ONLY, urlType: 'datastore' };
      await resourceCreate(call, { dataset: dataset.id, resource: whole });
      await markTable(call, id, true);
      await recordTable(call, id, 'created', { records: count });
    });
  } catch (thrown) {
    await datastoreOf(call)
      .write((sql) => removeTable(sql, id))
      .catch((failure: unknown) => call.log.error({ err: failure, table: id }, 'a table without a resource was left'));
    throw thrown;
  }
  return { resourceId: id, columns };
}

const recordTable = (
  call: Call,
  objectId: string,
  action: 'created' | 'updated' | 'deleted',
  detail: Record<string, unknown>,
): Promise<void> =>
  recordRevision(call, newId(), `DataStore: table ${objectId} ${action}`, [
    { objectType: 'table', objectId, action, detail },
  ]);

/** The DataStore's part, in one transaction. Answers the columns of the table and the number of records written. */
async function writeTable(
  call: Call,
  table: string,
  input: CreateTableInput,
  isNew: boolean,
): Promise<{ columns: Column[]; count: number }> {
  const store = datastoreOf(call);
  const given = recordsOf(input.records);
  const aliases = input.aliases?.filter((alias) => alias !== '') ?? null;
  const ids = aliases?.length ? await findOwners(call.sql, aliases) : [];
  refuse([...given.problems, ...aliasProblems(aliases ?? []), ...takenProblems(ids.map((owner) => owner.resourceId))]);
  const count = given.records.length;
  const before = isNew ? [] : await listColumns(store.sql, table);
  const stored = before.filter(({ id }) => id !== '_id');
  const { fields, problems } = wantedFields(input.fields ?? null, given.records, stored);
  const names = [...stored, ...fields].map(({ id }) => id);
  refuse([
    ...problems,
    ...indexProblems('primaryKey', input.primaryKey ?? [], names),
    ...indexProblems('indexes', input.indexes ?? [], names),
  ]);
  await checkTypes(store.sql, fields, input.fields ?? []);
  const columns = await store.write(async (sql) => {
    if (before.length === 0) {
      await removeTable(sql, table); // what a resource of that id, or an attempt that broke off, may have left
      await makeTable(sql, table, fields, store.reader);
    } else {
      const known = new Set(stored.map(({ id }) => id));
      await growTable(
        sql,
        table,
        fields.filter(({ id }) => !known.has(id)),
      );
    }
    await describeFields(
      sql,
      table,
      fields.filter(({ info }) => info !== undefined && info !== null),
    );
    if (aliases !== null) await writeAliases(sql, table, aliases, store.reader);
    if (input.primaryKey) await putIndexes(sql, table, [input.primaryKey], true);
    if (input.indexes)
      await putIndexes(
        sql,
        table,
        input.indexes.map((id) => [id]),
        false,
      );
    const after = await listColumns(sql, table);
    refuse(extraKeys(given.records, after, 'insert'));
    for (const batch of batches(given.records, after, [], 'insert'))
      await writeBatch(sql, table, batch, 'insert', [], after);
    if (input.calculateRecordCount) await countRows(sql, table);
    return after;
  });
  return { columns, count };
}

/** @throws CatalogError VALIDATION for types that PostgreSQL does not have */
async function checkTypes(sql: Sql, fields: readonly Field[], declared: readonly FieldInput[]): Promise<void> {
  const known = await listKnownTypes(
    sql,
    fields.map(({ type }) => type),
  );
  const problems: Problem[] = fields.flatMap(({ type }, place) =>
    known.has(type) ? [] : [{ path: ['fields'], message: notAType(declared[place]?.type ?? type) }],
  );
  refuse(problems);
}

async function writeAliases(sql: Sql, table: string, aliases: readonly string[], reader: string | null): Promise<void> {
  const own = new Set(await listAliases(sql, table));
  const taken = (await listTaken(sql, aliases)).filter((name) => !own.has(name));
  refuse(takenProblems(taken));
  await putAliases(sql, table, [...new Set(aliases)], reader);
}

export interface WriteRecordsInput {
  readonly resourceId: string;
  readonly records?: unknown;
  readonly method?: string | null;
  readonly force?: boolean | null;
  readonly dryRun?: boolean | null;
  readonly calculateRecordCount?: boolean | null;
}

/** Thrown to undo a transaction that was only to be tried. */
const TRIED = Symbol('tried');

/** Writes records and says how many. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION, CONFLICT, UNAVAILABLE */
export async function recordsWrite(call: Call, input: WriteRecordsInput): Promise<number> {
  const store = datastoreOf(call);
  const { resourceId } = await writableTable(call, input);
  const method = (input.method || 'upsert').toLowerCase() as Method;
  if (!METHODS.includes(method))
    throw invalidField('method', `Value must be one of: upsert; insert; update (not '${input.method}')`);
  const { records, problems } = recordsOf(input.records);
  refuse(problems);
  try {
    await store.write(async (sql) => {
      const columns = await listColumns(sql, resourceId);
      const key = method === 'insert' ? [] : await findKey(sql, resourceId);
      if (records.length > 0) {
        if (method !== 'insert') refuse(keyProblems(records, key));
        refuse(extraKeys(records, columns, method));
      }
      for (const batch of batches(records, columns, key, method)) {
        const missing = await writeBatch(sql, resourceId, batch, method, key, columns);
        if (missing) throw invalidField('key', `key "${listed(missing)}" not found`);
      }
      if (input.calculateRecordCount) await countRows(sql, resourceId);
      if (input.dryRun) throw TRIED;
    });
  } catch (thrown) {
    if (thrown !== TRIED) throw thrown;
    return records.length;
  }
  if (records.length > 0)
    await inTransaction(call, (call) => recordTable(call, resourceId, 'updated', { method, records: records.length }));
  return records.length;
}

/** Drops a table and answers the resource's id. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION, UNAVAILABLE */
export async function tableDelete(call: Call, input: { resourceId: string; force?: boolean | null }): Promise<string> {
  const store = datastoreOf(call);
  const { resourceId } = await writableTable(call, input);
  return store.exclusively(resourceId, async () => {
    await store.write((sql) => removeTable(sql, resourceId));
    await inTransaction(call, async (call) => {
      await markTable(call, resourceId, false);
      await recordTable(call, resourceId, 'deleted', {});
    });
    return resourceId;
  });
}

/** Deletes rows and says how many. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION, UNAVAILABLE */
export async function recordsDelete(
  call: Call,
  input: { resourceId: string; filters: unknown; force?: boolean | null },
): Promise<number> {
  const store = datastoreOf(call);
  const { resourceId } = await writableTable(call, input);
  const columns = await listColumns(store.sql, resourceId);
  const problems: Problem[] = [];
  const conditions = planFilters(input.filters, columns, problems);
  refuse(problems);
  const plan = { ...planSearch({}, columns).plan, conditions };
  const count = await store.write((sql) => deleteRows(sql, resourceId, plan, columns));
  if (count > 0)
    await inTransaction(call, (call) => recordTable(call, resourceId, 'updated', { deletedRecords: count }));
  return count;
}

/** Hides a table as if its dataset were private, or no longer. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, UNAVAILABLE */
export async function tableHide(
  call: Call,
  { resourceId, hidden }: { resourceId: string; hidden: boolean },
): Promise<TableRecord> {
  const store = datastoreOf(call);
  await writableTable(call, { resourceId, force: true });
  await inTransaction(call, async (call) => {
    await hideTable(call.sql, resourceId, hidden);
    await recordTable(call, resourceId, 'updated', { hidden });
  });
  return { resourceId, columns: await listColumns(store.sql, resourceId) };
}
