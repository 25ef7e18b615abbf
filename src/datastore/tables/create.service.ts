/** Creates and changes tables. Writes the DataStore first and the catalog last, so every step can be retried. */

import { mayUpdateDataset } from '../../catalog/dataset/dataset.policy.ts';
import { datasetShow } from '../../catalog/dataset/dataset.service.ts';
import type { ResourceInput } from '../../catalog/dataset/write/input.ts';
import { TABLE_ONLY } from '../../catalog/document/project.ts';
import { resourceCreate } from '../../catalog/resource/resource.service.ts';
import type { Sql } from '../../infra/postgres/db.ts';
import { type Call, inTransaction, logOf } from '../../kernel/call.ts';
import {
  allow,
  checkVersion,
  invalid,
  invalidField,
  notAuthorized,
  type Problem,
  refuse,
} from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { allowWriting, checkForce, noTable, ownerOf } from '../access.service.ts';
import { datastoreOf } from '../connected.ts';
import { noteWrite } from '../indexes/counter.ts';
import { writeRows } from '../indexes/keep.service.ts';
import { batches, extraKeys, recordsOf } from '../rows/records.rules.ts';
import type { TableRecord } from '../rows/search.service.ts';
import {
  countRows,
  describeFields,
  growTable,
  makeTable,
  putAliases,
  putIndexes,
  removeTable,
  writeBatch,
} from '../rows/write.store.ts';
import { tableWritten } from './change.service.ts';
import { noteCount } from './counts.store.ts';
import {
  aliasProblems,
  type Column,
  type Field,
  type FieldInput,
  indexProblems,
  keyFieldProblems,
  notAType,
  requestedFields,
  tableProblem,
  takenProblems,
  versionOf,
} from './fields.rules.ts';
import { findOwners } from './owner.sql.ts';
import { listAliases, listColumns, listKnownTypes, listTaken } from './tables.sql.ts';

export interface CreateTableInput {
  readonly resourceId?: string | null;
  readonly dataset?: string | null;
  readonly resource?: ResourceInput | null;
  readonly fields?: readonly FieldInput[] | null;
  readonly records?: unknown;
  readonly aliases?: readonly string[] | null;
  readonly primaryKey?: readonly string[] | null;
  readonly indexes?: readonly (readonly string[])[] | null;
  readonly force?: boolean | null;
  readonly expectedVersion?: number | null;
  readonly calculateRecordCount?: boolean | null;
}

/**
 * Creates or changes a resource's table: adds fields, sets keys and aliases, inserts records.
 * @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION, CONFLICT, UNAVAILABLE
 */
export async function tableCreate(call: Call, input: CreateTableInput): Promise<TableRecord> {
  datastoreOf(call);
  if (input.resource && input.resourceId != null)
    throw invalidField('resource', 'Give either `resourceId` or `resource`, not both');
  if (input.resource && input.dataset) return createWithResource(call, input, input.dataset, input.resource);
  if (input.resourceId == null) throw invalid([{ path: [], message: 'Missing id, can not get Resource object' }]);
  const { resourceId } = input;
  const owner = await ownerOf(call, resourceId);
  if (!owner) throw invalidField('resourceId', 'Not found: Resource');
  const wrong = tableProblem(resourceId);
  if (wrong) throw invalidField('resourceId', wrong);
  allowWriting(call, owner);
  checkForce(owner, input.force);
  return datastoreOf(call).exclusively(resourceId, async () => {
    const isNew = !(await ownerOf(call, resourceId))?.active;
    const columns = await writeTable(call, resourceId, input, isNew, async (count) => {
      const isThere = await inTransaction(call, (call) =>
        tableWritten(call, resourceId, isNew ? 'created' : 'updated', { records: count }),
      );
      if (!isThere) throw noTable(resourceId);
    });
    return { resourceId, columns };
  });
}

/** Creates a resource that consists of its table only. Drops the table when the catalog refuses the resource. */
async function createWithResource(
  call: Call,
  input: CreateTableInput,
  idOrName: string,
  resource: ResourceInput,
): Promise<TableRecord> {
  const dataset = await datasetShow(call, idOrName);
  if (call.actor.userId === null && !call.actor.sysadmin) throw notAuthorized('sign in to change tables');
  allow(mayUpdateDataset(call.actor, dataset, call.settings), idOrName);
  if (resource.url) throw invalidField('resource', 'A new resource with a table must not have a URL');
  const id = newId();
  return datastoreOf(call).exclusively(id, () => createBoth(call, input, { ...resource, databaseId: id }, dataset.id));
}

async function createBoth(
  call: Call,
  input: CreateTableInput,
  resource: ResourceInput & { databaseId: string },
  dataset: string,
): Promise<TableRecord> {
  const id = resource.databaseId;
  let isWritten = false;
  try {
    const columns = await writeTable(call, id, input, true, (count) => {
      isWritten = true;
      return inTransaction(call, async (call) => {
        await resourceCreate(call, { dataset, resource: { ...resource, url: TABLE_ONLY, urlType: 'datastore' } });
        await tableWritten(call, id, 'created', { records: count });
      });
    });
    return { resourceId: id, columns };
  } catch (thrown) {
    if (isWritten)
      await datastoreOf(call)
        .write((sql) => removeTable(sql, id))
        .catch((failure: unknown) =>
          logOf(call).error({ err: failure, table: id }, 'a failed creation left a table without a resource'),
        );
    throw thrown;
  }
}

/** The DataStore part, in one transaction, then `settle` with the number of records written. Returns the table's columns. */
async function writeTable(
  call: Call,
  table: string,
  input: CreateTableInput,
  isNew: boolean,
  settle: (count: number) => Promise<void>,
): Promise<Column[]> {
  const store = datastoreOf(call);
  const given = recordsOf(input.records);
  const aliases = input.aliases?.filter((alias) => alias !== '') ?? null;
  const ids = aliases?.length ? await findOwners(call.sql, aliases) : [];
  refuse([...given.problems, ...aliasProblems(aliases ?? []), ...takenProblems(ids.map((owner) => owner.resourceId))]);
  const count = given.records.length;
  const before = isNew ? [] : await listColumns(store.sql, table);
  checkVersion('The table', versionOf(before), input.expectedVersion);
  const stored = before.filter(({ id }) => id !== '_id');
  const { fields, problems } = requestedFields(input.fields ?? null, given.records, stored);
  const names = [...stored, ...fields].map(({ id }) => id);
  refuse([
    ...problems,
    ...keyFieldProblems(input.primaryKey ?? [], names),
    ...indexProblems(input.indexes ?? [], names),
  ]);
  await checkTypes(store.sql, fields, input.fields ?? []);
  const known = new Set(stored.map(({ id }) => id));
  const added = fields.filter(({ id }) => !known.has(id));
  const described = fields.filter(({ info }) => info !== undefined && info !== null);
  const write = async (sql: Sql) => {
    if (before.length === 0) {
      await removeTable(sql, table); // left over from a resource with that id or an interrupted attempt
      await makeTable(sql, table, fields, store.reader);
    } else await growTable(sql, table, added);
    await describeFields(sql, table, described);
    if (aliases !== null) await writeAliases(sql, table, aliases, store.reader);
    if (input.primaryKey) await putIndexes(sql, table, [input.primaryKey], true);
    if (input.indexes) await putIndexes(sql, table, input.indexes, false);
    const after = await listColumns(sql, table);
    refuse(extraKeys(given.records, after, 'insert'));
    for (const batch of batches(given.records, after, [], 'insert', call.settings['catalog.action_api.empty_numbers']))
      await writeBatch(sql, table, batch, 'insert', [], after);
    if (count + added.length + described.length > 0 || aliases !== null) await noteCount(sql, table, count);
    if (input.calculateRecordCount) await countRows(sql, table);
    return after;
  };
  return writeRows(call, table, () =>
    store.writeWith(write, async (columns) => {
      await settle(count);
      if (!isNew) noteWrite(store, table, count);
      return columns;
    }),
  );
}

/** @throws CatalogError VALIDATION for types unknown to PostgreSQL */
async function checkTypes(sql: Sql, fields: readonly Field[], declared: readonly FieldInput[]): Promise<void> {
  const known = await listKnownTypes(
    sql,
    fields.map(({ type }) => type),
  );
  const problems: Problem[] = fields.flatMap(({ type }, index) =>
    known.has(type) ? [] : [{ path: ['fields'], message: notAType(declared[index]?.type ?? type) }],
  );
  refuse(problems);
}

async function writeAliases(sql: Sql, table: string, aliases: readonly string[], reader: string | null): Promise<void> {
  const own = new Set(await listAliases(sql, table));
  const taken = (await listTaken(sql, aliases)).filter((name) => !own.has(name));
  refuse(takenProblems(taken));
  await putAliases(sql, table, [...new Set(aliases)], reader);
}
