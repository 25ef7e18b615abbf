/**
 * Assigns log positions to changes, and reads changes by position. In SQL because Prisma has no advisory locks, and
 * positions are assigned by set. Positions are assigned after commits, by one process at a time, so they are in the
 * order in which changes become visible. A reader at a position has missed nothing before it, and never waits for open
 * transactions, of any database.
 */
import { firstAt, lastAt } from '../changes/position.sql.ts';
import { firstValue, type Sql, type Statement } from '../infra/postgres/db.ts';
import { lockAlone } from '../infra/postgres/transaction-lock.sql.ts';
import type { LoggedChange, Readers } from '../kernel/feed.ts';

/** Maximum number of changes that get positions in one transaction. */
export const POSITIONS_AT_ONCE = 1_000;

/** The dataset whose policy decides on the object of `c`. */
const DATASET_ID = `CASE c.object_type WHEN 'dataset' THEN c.object_id WHEN 'rating' THEN c.object_id
  WHEN 'related' THEN c.detail ->> 'datasetId' WHEN 'view' THEN c.detail ->> 'dataset'
  WHEN 'table' THEN (SELECT r.dataset_id FROM resource r WHERE r.id = c.object_id) END`;

/** OFFSET 0: each change looks up its own subject. A plan for any number of changes would read all datasets instead. */
const JOINS = `LEFT JOIN LATERAL (SELECT ${DATASET_ID} AS id) s ON true
  LEFT JOIN LATERAL (SELECT * FROM dataset WHERE id = s.id OFFSET 0) d ON true
  LEFT JOIN LATERAL (SELECT * FROM group_account WHERE c.object_type IN ('group', 'organization') AND id = c.object_id OFFSET 0) g ON true
  LEFT JOIN LATERAL (SELECT * FROM user_account WHERE c.object_type = 'user' AND id = c.object_id OFFSET 0) u ON true`;

/** Present facts (Readers). Kinds that are not named here are for sysadmins. */
const READERS = `CASE
  WHEN d.id IS NOT NULL THEN jsonb_build_object('of', 'dataset', 'id', d.id, 'state', d.state, 'private', d.private,
    'ownerOrganizationId', d.owner_organization_id, 'creatorId', d.creator_id)
  WHEN g.id IS NOT NULL THEN jsonb_build_object('of', 'group', 'id', g.id, 'state', g.state, 'isOrganization', g.is_organization)
  WHEN u.id IS NOT NULL THEN jsonb_build_object('of', 'user', 'id', u.id, 'state', u.state)
  WHEN c.object_type IN ('tag', 'vocabulary', 'translation') OR (c.object_type = 'related' AND c.detail ->> 'datasetId' IS NULL)
    THEN '{"of":"anybody"}'::jsonb
  ELSE 'null'::jsonb END`;

const statements = {
  unplaced: { name: 'feed_unplaced', text: 'SELECT EXISTS (SELECT FROM change WHERE position IS NULL) AS any' },
  place: {
    name: 'feed_place',
    text: `WITH waiting AS MATERIALIZED (SELECT * FROM change WHERE position IS NULL ORDER BY sequence LIMIT $1),
      facts AS (SELECT c.sequence, c.object_type, c.object_id, ${READERS} AS readers FROM waiting c ${JOINS}),
      told AS (SELECT f.sequence, f.readers, row_number() OVER (ORDER BY f.sequence) AS number, COALESCE(
          lag(f.readers) OVER (PARTITION BY f.object_type, f.object_id ORDER BY f.sequence),
          (SELECT p.readers FROM change p WHERE p.object_type = f.object_type AND p.object_id = f.object_id AND p.position IS NOT NULL
            ORDER BY p.position DESC LIMIT 1),
          (SELECT p.readers FROM pruned_reader p WHERE p.object_type = f.object_type AND p.object_id = f.object_id),
          'null'::jsonb) AS before FROM facts f),
      placed AS (UPDATE change c SET position = last.position + t.number, readers = t.readers, readers_before = NULLIF(t.before, t.readers)
        FROM told t, (SELECT COALESCE(max(position), 0) AS position FROM change) last WHERE c.sequence = t.sequence RETURNING 1)
      SELECT count(*)::int AS count FROM placed`,
  },
  ends: {
    name: 'feed_ends',
    text: 'SELECT COALESCE(min(position), 1)::float8 AS first, COALESCE(max(position), 0)::float8 AS last FROM change',
  },
  span: {
    text: `SELECT ${firstAt('position', '$1::timestamptz')}::float8 AS first, ${lastAt('position', '$2::timestamptz')}::float8 AS last,
      (SELECT created_at FROM change WHERE position IS NOT NULL ORDER BY position LIMIT 1) AS oldest`,
  },
  read: {
    name: 'feed_read',
    text: `SELECT c.position::float8 AS position, c.created_at AS at, c.object_type AS "objectType", c.object_id AS "objectId", c.action,
        c.actor_id AS "actorId", c.revision_id AS "revisionId", s.id AS "datasetId", c.readers AS after,
        c.readers_before AS before, c.readers_before IS NULL AS same, ${READERS} AS now, COALESCE(d.name, g.name, u.name) AS name,
        COALESCE(c.detail ->> 'name', c.detail ->> 'title', c.detail ->> 'term') AS label,
        ARRAY(SELECT f.group_id FROM dataset_group f WHERE f.dataset_id = s.id
          UNION SELECT a.group_id FROM activity_group a WHERE a.sequence = c.sequence) AS groups
      FROM (SELECT * FROM change WHERE position > $1 ORDER BY position LIMIT $2) c ${JOINS} ORDER BY c.position`,
  },
} satisfies Record<string, Statement>;

/** A change with the present facts about its subject, and the subject's name. */
export type ChangeRow = Omit<LoggedChange, 'subject'> & { readonly now: Readers; readonly name: string | null };

export const hasUnpositioned = (sql: Sql): Promise<boolean> => firstValue(sql, statements.unplaced);

/** Locks the assignment of positions until the end of the transaction. */
export const lockPositions = (sql: Sql): Promise<void> => lockAlone(sql, 'feed');

/** Gives the next changes their places; how many. Call it under lockPositions. */
export const assignNext = (sql: Sql): Promise<number> => firstValue(sql, statements.place, [POSITIONS_AT_ONCE]);

/** The first position that the log still holds, and the last; 1 and 0 for an empty log. */
export const endsOfLog = async (sql: Sql): Promise<{ first: number; last: number }> =>
  (await sql.rows<{ first: number; last: number }>(statements.ends))[0]!;

/** The positions of the first change at or after a time (beyond all without one) and of the last one before another; and the oldest change. */
export const spanOf = async (
  sql: Sql,
  from: Date,
  to: Date,
): Promise<{ first: number; last: number; oldest: Date | null }> =>
  (await sql.rows<{ first: number; last: number; oldest: Date | null }>(statements.span, [from, to]))[0]!;

/** The last assigned position; 0 without any. */
export const lastPosition = async (sql: Sql): Promise<number> => (await endsOfLog(sql)).last;

/** Changes after a position, in order. */
export async function changesAfter(sql: Sql, position: number, limit: number): Promise<ChangeRow[]> {
  const rows = await sql.rows<ChangeRow & { same: boolean }>(statements.read, [position, limit]);
  return rows.map(({ same, ...row }) => ({ ...row, before: same ? row.after : row.before }));
}
