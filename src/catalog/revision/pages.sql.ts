/** Revisions of groups, and objects of revisions. In SQL because one statement reads pages of many parents, filtered by policy. */

import type { Sql, Statement } from '../../infra/postgres/db.ts';
import type { Keyset } from '../../kernel/connection.ts';
import {
  at,
  type ListedObject,
  type ListedRevision,
  MICROS,
  objectsOf,
  REVISION,
  type Reader,
  VISIBLE,
} from './revision.sql.ts';

/** A revision of a group. Revisions with equal times are ordered by the log, then by id. */
export interface GroupRevision extends ListedRevision {
  readonly groupId: string;
  readonly place: number;
}

/** Revisions that changed or concern the group `k`, each with its last log position. */
const OF_GROUP = `(SELECT revision_id FROM change WHERE object_type IN ('group', 'organization') AND object_id = k.id
    UNION SELECT revision_id FROM revision_group WHERE group_id = k.id) AS n JOIN revision r ON r.id = n.revision_id`;
const PLACE = `COALESCE((SELECT max(c.sequence) FROM change c WHERE c.revision_id = r.id), 0)::float8`;

/** A page, or (null) the whole list. */
type Page = Keyset | null;

/** Parameters of a page: one row more than its limit; null for all. */
const limitOf = (page: Page): number | null => page && page.limit + 1;

/** Rows of each of the groups or revisions $5. */
const each = (name: string, parent: string, rows: string, end = ''): Statement => ({
  name: `revision_${name}`,
  text: `SELECT k.id AS "${parent}", page.* FROM unnest($5::text[]) AS k(id) CROSS JOIN LATERAL (${rows}) AS page ${end}`,
});
const OBJECTS = `FROM (${objectsOf('= k.id')}) AS known`;

const statements = {
  groupRevisions: each(
    'pages_of_groups',
    'groupId',
    `SELECT * FROM (SELECT ${REVISION}, ${MICROS}, ${PLACE} AS place FROM ${OF_GROUP}
        WHERE ${VISIBLE} AND ($6::bigint IS NULL OR r.created_at <= ${at('$6')})) AS r
      WHERE $6::bigint IS NULL OR r."createdAt" < ${at('$6')} OR r.place < $7 OR (r.place = $7 AND r.id > $8)
      ORDER BY r."createdAt" DESC, r.place DESC, r.id LIMIT $9`,
    'ORDER BY k.id, page."createdAt" DESC, page.place DESC, page.id',
  ),
  groupCounts: each('counts_of_groups', 'id', `SELECT count(*)::int AS n FROM ${OF_GROUP} WHERE ${VISIBLE}`),
  objects: each(
    'object_pages',
    'id',
    `SELECT * ${OBJECTS} WHERE $6::float8 IS NULL OR place > $6 OR (place = $6 AND name COLLATE "C" > $7)
      ORDER BY place, name COLLATE "C" LIMIT $8`,
    'ORDER BY page."revisionId", page.place, page.name COLLATE "C"',
  ),
  objectCounts: each('object_counts', 'id', `SELECT count(*)::int AS n ${OBJECTS}`),
} satisfies Record<string, Statement>;

/** One page of each group's revisions (one more than its limit), or all of them; latest first. */
export const pagesOfGroupRevisions = (
  sql: Sql,
  groupIds: readonly string[],
  page: Page,
  reader: Reader,
): Promise<GroupRevision[]> =>
  sql.rows(statements.groupRevisions, [...reader, groupIds, ...(page?.after ?? [null, null, null]), limitOf(page)]);

/** Number of a group's revisions visible to the reader. */
export const countsOfGroupRevisions = (
  sql: Sql,
  groupIds: readonly string[],
  reader: Reader,
): Promise<{ id: string; n: number }[]> => sql.rows(statements.groupCounts, [...reader, groupIds]);

/** One page of the objects that each revision changed or concerns (one more than its limit), or all; in order. */
export const pagesOfObjects = (
  sql: Sql,
  revisionIds: readonly string[],
  page: Page,
  reader: Reader,
): Promise<ListedObject[]> =>
  sql.rows(statements.objects, [...reader, revisionIds, ...(page?.after ?? [null, null]), limitOf(page)]);

/** Number of a revision's objects visible to the reader; revisions without any are omitted. */
export const countsOfObjects = (
  sql: Sql,
  revisionIds: readonly string[],
  reader: Reader,
): Promise<{ id: string; n: number }[]> => sql.rows(statements.objectCounts, [...reader, revisionIds]);
