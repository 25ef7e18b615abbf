/** Finds a table by resource id or alias and checks that the caller may read or write it. */

import type { Sql } from '../infra/postgres/db.ts';
import type { Call } from '../kernel/call.ts';
import { allow, type CatalogError, invalidField, notFound } from '../kernel/errors.ts';
import { datastoreOf } from './connected.ts';
import { notedTable, type ReadableTable } from './noted.ts';
import type { Column } from './tables/fields.rules.ts';
import { findOwners, type TableOwner } from './tables/owner.sql.ts';
import { mayReadTable, mayWriteTable } from './tables/table.policy.ts';
import { findAliased, listColumns } from './tables/tables.sql.ts';

/** Name of the listing of all tables, as the contract defines it. */
export const LISTING = '_table_metadata';

/** @throws CatalogError NOT_FOUND */
export const noTable = (id: string): CatalogError => notFound(`Resource "${id}" was not found.`);

export const ownerOf = async (call: Call, resourceId: string): Promise<TableOwner | null> =>
  (await findOwners(call.sql, [resourceId]))[0] ?? null;

/** The table of a resource, by the resource's id or an alias. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, UNAVAILABLE */
export async function readableTable(call: Call, idOrAlias: string): Promise<ReadableTable> {
  const noted = notedTable(call, idOrAlias);
  if (noted) return noted;
  const resourceId = await readableName(call, idOrAlias);
  return { resourceId, columns: await columnsOf(datastoreOf(call).sql, resourceId) };
}

/** Columns of a table that must exist. @throws CatalogError NOT_FOUND, UNAVAILABLE */
export async function columnsOf(sql: Sql, resourceId: string): Promise<readonly Column[]> {
  const columns = await listColumns(sql, resourceId);
  if (columns.length === 0) throw noTable(resourceId);
  return columns;
}

/** Name of a table the caller may read, found by resource id or alias. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, UNAVAILABLE */
export async function readableName(call: Call, idOrAlias: string): Promise<string> {
  const { sql } = datastoreOf(call);
  if (idOrAlias === '') throw invalidField('resourceId', 'Missing value');
  let resourceId = idOrAlias;
  let owner = await ownerOf(call, idOrAlias);
  if (!owner?.active) {
    const aliased = await findAliased(sql, idOrAlias); // also when a resource without a table has this name
    if (aliased !== null) {
      resourceId = aliased;
      owner = await ownerOf(call, resourceId);
    }
  }
  allowReading(call, owner, idOrAlias);
  return resourceId;
}

/**
 * A table whose resource was deleted is visible to sysadmins only, until the sweep drops it.
 * @throws CatalogError NOT_FOUND, NOT_AUTHORIZED
 */
export function allowReading(call: Call, owner: TableOwner | null, requested: string): void {
  if (!owner && !call.actor.sysadmin) throw noTable(requested);
  if (!owner) return;
  allow(mayReadTable(call.actor, owner, call.settings), requested);
  if (!owner.active) throw noTable(requested);
}

/** @throws CatalogError NOT_AUTHORIZED */
export function allowWriting(call: Call, owner: TableOwner): void {
  allow(mayWriteTable(call.actor, owner, call.settings));
}

/** The table of a file or link resource is derived data, so a direct change requires `force`. @throws CatalogError VALIDATION */
export function checkForce({ urlType }: TableOwner, force: boolean | null | undefined): void {
  if (force || urlType === 'datastore') return;
  throw invalidField(
    'force',
    'Cannot edit read-only resource. Either pass"force=True" or change url-type to "datastore"',
  );
}

/** A table the caller may change, found by resource id. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION */
export async function writableTable(
  call: Call,
  { resourceId, force }: { resourceId: string; force?: boolean | null },
): Promise<TableOwner> {
  if (resourceId === '') throw invalidField('resourceId', 'Missing value');
  const owner = await ownerOf(call, resourceId);
  if (!owner) throw noTable(resourceId);
  allowWriting(call, owner);
  checkForce(owner, force);
  if (!owner.active) throw noTable(resourceId);
  return owner;
}
