/**
 * Brings the statistics up to date. In SQL because Prisma has no CTE that deletes and returns: counts change by set, in the snapshot that
 * empties the queue. The statements are `statistics_uncounted`, `statistics_fold_objects` and `statistics_fold_changes`. Call the folds
 * under lockStatistics.
 */
import { firstValue, type Sql, type Statement } from '../infra/postgres/db.ts';
import { lockAlone } from '../infra/postgres/transaction-lock.sql.ts';
import { currentParts, summedChanges, summedParts } from './facts.sql.ts';

/** Maximum number of queued rows, and of changes, in one transaction. */
export const FOLD_AT_ONCE = 500;

/** The last counted position. 0 if the log was emptied since, because positions start again. */
const COUNTED = `SELECT CASE WHEN c.position <= (SELECT coalesce(max(position), 0) FROM change) THEN c.position ELSE 0 END AS position
  FROM (SELECT coalesce(max(position), 0) AS position FROM statistics_cursor) c`;

const statements = {
  uncounted: {
    name: 'statistics_uncounted',
    text: `SELECT (SELECT max(number) FROM statistics_pending) IS NOT NULL OR (SELECT coalesce(max(position), 0) FROM change)
      <> (SELECT coalesce(max(position), 0) FROM statistics_cursor) AS any,
      (SELECT xmin || ' ' || position FROM statistics_cursor) AS version`,
  },
  objects: {
    name: 'statistics_fold_objects',
    text: `WITH taken AS (DELETE FROM statistics_pending WHERE number IN (
        SELECT number FROM statistics_pending WHERE kind <> 'change' ORDER BY number LIMIT ${FOLD_AT_ONCE}) RETURNING kind, id),
      ids AS MATERIALIZED (SELECT DISTINCT kind, id FROM taken),
      now AS MATERIALIZED (${currentParts('ids')}),
      before AS MATERIALIZED (SELECT o.* FROM statistics_object o JOIN ids USING (kind, id)),
      changed AS MATERIALIZED (SELECT kind, id, n.scope, n.parts, b.scope AS scope_before, b.parts AS parts_before
        FROM now n FULL JOIN before b USING (kind, id) WHERE (n.scope, n.parts) IS DISTINCT FROM (b.scope, b.parts)),
      summed AS MATERIALIZED (SELECT * FROM (${summedParts(`SELECT scope, 1 AS sign, parts FROM changed WHERE parts IS NOT NULL
        UNION ALL SELECT scope_before, -1, parts_before FROM changed WHERE parts_before IS NOT NULL`)}) s
        WHERE objects <> 0 OR resources <> 0 OR bytes <> 0 OR tables <> 0),
      next AS MATERIALIZED (SELECT s.*, coalesce(c.objects, 0) AS objects_before FROM summed s LEFT JOIN statistics_count c USING (scope, dimension, key)),
      emptied AS (DELETE FROM statistics_count c USING next n WHERE (c.scope, c.dimension, c.key) = (n.scope, n.dimension, n.key)
        AND n.objects_before + n.objects = 0),
      counted AS (INSERT INTO statistics_count AS c (scope, dimension, key, objects, resources, bytes, tables)
        SELECT scope, dimension, key, objects, resources, bytes, tables FROM next WHERE objects_before + objects <> 0
        ON CONFLICT (scope, dimension, key) DO UPDATE SET objects = c.objects + EXCLUDED.objects,
          resources = c.resources + EXCLUDED.resources, bytes = c.bytes + EXCLUDED.bytes, tables = c.tables + EXCLUDED.tables),
      dimensions AS (INSERT INTO statistics_dimension AS d (scope, dimension, keys, objects)
        SELECT scope, dimension, sum((objects_before + objects <> 0)::int - (objects_before <> 0)::int), sum(objects) FROM next GROUP BY 1, 2
        ON CONFLICT (scope, dimension) DO UPDATE SET keys = d.keys + EXCLUDED.keys, objects = d.objects + EXCLUDED.objects),
      removed AS (DELETE FROM statistics_object o USING changed c WHERE c.parts IS NULL AND (o.kind, o.id) = (c.kind, c.id)),
      kept AS (INSERT INTO statistics_object (kind, id, scope, parts) SELECT kind, id, scope, parts FROM changed WHERE parts IS NOT NULL
        ON CONFLICT (kind, id) DO UPDATE SET scope = EXCLUDED.scope, parts = EXCLUDED.parts)
      SELECT count(*)::int AS count FROM taken`,
  },
  changes: {
    name: 'statistics_fold_changes',
    text: `WITH counted AS MATERIALIZED (${COUNTED}),
      taken AS MATERIALIZED (SELECT c.* FROM change c WHERE c.position > (SELECT position FROM counted) ORDER BY c.position LIMIT ${FOLD_AT_ONCE}),
      forgotten AS (DELETE FROM statistics_pending WHERE kind = 'change' RETURNING id::bigint AS sequence),
      moved AS MATERIALIZED (SELECT c.* FROM change c WHERE c.sequence IN (SELECT sequence FROM forgotten)
        AND c.position <= (SELECT position FROM counted)),
      summed AS (${summedChanges(`SELECT *, is_public AS counts_as_public, 1 AS sign FROM taken
        UNION ALL SELECT *, false, 1 FROM moved UNION ALL SELECT *, true, -1 FROM moved`)}),
      written AS (INSERT INTO statistics_month AS m (scope, dimension, month, key, action, count, days)
        SELECT scope, dimension, month, key, action, count, days FROM summed WHERE 0 <> ANY (days)
        ON CONFLICT (scope, dimension, month, key, action) DO UPDATE SET count = m.count + EXCLUDED.count,
          days = ARRAY(SELECT a + b FROM unnest(m.days, EXCLUDED.days) WITH ORDINALITY d(a, b, day) ORDER BY day)),
      advanced AS (INSERT INTO statistics_cursor (id, position) SELECT 1, coalesce(max(position), (SELECT position FROM counted)) FROM taken
        ON CONFLICT (id) DO UPDATE SET position = EXCLUDED.position)
      SELECT count(*)::int AS count FROM taken`,
  },
} satisfies Record<string, Statement>;

/** Whether any committed write is not counted yet. Positions must be assigned. */
export const isAnyUncounted = async (sql: Sql): Promise<boolean> => (await countedSoFar(sql)).any;

/** The same, with a text that differs after each count of changes. Null: nothing was counted. */
export const countedSoFar = async (sql: Sql): Promise<{ any: boolean; version: string | null }> =>
  (await sql.rows<{ any: boolean; version: string | null }>(statements.uncounted))[0]!;

/** Locks the statistics until the end of the transaction. */
export const lockStatistics = (sql: Sql): Promise<void> => lockAlone(sql, 'statistics');

/** Counts the next queued objects; how many rows of the queue. */
export const foldObjects = (sql: Sql): Promise<number> => firstValue(sql, statements.objects);

/** Counts the next changes of the log; how many. */
export const foldChanges = (sql: Sql): Promise<number> => firstValue(sql, statements.changes);
