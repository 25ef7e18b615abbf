/** What the catalog knows of tables: whose they are, and which of them a reader may know of. In SQL because lists are filtered by the set-based policy, and who owns a table is read at every request. */
import { readable } from '../catalog/document/readable.ts';
import type { DatasetFacts } from '../catalog/document/record.ts';
import type { Sql, Statement } from '../kernel/db.ts';

/** A resource as far as its table is concerned. */
export interface TableOwner {
  readonly resourceId: string;
  /** Whether it has a table: the catalog's word counts. */
  readonly active: boolean;
  /** Whether the table is hidden as if the dataset were private. */
  readonly hidden: boolean;
  /** `datastore` for a resource that is nothing but a table. */
  readonly urlType: string | null;
  readonly dataset: DatasetFacts;
}

interface Row {
  resourceId: string;
  active: boolean;
  hidden: boolean;
  urlType: string | null;
  datasetId: string;
  state: string;
  private: boolean;
  ownerOrganizationId: string | null;
  creatorId: string | null;
}

const statements = {
  owners: {
    name: 'table_owners',
    text: `SELECT r.id AS "resourceId", r.datastore_active AS active, r.datastore_private AS hidden, r.url_type AS "urlType",
        d.id AS "datasetId", d.state, d.private, d.owner_organization_id AS "ownerOrganizationId", d.creator_id AS "creatorId"
      FROM resource r JOIN dataset d ON d.id = r.dataset_id WHERE r.id = ANY ($1)`,
  },
  hide: { name: 'table_hide', text: 'UPDATE resource SET datastore_private = $2 WHERE id = $1' },
  readable: {
    name: 'tables_readable',
    text: `SELECT r.id FROM resource r JOIN dataset d ON d.id = r.dataset_id WHERE r.datastore_active
      AND (${readable('d', 1)} OR ($5 AND d.state = 'active' AND NOT r.datastore_private))
      AND (NOT r.datastore_private OR $1 OR d.owner_organization_id = ANY ($3) OR (d.owner_organization_id IS NULL AND d.creator_id = $2))`,
  },
  discarded: {
    name: 'tables_discarded',
    text: 'SELECT resource_id AS id FROM discarded_table ORDER BY resource_id LIMIT $1',
  },
  discard: {
    name: 'table_discard',
    text: `WITH noted AS (INSERT INTO discarded_table (resource_id) VALUES ($1) ON CONFLICT DO NOTHING)
      SELECT pg_notify('discarded_table', '')`,
  },
  undiscard: { name: 'table_undiscard', text: 'DELETE FROM discarded_table WHERE resource_id = $1' },
  active: { name: 'tables_active', text: 'SELECT id FROM resource WHERE datastore_active' },
} satisfies Record<string, Statement>;

/** Owners of tables by resource id, in no order; resources that are not there are left out. */
export async function findOwners(sql: Sql, resourceIds: readonly string[]): Promise<TableOwner[]> {
  const rows = await sql.rows<Row>(statements.owners, [resourceIds]);
  return rows.map(({ resourceId, active, hidden, urlType, datasetId, ...facts }) => ({
    resourceId,
    active,
    hidden,
    urlType,
    dataset: { id: datasetId, ...facts },
  }));
}

/** Hides a table as if its dataset were private, or no longer. */
export const hideTable = async (sql: Sql, resourceId: string, hidden: boolean): Promise<void> =>
  void (await sql.rows(statements.hide, [resourceId, hidden]));

/** Ids of resources whose tables the reader (`readerOf`) may read; `showPrivate` is the contract's way. */
export async function listReadableTables(
  sql: Sql,
  reader: readonly [boolean, string | null, string[], string[]],
  showPrivate: boolean,
): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>(statements.readable, [...reader, showPrivate]);
  return rows.map(({ id }) => id);
}

/** Ids of resources that are gone and left tables, some of them. */
export const listDiscarded = async (sql: Sql, limit: number): Promise<string[]> =>
  (await sql.rows<{ id: string }>(statements.discarded, [limit])).map(({ id }) => id);

/** Notes that a resource is gone and may have left a table. */
export const discardTable = async (sql: Sql, resourceId: string): Promise<void> =>
  void (await sql.rows(statements.discard, [resourceId]));

/** The table of a resource that is gone is gone too. */
export const forgetDiscarded = async (sql: Sql, resourceId: string): Promise<void> =>
  void (await sql.rows(statements.undiscard, [resourceId]));

/** Ids of all resources that have a table. */
export const listActive = async (sql: Sql): Promise<string[]> =>
  (await sql.rows<{ id: string }>(statements.active)).map(({ id }) => id);
