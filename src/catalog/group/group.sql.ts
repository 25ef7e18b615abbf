/** Numbers of datasets. In SQL because Prisma sorts by no filtered count, and counts owned and filed datasets apart. */
import type { Sql, Statement } from '../../kernel/db.ts';
import type { GroupListChoice, GroupRecord } from './group.store.ts';

export const GROUP_COLUMNS = `g.id, g.name, g.title, g.description, g.image_url AS "imageUrl", g.type, g.is_organization AS "isOrganization",
  g.approval_status AS "approvalStatus", g.state, g.created_at AS "createdAt", g.revision_id AS "revisionId", g.version`;

const PUBLIC = "d.state = 'active' AND NOT d.private";
const COUNTED = `CASE WHEN g.is_organization
  THEN (SELECT count(*) FROM dataset_document d WHERE d.owner_organization_id = g.id AND ${PUBLIC})
  ELSE (SELECT count(*) FROM dataset_group f JOIN dataset_document d ON d.dataset_id = f.dataset_id WHERE f.group_id = g.id AND ${PUBLIC}) END`;

const counts = {
  name: 'group_dataset_counts',
  text: `SELECT id, count(*)::int AS n FROM (
      SELECT d.owner_organization_id AS id FROM dataset_document d
      WHERE d.owner_organization_id = ANY ($1) AND d.state = 'active' AND (NOT d.private OR d.owner_organization_id = ANY ($2))
      UNION ALL SELECT f.group_id FROM dataset_group f JOIN group_account g ON g.id = f.group_id AND NOT g.is_organization
      JOIN dataset_document d ON d.dataset_id = f.dataset_id WHERE f.group_id = ANY ($1) AND ${PUBLIC}
    ) AS counted GROUP BY id`,
} satisfies Statement;

/** Active groups or organizations by their number of public datasets; equal ones by name. */
export function listByDatasetCount(sql: Sql, choice: GroupListChoice): Promise<GroupRecord[]> {
  const direction = choice.descending ? 'DESC' : 'ASC';
  const statement = {
    name: `group_list_by_count_${direction}`,
    text: `SELECT ${GROUP_COLUMNS} FROM group_account g
      WHERE g.state = 'active' AND g.is_organization = $1 AND ($2::text IS NULL OR g.type = $2)
      AND ($3::text[] IS NULL OR g.id = ANY ($3)) ORDER BY ${COUNTED} ${direction}, g.name LIMIT $4 OFFSET $5`,
  };
  return sql.rows(statement, [choice.isOrganization, choice.type ?? null, choice.only, choice.limit, choice.offset]);
}

/** Active datasets by group: public ones, and private ones owned by the organizations `withPrivate`. Groups without any are left out. */
export const countDatasets = (
  sql: Sql,
  ids: readonly string[],
  withPrivate: readonly string[],
): Promise<{ id: string; n: number }[]> => sql.rows(counts, [ids, withPrivate]);
