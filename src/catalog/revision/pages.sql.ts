/** Reads revisions of groups, and objects of revisions. In SQL because Prisma has no UNION, and each list merges two tables. */

import type { Counted } from '../../infra/postgres/by-keys.sql.ts';
import { withHidden } from '../../infra/postgres/columns.ts';
import type { Sql, Statement } from '../../infra/postgres/db.ts';
import type { Keyset } from '../../kernel/connection.ts';
import { beyond, formOf, orderOf, type SortKey, WHOLE } from '../../kernel/keyset.sql.ts';
import {
  type ListedObject,
  type ListedRevision,
  MICROS,
  objectsOf,
  REVISION,
  type Reader,
  VISIBLE,
  wholeList,
} from './revision.sql.ts';
import type { RevisionRecord } from './revision.store.ts';

/** A revision of a group. Revisions with equal times are ordered by the log, then by id. */
export interface GroupRevision extends ListedRevision {
  readonly groupId: string;
  readonly place: number;
}

/** Revisions that changed or concern a group, each with its last log position. */
const ofGroup = (
  id: string,
): string => `(SELECT revision_id FROM change WHERE object_type IN ('group', 'organization') AND object_id = ${id}
    UNION SELECT revision_id FROM revision_group WHERE group_id = ${id}) AS n JOIN revision r ON r.id = n.revision_id`;
const OF_GROUP = ofGroup('k.id');
const PLACE = `COALESCE((SELECT max(c.sequence) FROM change c WHERE c.revision_id = r.id), 0)::float8`;

/** Sort keys of a group's revisions, and of a revision's objects. */
const REVISION_KEYS: readonly SortKey[] = [
  { sql: 'r."createdAt"', type: 'instant', descending: true },
  { sql: 'r.place', type: 'float8', descending: true },
  { sql: 'r.id', type: 'text' },
];
const OBJECT_KEYS: readonly SortKey[] = [
  { sql: 'r.place', type: 'float8' },
  { sql: 'r.name COLLATE "C"', type: 'text' },
];

/** Rows of each of the groups or revisions $5. */
const each = (name: string, parent: string, rows: string, end = ''): Statement => ({
  name: `revision_${name}`,
  text: withHidden(
    `SELECT k.id AS "${parent}", r.* FROM unnest($5::text[]) AS k(id) CROSS JOIN LATERAL (${rows}) AS r ${end}`,
  ),
});
const OBJECTS = `FROM (${objectsOf('= k.id')}) AS r`;

/** A page of the rows of each: $6 is the limit, its key follows. */
const pages = (name: string, parent: string, from: string, keys: readonly SortKey[], page: Keyset): Statement => {
  const order = orderOf(keys, page);
  const rows = `SELECT * ${from} WHERE ${beyond(keys, page, 7)} ORDER BY ${order} LIMIT $6::bigint`;
  return each(`${name}_${formOf(page)}`, parent, rows, `ORDER BY k.id, ${order}`);
};

const statements = {
  // Without the columns of cursors, and with the log's position only where times are equal: together half of the time.
  ofGroup: wholeList(
    'group',
    `${ofGroup('$5::text')} WHERE ${VISIBLE}`,
    `r.created_at DESC, CASE WHEN count(*) OVER (PARTITION BY r.created_at) > 1 THEN ${PLACE} END DESC, r.id`,
  ),
  groupCounts: each('counts_of_groups', 'id', `SELECT count(*)::int AS n FROM ${OF_GROUP} WHERE ${VISIBLE}`),
  objectCounts: each('object_counts', 'id', `SELECT count(*)::int AS n ${OBJECTS}`),
} satisfies Record<string, Statement>;

/** All revisions of a group, latest first. */
export const revisionsOfGroup = (sql: Sql, groupId: string, reader: Reader): Promise<RevisionRecord[]> =>
  sql.rows(statements.ofGroup, [...reader, groupId]);

/** One page of each group's revisions (one more than its limit), latest first, in reading order. */
export function pagesOfGroupRevisions(
  sql: Sql,
  groupIds: readonly string[],
  page: Keyset,
  reader: Reader,
): Promise<GroupRevision[]> {
  const { limit, from } = page;
  const known = `FROM (SELECT ${REVISION}, ${MICROS}, ${PLACE} AS place FROM ${OF_GROUP} WHERE ${VISIBLE}) AS r`;
  const statement = pages('pages_of_groups', 'groupId', known, REVISION_KEYS, page);
  return sql.rows(statement, [...reader, groupIds, limit + 1, ...(from ?? [])]);
}

/** Number of a group's revisions visible to the reader. */
export const countsOfGroupRevisions = (sql: Sql, groupIds: readonly string[], reader: Reader): Promise<Counted[]> =>
  sql.rows(statements.groupCounts, [...reader, groupIds]);

/** One page of the objects that each revision changed or concerns (one more than its limit), or all; in reading order. */
export function pagesOfObjects(
  sql: Sql,
  revisionIds: readonly string[],
  page: Keyset | null,
  reader: Reader,
): Promise<ListedObject[]> {
  const { limit, from } = page ?? WHOLE;
  const statement = pages('object_pages', 'id', OBJECTS, OBJECT_KEYS, page ?? WHOLE);
  return sql.rows(statement, [...reader, revisionIds, limit + 1, ...(from ?? [])]);
}

/** Number of a revision's objects visible to the reader; revisions without any are omitted. */
export const countsOfObjects = (sql: Sql, revisionIds: readonly string[], reader: Reader): Promise<Counted[]> =>
  sql.rows(statements.objectCounts, [...reader, revisionIds]);
