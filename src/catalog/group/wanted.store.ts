/** Finds what a group's input names, and locks what a write of a group is about to change. */
import type { Sql, Statement } from '../../kernel/db.ts';
import { readable } from '../document/readable.ts';
import { GROUP_COLUMNS, type GroupRecord } from './group.store.ts';

interface Ref {
  id: string;
  name: string;
}

const statements = {
  taken: { name: 'group_taken', text: 'SELECT id, name FROM group_account WHERE id = ANY ($1) OR name = ANY ($1)' },
  users: {
    name: 'group_wanted_users',
    text: "SELECT id, name FROM user_account WHERE (id = ANY ($1) OR name = ANY ($1)) AND state <> 'deleted' FOR KEY SHARE",
  },
  parents: {
    name: 'group_wanted_parents',
    text: "SELECT id, name FROM group_account WHERE (id = ANY ($1) OR name = ANY ($1)) AND state = 'active'",
  },
  // Those the caller may read.
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
  // Datasets before groups, as a dataset's own writes lock them: no two transactions wait for each other.
  lockDatasets: {
    name: 'group_lock_datasets',
    text: `SELECT id FROM dataset WHERE owner_organization_id = $1 OR id = ANY ($2) OR name = ANY ($2)
      OR id IN (SELECT dataset_id FROM dataset_group WHERE group_id = $1)
      ORDER BY id FOR UPDATE`,
  },
  lock: { name: 'group_lock', text: `SELECT ${GROUP_COLUMNS} FROM group_account g WHERE g.id = $1 FOR UPDATE` },
} satisfies Record<string, Statement>;

/** Ids and names of groups and organizations that are among these texts. */
export const findTaken = (sql: Sql, texts: readonly string[]): Promise<Ref[]> => sql.rows(statements.taken, [texts]);

/** Users by id and by name, invited ones too; an id wins. */
export const wantedUsers = (sql: Sql, refs: readonly string[]): Promise<Map<string, string>> =>
  wanted(sql, statements.users, [refs]);

/** Active groups and organizations by id and by name; an id wins. */
export const wantedParents = (sql: Sql, refs: readonly string[]): Promise<Map<string, string>> =>
  wanted(sql, statements.parents, [refs]);

/** Datasets by id and by name that the reader (readerOf) may read; an id wins. */
export const wantedDatasets = (
  sql: Sql,
  refs: readonly string[],
  reader: readonly unknown[],
): Promise<Map<string, string>> => wanted(sql, statements.datasets, [refs, ...reader]);

async function wanted(
  sql: Sql,
  statement: Statement,
  values: [readonly string[], ...unknown[]],
): Promise<Map<string, string>> {
  if (values[0].length === 0) return new Map();
  const rows = await sql.rows<Ref>(statement, values);
  return new Map([...rows.map((row) => [row.name, row.id] as const), ...rows.map((row) => [row.id, row.id] as const)]);
}

/** Nobody else changes links between groups until the transaction ends. Call it before any row is locked. */
export const lockHierarchy = async (sql: Sql): Promise<void> => void (await sql.rows(statements.lockHierarchy));

/** The group itself and all groups below it. */
export const groupsBelow = async (sql: Sql, id: string): Promise<Set<string>> =>
  new Set((await sql.rows<{ id: string }>(statements.below, [id])).map((row) => row.id));

/**
 * Locks a group until the transaction ends, and before it the datasets that its write may touch: those filed under it or
 * owned by it, and those named by `refs` (ids or names). Null when the group is gone.
 */
export async function lockGroup(sql: Sql, id: string, refs: readonly string[] = []): Promise<GroupRecord | null> {
  await sql.rows(statements.lockDatasets, [id, refs]);
  const [group] = await sql.rows<GroupRecord>(statements.lock, [id]);
  return group ?? null;
}
