/** Prunes the change log. In SQL because Prisma has no CTE: rows move by set, in one snapshot. Unnamed: operators run it rarely. */
import { firstAt } from '../changes/position.sql.ts';
import { firstValue, type RowOf, type Sql } from '../infra/postgres/db.ts';
import { summedChanges } from '../statistics/facts.sql.ts';

/** Changes of these kinds do not count as edits of their author (accounts/user/user.sql.ts). */
const NO_EDIT = `c.object_type IN ('vocabulary', 'tag', 'related', 'rating', 'translation') OR c.action = 'noted'
  OR (c.object_type = 'user' AND c.action <> 'deleted'
    AND NOT (c.action = 'created' AND c.object_id = r.author_id AND c.detail @> '{"by": "operator"}'))`;
/** Kinds of objects that make a revision public. */
const LISTED = `('dataset', 'group', 'organization', 'user', 'tag', 'vocabulary')`;

const statements = {
  state: {
    text: `SELECT COALESCE(min(position), 0)::float8 AS first, COALESCE(max(position), 0)::float8 AS last, count(*)::float8 AS changes,
      min(created_at) AS "oldestAt" FROM change WHERE position IS NOT NULL`,
  },
  end: {
    text: `SELECT least(${firstAt('position', '$1::timestamptz')} - 1, (SELECT max(position) - 1 FROM change))::float8 AS position`,
  },
  counted: {
    text: `SELECT CASE WHEN EXISTS (SELECT FROM statistics_pending WHERE kind = 'change') THEN 0
      ELSE (SELECT COALESCE(max(position), 0) FROM statistics_cursor) END::float8 AS position`,
  },
  webhooks: {
    text: `SELECT w.name, w.id FROM webhook w WHERE w.state <> 'disabled' AND w.cursor < $1 ORDER BY w.number LIMIT 20`,
  },
  prune: {
    text: `WITH gone AS MATERIALIZED (SELECT * FROM change WHERE position <= $1),
      removed AS (DELETE FROM change WHERE position <= $1),
      last AS (SELECT DISTINCT ON (object_type, object_id) object_type, object_id, readers FROM gone
        ORDER BY object_type, object_id, position DESC),
      forgotten AS (DELETE FROM pruned_reader p USING last l
        WHERE (p.object_type, p.object_id) = (l.object_type, l.object_id) AND l.readers = 'null'::jsonb),
      kept AS (INSERT INTO pruned_reader SELECT object_type, object_id, readers FROM last WHERE readers <> 'null'::jsonb
        ON CONFLICT (object_type, object_id) DO UPDATE SET readers = EXCLUDED.readers),
      counted AS (INSERT INTO pruned_month AS m (scope, dimension, month, key, action, count, days)
        SELECT scope, dimension, month, key, action, count, days
        FROM (${summedChanges('SELECT c.*, c.is_public AS counts_as_public, 1 AS sign FROM gone c')}) s
        ON CONFLICT (scope, dimension, month, key, action) DO UPDATE SET count = m.count + EXCLUDED.count,
          days = ARRAY(SELECT a + b FROM unnest(m.days, EXCLUDED.days) WITH ORDINALITY d(a, b, day) ORDER BY day)),
      hidden AS (UPDATE revision r SET
          visibility = CASE WHEN r.visibility = 'public' AND NOT EXISTS (SELECT FROM change c WHERE c.revision_id = r.id
            AND (c.position > $1 OR c.position IS NULL) AND c.is_public AND c.object_type IN ${LISTED}) THEN 'purged' ELSE r.visibility END,
          author_id = CASE WHEN EXISTS (SELECT FROM gone c WHERE c.revision_id = r.id AND (${NO_EDIT})) THEN NULL ELSE r.author_id END
        WHERE r.id IN (SELECT revision_id FROM gone))
      SELECT count(*)::float8 AS count FROM gone`,
  },
};

/** The retained log. */
export interface LogState {
  /** First and last position; 0 for an empty log. */
  readonly first: number;
  readonly last: number;
  readonly changes: number;
  readonly oldestAt: Date | null;
}

export const readLogState = async (sql: Sql): Promise<LogState> => (await sql.rows<LogState>(statements.state))[0]!;

/** The last position with only older changes before it. The newest change is never included: positions continue from it. */
export const endBefore = async (sql: Sql, time: Date): Promise<number> =>
  Math.max(0, (await firstValue<number | null>(sql, statements.end, [time])) ?? 0);

/** The last position that statistics have counted completely; 0 while a counted change still has to be counted differently. */
export const countedPosition = (sql: Sql): Promise<number> => firstValue(sql, statements.counted);

/** Webhooks that have not received the changes up to a position, at most 20. */
export const webhooksBefore = (sql: Sql, position: number): Promise<RowOf<'Webhook', 'name' | 'id'>[]> =>
  sql.rows(statements.webhooks, [position]);

/** Removes the changes up to a position; how many. Call it under the locks of the feed and of statistics. */
export const pruneUpTo = (sql: Sql, position: number): Promise<number> => firstValue(sql, statements.prune, [position]);
