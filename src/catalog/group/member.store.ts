/** Everything in a group: users, datasets, the groups above it. */
import type { Sql, Statement } from '../../kernel/db.ts';
import { readable } from '../document/readable.ts';

export type MemberKind = 'user' | 'dataset' | 'group';

export interface MemberRecord {
  /** Null for a dataset that the organization owns. */
  id: string | null;
  groupId: string;
  objectType: MemberKind;
  objectId: string;
  capacity: string;
  revisionId: string;
}

const columns = (kind: MemberKind, id: string, object: string): string =>
  `${id} AS id, m.group_id AS "groupId", '${kind}' AS "objectType", ${object} AS "objectId", m.capacity, m.revision_id AS "revisionId"`;

const USERS = `SELECT ${columns('user', 'm.id', 'm.user_id')} FROM membership m JOIN user_account u ON u.id = m.user_id AND u.state <> 'deleted'`;
const DATASETS = `SELECT ${columns('dataset', 'm.id', 'm.dataset_id')} FROM dataset_group m JOIN dataset d ON d.id = m.dataset_id AND d.state <> 'deleted'`;
/** Only what the reader may read is told, as by single reads. */
const SEEN = readable('d', 4);
const PARENTS = `SELECT ${columns('group', 'm.id', 'm.parent_id')} FROM (
  SELECT p.id, p.child_id AS group_id, p.parent_id, p.capacity, p.revision_id FROM group_parent p
  JOIN group_account g ON g.id = p.parent_id AND g.state = 'active') AS m`;
const OWNED = `SELECT NULL AS id, owner_organization_id, 'dataset', id, 'organization', revision_id FROM dataset d WHERE state <> 'deleted'`;

const statements = {
  list: {
    name: 'member_list',
    text: `SELECT * FROM (${USERS} WHERE m.group_id = $1 UNION ALL ${DATASETS} WHERE m.group_id = $1 AND ${SEEN} UNION ALL ${PARENTS} WHERE m.group_id = $1
      UNION ALL ${OWNED} AND owner_organization_id = $1 AND ${SEEN}) AS members
      WHERE ($2::text IS NULL OR "objectType" = $2) AND ($3::text IS NULL OR capacity = $3) ORDER BY "objectType" COLLATE "C", "objectId" COLLATE "C"`,
  },
  oneUser: { name: 'member_user', text: `${USERS} WHERE m.group_id = $1 AND m.user_id = $2` },
  oneDataset: { name: 'member_dataset', text: `${DATASETS} WHERE m.group_id = $1 AND m.dataset_id = $2` },
  oneParent: { name: 'member_parent', text: `${PARENTS} WHERE m.group_id = $1 AND m.parent_id = $2` },
  putUser: {
    name: 'member_put_user',
    text: `INSERT INTO membership (id, group_id, user_id, capacity, revision_id) VALUES (gen_random_uuid()::text, $1, $2, $3, $4)
      ON CONFLICT (group_id, user_id) DO UPDATE SET capacity = EXCLUDED.capacity, revision_id = EXCLUDED.revision_id`,
  },
  putParent: {
    name: 'member_put_parent',
    text: `INSERT INTO group_parent (id, child_id, parent_id, capacity, revision_id) VALUES (gen_random_uuid()::text, $1, $2, $3, $4)
      ON CONFLICT (child_id, parent_id) DO UPDATE SET capacity = EXCLUDED.capacity, revision_id = EXCLUDED.revision_id`,
  },
  dropUser: {
    name: 'member_drop_user',
    text: 'DELETE FROM membership WHERE group_id = $1 AND user_id = $2 RETURNING id',
  },
  dropParent: {
    name: 'member_drop_parent',
    text: 'DELETE FROM group_parent WHERE child_id = $1 AND parent_id = $2 RETURNING id',
  },
} satisfies Record<string, Statement>;

/** Everything in a group that the reader may read, of one kind and capacity or (null) any; by kind and id. */
export const listMembers = (
  sql: Sql,
  groupId: string,
  kind: string | null,
  capacity: string | null,
  reader: readonly unknown[],
): Promise<MemberRecord[]> => sql.rows(statements.list, [groupId, kind, capacity, ...reader]);

const ONE = { user: statements.oneUser, dataset: statements.oneDataset, group: statements.oneParent } as const;

/** One thing in a group; null when it is not there. Owned datasets are not looked at. */
export async function findMember(
  sql: Sql,
  groupId: string,
  kind: MemberKind,
  objectId: string,
): Promise<MemberRecord | null> {
  const [row] = await sql.rows<MemberRecord>(ONE[kind], [groupId, objectId]);
  return row ?? null;
}

/** Puts a user into a group, or a group above it; one that is there takes the capacity. */
export const putMember = async (
  sql: Sql,
  groupId: string,
  kind: 'user' | 'group',
  objectId: string,
  capacity: string,
  revisionId: string,
): Promise<void> =>
  void (await sql.rows(kind === 'user' ? statements.putUser : statements.putParent, [
    groupId,
    objectId,
    capacity,
    revisionId,
  ]));

/** Takes a user or a group above out; false when it was not there. */
export const dropMember = async (
  sql: Sql,
  groupId: string,
  kind: 'user' | 'group',
  objectId: string,
): Promise<boolean> =>
  (await sql.rows(kind === 'user' ? statements.dropUser : statements.dropParent, [groupId, objectId])).length > 0;
