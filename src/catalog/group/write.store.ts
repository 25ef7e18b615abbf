/** Writes groups: each list by one statement that touches only what differs. Whether anything did is answered. */
import type { Sql, Statement } from '../../kernel/db.ts';
import type { GroupRecord } from './group.store.ts';

const statements = {
  insert: {
    name: 'group_insert',
    text: `INSERT INTO group_account (id, name, title, description, image_url, type, is_organization, approval_status, state, created_at, revision_id, version)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
  },
  update: {
    name: 'group_update',
    text: `UPDATE group_account SET name = $2, title = $3, description = $4, image_url = $5, type = $6, approval_status = $7, state = $8,
      revision_id = $9, version = $10 WHERE id = $1`,
  },
  touch: {
    name: 'group_touch',
    text: 'UPDATE group_account SET version = version + 1 WHERE id = $1 RETURNING version',
  },
  delete: { name: 'group_purge', text: 'DELETE FROM group_account WHERE id = $1' },
  extras: {
    name: 'group_write_extras',
    text: `WITH wanted AS (SELECT * FROM unnest($2::text[], $3::text[]) AS w(key, value)),
      gone AS (DELETE FROM group_extra WHERE group_id = $1 AND key NOT IN (SELECT key FROM wanted) RETURNING 1),
      written AS (INSERT INTO group_extra (id, group_id, key, value, revision_id) SELECT gen_random_uuid()::text, $1, key, value, $4 FROM wanted
        ON CONFLICT (group_id, key) DO UPDATE SET value = EXCLUDED.value, revision_id = EXCLUDED.revision_id
        WHERE group_extra.value <> EXCLUDED.value RETURNING 1)
      SELECT (SELECT count(*) FROM gone)::int + (SELECT count(*) FROM written)::int AS n`,
  },
  users: {
    name: 'group_write_users',
    text: `WITH wanted AS (SELECT * FROM unnest($2::text[], $3::text[]) AS w(id, capacity)),
      gone AS (DELETE FROM membership WHERE group_id = $1 AND user_id NOT IN (SELECT id FROM wanted) RETURNING 1),
      written AS (INSERT INTO membership (id, group_id, user_id, capacity, revision_id) SELECT gen_random_uuid()::text, $1, id, capacity, $4 FROM wanted
        ON CONFLICT (group_id, user_id) DO UPDATE SET capacity = EXCLUDED.capacity, revision_id = EXCLUDED.revision_id
        WHERE membership.capacity <> EXCLUDED.capacity RETURNING 1)
      SELECT (SELECT count(*) FROM gone)::int + (SELECT count(*) FROM written)::int AS n`,
  },
  parents: {
    name: 'group_write_parents',
    text: `WITH wanted AS (SELECT * FROM unnest($2::text[], $3::text[]) AS w(id, capacity)),
      gone AS (DELETE FROM group_parent WHERE child_id = $1 AND parent_id NOT IN (SELECT id FROM wanted) RETURNING 1),
      written AS (INSERT INTO group_parent (id, child_id, parent_id, capacity, revision_id) SELECT gen_random_uuid()::text, $1, id, capacity, $4 FROM wanted
        ON CONFLICT (child_id, parent_id) DO UPDATE SET capacity = EXCLUDED.capacity, revision_id = EXCLUDED.revision_id
        WHERE group_parent.capacity <> EXCLUDED.capacity RETURNING 1)
      SELECT (SELECT count(*) FROM gone)::int + (SELECT count(*) FROM written)::int AS n`,
  },
  filed: { name: 'group_filed', text: 'SELECT dataset_id AS id FROM dataset_group WHERE group_id = $1' },
} satisfies Record<string, Statement>;

export async function insertGroup(sql: Sql, g: GroupRecord): Promise<void> {
  await sql.rows(statements.insert, [
    g.id,
    g.name,
    g.title,
    g.description,
    g.imageUrl,
    g.type,
    g.isOrganization,
    g.approvalStatus,
    g.state,
    g.createdAt,
    g.revisionId,
    g.version,
  ]);
}

export async function updateGroup(sql: Sql, g: GroupRecord): Promise<void> {
  await sql.rows(statements.update, [
    g.id,
    g.name,
    g.title,
    g.description,
    g.imageUrl,
    g.type,
    g.approvalStatus,
    g.state,
    g.revisionId,
    g.version,
  ]);
}

/** Counts a group's version up, because what is shown with it changed. */
export const touchGroup = async (sql: Sql, id: string): Promise<void> => void (await sql.rows(statements.touch, [id]));

/** Removes a group with its extras, members and links. */
export const deleteGroup = async (sql: Sql, id: string): Promise<void> =>
  void (await sql.rows(statements.delete, [id]));

/** Ids of the datasets filed under a group. */
export const filedDatasets = async (sql: Sql, id: string): Promise<string[]> =>
  (await sql.rows<{ id: string }>(statements.filed, [id])).map((row) => row.id);

/** Pairs of key and value, or of id and capacity, as the list shall be; keys that stay keep their row and its id. */
export type Pairs = ReadonlyMap<string, string>;

/** Makes one list of a group what it shall be; true when anything changed. */
export async function writeList(
  sql: Sql,
  list: 'extras' | 'users' | 'parents',
  groupId: string,
  pairs: Pairs,
  revisionId: string,
): Promise<boolean> {
  const [row] = await sql.rows<{ n: number }>(statements[list], [
    groupId,
    [...pairs.keys()],
    [...pairs.values()],
    revisionId,
  ]);
  return row!.n > 0;
}
