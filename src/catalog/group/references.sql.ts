/** Finds and locks datasets, and reads and locks the group hierarchy. In SQL because Prisma has no recursive query and no row locks. */
import type { RowOf, Sql, Statement } from '../../infra/postgres/db.ts';
import { lockAlone } from '../../infra/postgres/transaction-lock.sql.ts';
import { readable } from '../document/readable.ts';

const statements = {
  datasets: {
    name: 'group_wanted_datasets',
    text: `SELECT id, name FROM dataset d WHERE (id = ANY ($1) OR name = ANY ($1)) AND state <> 'deleted' AND ${readable('d', 2)}`,
  },
  below: {
    name: 'group_below',
    text: `WITH RECURSIVE below AS (SELECT $1::text AS id UNION SELECT p.child_id FROM group_parent p JOIN below b ON p.parent_id = b.id)
      SELECT id FROM below`,
  },
  lockDatasets: {
    name: 'group_lock_datasets',
    text: `SELECT id FROM dataset WHERE owner_organization_id = $1 OR id = ANY ($2) OR name = ANY ($2)
      OR id IN (SELECT dataset_id FROM dataset_group WHERE group_id = $1)
      ORDER BY id FOR UPDATE`,
  },
} satisfies Record<string, Statement>;

/** Ids and names of the datasets among these refs (ids or names) that the reader (readerOf) may read. */
export const readableDatasets = (
  sql: Sql,
  refs: readonly string[],
  reader: readonly unknown[],
): Promise<RowOf<'Dataset', 'id' | 'name'>[]> => sql.rows(statements.datasets, [refs, ...reader]);

/**
 * Locks links between groups until the transaction ends: two concurrent links could close a cycle that neither sees.
 * Call it before any row is locked.
 */
export const lockHierarchy = (sql: Sql): Promise<void> => lockAlone(sql, 'hierarchy');

/** The group itself and all groups below it. */
export const groupsBelow = async (sql: Sql, id: string): Promise<Set<string>> =>
  new Set((await sql.rows<RowOf<'Group', 'id'>>(statements.below, [id])).map((row) => row.id));

/** Locks the datasets that a group's write may change: those in it or owned by it, and `refs` (ids or names). */
export const lockDatasetsOf = async (sql: Sql, groupId: string, refs: readonly string[]): Promise<void> =>
  void (await sql.rows(statements.lockDatasets, [groupId, refs]));
