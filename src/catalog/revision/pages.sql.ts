/** Revisions of groups, and what revisions changed. In SQL because one statement reads pages of many parents, filtered by policy. */

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

/** A revision of a group: two of one moment are told apart by the log's order, then by id. */
export interface GroupRevision extends ListedRevision {
  readonly groupId: string;
  readonly place: number;
}

/** Revisions that changed or concern the group `k`, each with its last place in the log. */
const OF_GROUP = `(SELECT revision_id FROM change WHERE object_type IN ('group', 'organization') AND object_id = k.id
    UNION SELECT revision_id FROM revision_group WHERE group_id = k.id) AS n JOIN revision r ON r.id = n.revision_id`;
const PLACE = `COALESCE((SELECT max(c.sequence) FROM change c WHERE c.revision_id = r.id), 0)::float8`;

const statements = {
  groupRevisions: {
    name: 'revision_pages_of_groups',
    text: `SELECT k.id AS "groupId", page.* FROM unnest($5::text[]) AS k(id) CROSS JOIN LATERAL (
        SELECT * FROM (SELECT ${REVISION}, ${MICROS}, ${PLACE} AS place FROM ${OF_GROUP}
          WHERE ${VISIBLE} AND ($6::bigint IS NULL OR r.created_at <= ${at('$6')})) AS r
        WHERE $6::bigint IS NULL OR r."createdAt" < ${at('$6')} OR r.place < $7 OR (r.place = $7 AND r.id > $8)
        ORDER BY r."createdAt" DESC, r.place DESC, r.id LIMIT $9) AS page
      ORDER BY k.id, page."createdAt" DESC, page.place DESC, page.id`,
  },
  groupCounts: {
    name: 'revision_counts_of_groups',
    text: `SELECT k.id, (SELECT count(*) FROM ${OF_GROUP} WHERE ${VISIBLE})::int AS n FROM unnest($5::text[]) AS k(id)`,
  },
  objects: {
    name: 'revision_object_pages',
    text: `SELECT page.* FROM unnest($5::text[]) AS k(id) CROSS JOIN LATERAL (
        SELECT * FROM (${objectsOf('= k.id')}) AS known
        WHERE $6::float8 IS NULL OR place > $6 OR (place = $6 AND name COLLATE "C" > $7) ORDER BY place, name COLLATE "C" LIMIT $8) AS page
      ORDER BY page."revisionId", page.place, page.name COLLATE "C"`,
  },
  objectCounts: {
    name: 'revision_object_counts',
    text: `SELECT "revisionId" AS id, count(*)::int AS n FROM (${objectsOf('= ANY ($5)')}) AS known GROUP BY "revisionId"`,
  },
} satisfies Record<string, Statement>;

/** One page of each group's revisions, latest first, one more than its limit. */
export const pagesOfGroupRevisions = (
  sql: Sql,
  groupIds: readonly string[],
  { after, limit }: Keyset,
  reader: Reader,
): Promise<GroupRevision[]> =>
  sql.rows(statements.groupRevisions, [
    ...reader,
    groupIds,
    after?.[0] ?? null,
    after?.[1] ?? null,
    after?.[2] ?? null,
    limit + 1,
  ]);

/** How many revisions of a group the reader may know of. */
export const countsOfGroupRevisions = (
  sql: Sql,
  groupIds: readonly string[],
  reader: Reader,
): Promise<{ id: string; n: number }[]> => sql.rows(statements.groupCounts, [...reader, groupIds]);

/** One page of what each revision changed and concerns, in order, one more than its limit. */
export const pagesOfObjects = (
  sql: Sql,
  revisionIds: readonly string[],
  { after, limit }: Keyset,
  reader: Reader,
): Promise<ListedObject[]> =>
  sql.rows(statements.objects, [...reader, revisionIds, after?.[0] ?? null, after?.[1] ?? null, limit + 1]);

/** How much a revision changed and concerns that the reader may know of; revisions without any are left out. */
export const countsOfObjects = (
  sql: Sql,
  revisionIds: readonly string[],
  reader: Reader,
): Promise<{ id: string; n: number }[]> => sql.rows(statements.objectCounts, [...reader, revisionIds]);
