/** Datasets named by input, the hierarchy and locks. In SQL because Prisma has no recursion, no locks and no set-based policy. */
import type { Sql, Statement } from '../../infra/postgres/db.ts';
import { readable } from '../document/readable.ts';

const statements = {
  users: { name: 'group_wanted_users', text: 'SELECT id FROM user_account WHERE id = ANY ($1) OR name = ANY ($1)' },
  groups: { name: 'group_wanted_groups', text: 'SELECT id FROM group_account WHERE id = ANY ($1) OR name = ANY ($1)' },
  datasets: {
    name: 'group_wanted_datasets',
    text: `SELECT id, name FROM dataset d WHERE (id = ANY ($1) OR name = ANY ($1)) AND state <> 'deleted' AND ${readable('d', 2)}`,
  },
  below: {
    name: 'group_below',
    text: `WITH RECURSIVE below AS (SELECT $1::text AS id UNION SELECT p.child_id FROM group_parent p JOIN below b ON p.parent_id = b.id)
      SELECT id FROM below`,
  },
  // One writer of the hierarchy at a time: two links made at once could close a ring that neither sees.
  lockHierarchy: { name: 'group_lock_hierarchy', text: "SELECT pg_advisory_xact_lock(hashtext('group_parent'))::text" },
  lockDatasets: {
    name: 'group_lock_datasets',
    text: `SELECT id FROM dataset WHERE owner_organization_id = $1 OR id = ANY ($2) OR name = ANY ($2)
      OR id IN (SELECT dataset_id FROM dataset_group WHERE group_id = $1)
      ORDER BY id FOR UPDATE`,
  },
} satisfies Record<string, Statement>;

/**
 * Ids of the users among these refs (ids or names). Callers send refs in any number: Prisma sends each as a parameter, which takes
 * seconds for 30,000, and refuses more.
 */
export const userIds = async (sql: Sql, refs: readonly string[]): Promise<string[]> =>
  (await sql.rows<{ id: string }>(statements.users, [refs])).map(({ id }) => id);

/** Ids of the groups and organizations among these refs. */
export const groupIds = async (sql: Sql, refs: readonly string[]): Promise<string[]> =>
  (await sql.rows<{ id: string }>(statements.groups, [refs])).map(({ id }) => id);

/** Ids and names of the datasets among these refs (ids or names) that the reader (readerOf) may read. */
export const readableDatasets = (
  sql: Sql,
  refs: readonly string[],
  reader: readonly unknown[],
): Promise<{ id: string; name: string }[]> => sql.rows(statements.datasets, [refs, ...reader]);

/** Locks links between groups until the transaction ends. Call it before any row is locked. */
export const lockHierarchy = async (sql: Sql): Promise<void> => void (await sql.rows(statements.lockHierarchy));

/** The group itself and all groups below it. */
export const groupsBelow = async (sql: Sql, id: string): Promise<Set<string>> =>
  new Set((await sql.rows<{ id: string }>(statements.below, [id])).map((row) => row.id));

/** Locks the datasets that a group's write may touch: those filed under it or owned by it, and `refs` (ids or names). */
export const lockDatasetsOf = async (sql: Sql, groupId: string, refs: readonly string[]): Promise<void> =>
  void (await sql.rows(statements.lockDatasets, [groupId, refs]));
