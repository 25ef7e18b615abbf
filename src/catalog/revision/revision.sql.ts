/**
 * Reads revisions and their objects, filtered by visibility. In SQL because Prisma has no UNION: every list merges two index walks, latest
 * first, for any reader. Public changes are visible to everyone (docs/decisions/0022). Other revisions are visible to readers of one of
 * their objects. A dataset counts if the reader may read it now and could read it after this revision.
 */

import { columnsOf, withHidden } from '../../infra/postgres/columns.ts';
import { firstValue, type Sql, type Statement } from '../../infra/postgres/db.ts';
import type { Keyset } from '../../kernel/connection.ts';
import { beyond, formOf, microsOf, orderOf, type SortKey, WHOLE } from '../../kernel/keyset.sql.ts';
import { readable, readableByRight } from '../document/readable.ts';
import { REVISION_SELECT, type RevisionRecord } from './revision.store.ts';

export type ObjectKind = 'DATASET' | 'GROUP' | 'ORGANIZATION' | 'USER' | 'TAG' | 'VOCABULARY';
export type ObjectAction = 'CREATED' | 'UPDATED' | 'DELETED' | 'RESTORED' | 'PURGED' | 'CONCERNED' | 'NOTED';

/** An object that a revision changed or concerns. */
export interface RevisionObjectRecord {
  readonly kind: ObjectKind;
  readonly objectId: string;
  /** Its present name; the name at that time if the reader may not read it now. */
  readonly name: string;
  readonly action: ObjectAction;
}

/** An object in a list, with its revision and its position in it. */
export interface ListedObject extends RevisionObjectRecord {
  readonly revisionId: string;
  readonly place: number;
}

/** A revision with its sort key: microseconds since 1970 and the id. */
export type ListedRevision = RevisionRecord & { readonly micros: number };

/** Values of readerOf (document/readable.ts): $1 to $4 of every statement here. */
export type Reader = readonly unknown[];

export const REVISION: string = columnsOf(REVISION_SELECT, 'r');

/** The objects of changes `c`, and which of them the reader ($1 to $4) may see. Kinds that are not named here are for sysadmins. */
const OBJECTS = `LEFT JOIN dataset d ON c.object_type = 'dataset' AND d.id = c.object_id
  LEFT JOIN dataset_history h ON h.dataset_id = d.id AND h.revision_id = c.revision_id
  LEFT JOIN group_account g ON c.object_type IN ('group', 'organization') AND g.id = c.object_id
  LEFT JOIN user_account u ON c.object_type = 'user' AND u.id = c.object_id`;
const KEYS: readonly SortKey[] = [
  { sql: 'r.created_at', type: 'instant', descending: true },
  { sql: 'r.id', type: 'text' },
];
const LATEST_FIRST = orderOf(KEYS, WHOLE);
const BY_RIGHT = `($1::boolean OR u.id = $2::text OR g.id = ANY ($3::text[])
  OR (d.id IS NOT NULL AND ${readableByRight('d', 1)} AND (h.dataset_id IS NULL OR ${readable('h', 1)})))`;
const READABLE_GROUP = `($1::boolean OR g.state = 'active' OR g.id = ANY ($3::text[]))`;
/** Readers without any right see nothing hidden: for them no change is read. */
const HAS_RIGHTS = `($1::boolean OR cardinality($3::text[]) > 0
  OR EXISTS (SELECT FROM dataset WHERE owner_organization_id IS NULL AND creator_id = $2::text))`;
const HIDDEN_VISIBLE = `${HAS_RIGHTS}
  AND ($1::boolean OR EXISTS (SELECT 1 FROM change c ${OBJECTS} WHERE c.revision_id = r.id AND ${BY_RIGHT}))`;
export const VISIBLE = `(r.visibility = 'public' OR (${HIDDEN_VISIBLE}))`;
/** Revisions visible to the reader, as two index walks: public ones, and hidden ones. */
const walked = (columns: string, only: string, limit: string, order = LATEST_FIRST): string => `
  (SELECT ${columns} FROM revision r WHERE r.visibility = 'public' AND ${only} ORDER BY ${order} LIMIT ${limit})
  UNION ALL (SELECT ${columns} FROM revision r WHERE r.visibility <> 'public' AND ${HIDDEN_VISIBLE} AND ${only} ORDER BY ${order} LIMIT ${limit})`;

const SINCE = `($7::timestamptz IS NULL OR r.created_at > $7)
  AND ($8::text IS NULL OR r.created_at > (SELECT created_at FROM revision WHERE id = $8))`;

export const MICROS = `${microsOf('r.created_at')} AS micros`;

/** Changes in their order, followed by concerned objects. */
const LAST = Number.MAX_SAFE_INTEGER;

/** Objects that revisions (a condition on their id) changed or concern, visible to the reader; sorted by `place` and name. */
export const objectsOf = (
  revisions: string,
): string => `SELECT place, "revisionId", upper(kind) AS kind, "objectId", name, upper(action) AS action FROM (
    SELECT c.sequence::float8 AS place, c.revision_id AS "revisionId", c.object_type AS kind, c.object_id AS "objectId",
      CASE WHEN d.id IS NOT NULL AND NOT ${readable('d', 1)} THEN COALESCE(c.detail ->> 'name', h.name)
        WHEN g.id IS NOT NULL AND NOT ${READABLE_GROUP} OR u.state <> 'active' AND NOT ($1::boolean OR u.id = $2::text) THEN c.detail ->> 'name'
        ELSE COALESCE(d.name, g.name, u.name, c.detail ->> 'name') END AS name, c.action
    FROM change c ${OBJECTS} WHERE c.revision_id ${revisions} AND (c.is_public OR ${BY_RIGHT})
    UNION ALL SELECT ${LAST}, f.revision_id, CASE WHEN g.is_organization THEN 'organization' ELSE 'group' END, g.id,
      CASE WHEN ${READABLE_GROUP} THEN g.name ELSE (SELECT p.detail ->> 'name' FROM change p WHERE p.object_id = g.id AND p.is_public
        AND p.object_type IN ('group', 'organization') ORDER BY p.sequence DESC LIMIT 1) END, 'concerned'
    FROM revision_group f JOIN group_account g ON g.id = f.group_id JOIN revision r ON r.id = f.revision_id
    WHERE f.revision_id ${revisions} AND (${READABLE_GROUP} OR r.visibility = 'public')) AS told
  WHERE kind IN ('dataset', 'group', 'organization', 'user', 'tag', 'vocabulary') AND name IS NOT NULL`;

/** All revisions of one object, $5. */
export const wholeList = (of: string, from: string, order: string): Statement => ({
  name: `revisions_of_${of}`,
  text: withHidden(`SELECT ${REVISION} FROM ${from} ORDER BY ${order}`),
});

const statements = {
  ids: {
    name: 'revision_ids',
    text: `SELECT COALESCE(json_agg(id), '[]')::text AS ids FROM (
      SELECT r.id FROM (${walked('r.id, r.created_at', SINCE, '($5::bigint + $6::bigint)')}) AS r ORDER BY ${LATEST_FIRST} LIMIT $5 OFFSET $6) AS listed`,
  },
  count: { name: 'revision_count', text: `SELECT count(*)::int AS n FROM revision r WHERE ${VISIBLE}` },
  byIds: {
    name: 'revisions_by_id',
    text: withHidden(
      `SELECT ${REVISION}, ${VISIBLE} AS visible, r.visibility = 'purged' AS purged FROM revision r WHERE r.id = ANY ($5::text[])`,
    ),
  },
  ofDataset: wholeList(
    'dataset',
    `dataset_history h JOIN revision r ON r.id = h.revision_id WHERE h.dataset_id = $5::text AND ${readable('h', 1)}`,
    'h.version DESC',
  ),
} satisfies Record<string, Statement>;

/** The lower bound of revisions; null without a condition. */
export interface Since {
  readonly moment: Date | null;
  readonly revisionId: string | null;
}

/** JSON text of a list of ids, latest first; a null limit means all. */
export const idsText = (
  sql: Sql,
  reader: Reader,
  limit: number | null,
  offset: number,
  { moment, revisionId }: Since,
): Promise<string> => firstValue(sql, statements.ids, [...reader, limit, offset, moment, revisionId]);

/** A page of revisions, latest first, one more than its limit, in reading order. */
export function pageOfRevisions(sql: Sql, page: Keyset, reader: Reader): Promise<ListedRevision[]> {
  const order = orderOf(KEYS, page);
  const statement = {
    name: `revision_page_${formOf(page)}`,
    text: `SELECT ${REVISION}, ${MICROS} FROM (${walked('r.*', beyond(KEYS, page, 6), '$5::bigint', order)}) AS r
      ORDER BY ${order} LIMIT $5`,
  };
  return sql.rows(statement, [...reader, page.limit + 1, ...(page.from ?? [])]);
}

export const countRevisions = (sql: Sql, reader: Reader): Promise<number> => firstValue(sql, statements.count, reader);

/** Revisions by id, unordered, with their visibility to the reader and whether they were public before a purge. */
export const listRevisions = (
  sql: Sql,
  ids: readonly string[],
  reader: Reader,
): Promise<(RevisionRecord & { visible: boolean; purged: boolean })[]> => sql.rows(statements.byIds, [...reader, ids]);

/** All revisions that stored a copy of a dataset which the reader could read, latest first. */
export const revisionsOfDataset = (sql: Sql, datasetId: string, reader: Reader): Promise<RevisionRecord[]> =>
  sql.rows(statements.ofDataset, [...reader, datasetId]);
