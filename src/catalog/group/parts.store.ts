/** What hangs on groups, for many groups at once. */
import type { Sql, Statement } from '../../kernel/db.ts';
import { GROUP_COLUMNS, type GroupRecord } from './group.store.ts';

export interface GroupExtraRecord {
  id: string;
  groupId: string;
  key: string;
  value: string;
  revisionId: string;
}
export interface ParentRecord {
  childId: string;
  capacity: string;
  group: GroupRecord;
}

const statements = {
  extras: {
    name: 'group_extras',
    text: `SELECT id, group_id AS "groupId", key, value, revision_id AS "revisionId" FROM group_extra WHERE group_id = ANY ($1)
      ORDER BY group_id, key COLLATE "C"`,
  },
  parents: {
    name: 'group_parents',
    text: `SELECT p.child_id AS "childId", p.capacity AS link, ${GROUP_COLUMNS} FROM group_parent p
      JOIN group_account g ON g.id = p.parent_id AND g.state = 'active' WHERE p.child_id = ANY ($1) ORDER BY p.child_id, g.name COLLATE "C"`,
  },
  created: {
    name: 'group_datasets_by_creator',
    text: `SELECT creator_id AS id, count(*)::int AS n FROM dataset_document
      WHERE creator_id = ANY ($1) AND state = 'active' AND NOT private GROUP BY creator_id`,
  },
  counts: {
    name: 'group_dataset_counts',
    text: `SELECT id, count(*)::int AS n FROM (
        SELECT d.owner_organization_id AS id FROM dataset_document d
        WHERE d.owner_organization_id = ANY ($1) AND d.state = 'active' AND (NOT d.private OR d.owner_organization_id = ANY ($2))
        UNION ALL SELECT f.group_id FROM dataset_group f JOIN group_account g ON g.id = f.group_id AND NOT g.is_organization
        JOIN dataset_document d ON d.dataset_id = f.dataset_id WHERE f.group_id = ANY ($1) AND d.state = 'active' AND NOT d.private
      ) AS counted GROUP BY id`,
  },
} satisfies Record<string, Statement>;

/** Extras of these groups, by group and key. */
export const extrasOfGroups = (sql: Sql, ids: readonly string[]): Promise<GroupExtraRecord[]> =>
  sql.rows(statements.extras, [ids]);

/** Active groups above these, by child and name. */
export async function parentsOfGroups(sql: Sql, ids: readonly string[]): Promise<ParentRecord[]> {
  const rows = await sql.rows<GroupRecord & { childId: string; link: string }>(statements.parents, [ids]);
  return rows.map(({ childId, link, ...group }) => ({ childId, capacity: link, group }));
}

/** Active public datasets by the user who created them. Users without any are left out. */
export const countCreated = async (sql: Sql, userIds: readonly string[]): Promise<Map<string, number>> =>
  countsOf(await sql.rows(statements.created, [userIds]));

/** Active datasets by group: public ones, and private ones owned by the organizations `privateToo`. Groups without any are left out. */
export const countDatasets = async (
  sql: Sql,
  ids: readonly string[],
  privateToo: readonly string[],
): Promise<Map<string, number>> => countsOf(await sql.rows(statements.counts, [ids, privateToo]));

const countsOf = (rows: { id: string; n: number }[]): Map<string, number> => new Map(rows.map(({ id, n }) => [id, n]));
