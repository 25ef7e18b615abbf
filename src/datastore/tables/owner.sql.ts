/**
 * Reads the owners of tables, and the tables a reader may see. In SQL because Prisma has no NOTIFY, and every
 * request to the DataStore looks owners up: a read of one table takes 0.1 ms of CPU, and 0.3 to 0.5 ms through Prisma.
 */
import { readable } from '../../catalog/document/readable.ts';
import type { DatasetFacts } from '../../catalog/document/record.ts';
import { hidden } from '../../infra/postgres/columns.ts';
import type { Sql, Statement } from '../../infra/postgres/db.ts';

/** The properties of a resource that concern its table. */
export interface TableOwner {
  readonly resourceId: string;
  /** Whether it has a table; the catalog's state is authoritative. */
  readonly active: boolean;
  /** Whether the table is hidden as if the dataset were private. */
  readonly hidden: boolean;
  /** `datastore` for a resource that consists of a table only. */
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

const OWNERS = `SELECT r.id AS "resourceId", r.datastore_active AS active, r.datastore_private AS hidden, r.url_type AS "urlType",
    d.id AS "datasetId", d.state, d.private, d.owner_organization_id AS "ownerOrganizationId", d.creator_id AS "creatorId"
  FROM resource r JOIN dataset d ON d.id = r.dataset_id WHERE r.id`;

const statements = {
  /** Takes less than half of the time of `owners` with one id. */
  owner: { name: 'table_owner', text: `${OWNERS} = $1` },
  owners: { name: 'table_owners', text: `${OWNERS} = ANY (${hidden('$1', 'text[]')})` },
  readable: {
    name: 'tables_readable',
    text: `SELECT r.id FROM resource r JOIN dataset d ON d.id = r.dataset_id WHERE r.datastore_active
      AND (${readable('d', 1)} OR ($5 AND d.state = 'active' AND NOT r.datastore_private))
      AND (NOT r.datastore_private OR $1 OR d.owner_organization_id = ANY ($3) OR (d.owner_organization_id IS NULL AND d.creator_id = $2))`,
  },
  discard: {
    name: 'table_discard',
    text: `WITH noted AS (INSERT INTO discarded_table (resource_id) VALUES ($1) ON CONFLICT DO NOTHING)
      SELECT pg_notify('discarded_table', '')`,
  },
} satisfies Record<string, Statement>;

/** Owners of tables by resource id, unordered; omits unknown resources. */
export async function findOwners(sql: Sql, resourceIds: readonly string[]): Promise<TableOwner[]> {
  const rows =
    resourceIds.length === 1
      ? await sql.rows<Row>(statements.owner, resourceIds)
      : await sql.rows<Row>(statements.owners, [resourceIds]);
  return rows.map(({ resourceId, active, hidden, urlType, datasetId, ...facts }) => ({
    resourceId,
    active,
    hidden,
    urlType,
    dataset: { id: datasetId, ...facts },
  }));
}

/** Ids of resources whose tables the reader (`readerOf`) may read; `showPrivate` follows the contract. */
export async function listReadableTables(
  sql: Sql,
  reader: readonly [boolean, string | null, string[], string[]],
  showPrivate: boolean,
): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>(statements.readable, [...reader, showPrivate]);
  return rows.map(({ id }) => id);
}

/** Records that a resource was purged and may have left a table. */
export const discardTable = async (sql: Sql, resourceId: string): Promise<void> =>
  void (await sql.rows(statements.discard, [resourceId]));
