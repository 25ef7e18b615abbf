/** Compares the statistics with the tables that they count. In SQL because Prisma has no FULL JOIN. Unnamed: operators run it rarely. */
import { firstValue, type Sql } from '../infra/postgres/db.ts';
import { currentParts, summedChanges, summedParts } from './facts.sql.ts';

/** Maximum number of listed faults. */
const MAX_FAULTS = 1_000;

/** Columns as one text, for comparison. */
const shown = (columns: string): string => `concat_ws(' ', ${columns})`;
/** Rows of both sides with differing values. */
const differing = (keys: string, values: string, expected: string, stored: string): string => `
  SELECT ${shown(keys)} AS key, e.value AS expected, s.value AS stored
  FROM (SELECT ${keys}, ${shown(values)} AS value FROM (${expected}) e) e
  FULL JOIN (SELECT ${keys}, ${shown(values)} AS value FROM ${stored}) s USING (${keys})
  WHERE e.value IS DISTINCT FROM s.value`;

const KEYS = 'scope, dimension, month, key, action';
/** Changes in the log, and those that were pruned. */
const EXPECTED_CHANGES = `SELECT ${KEYS}, sum(count)::bigint AS count,
    ARRAY(SELECT sum(n)::bigint FROM unnest(array_agg(numbers)) AS each(text), LATERAL unnest(text::bigint[]) WITH ORDINALITY d(n, day)
      GROUP BY day ORDER BY day) AS days
  FROM (SELECT ${KEYS}, count, days::text AS numbers FROM (${summedChanges(
    `SELECT c.*, c.is_public AS counts_as_public, 1 AS sign FROM change c WHERE c.position IS NOT NULL`,
  )}) logged UNION ALL SELECT ${KEYS}, count, days::text FROM pruned_month) both_parts GROUP BY ${KEYS}`;

const CHECK = `WITH ids AS (SELECT 'dataset' AS kind, dataset_id AS id FROM dataset_document UNION ALL SELECT 'user', id FROM user_account),
  now AS MATERIALIZED (${currentParts('ids')}),
  expected AS MATERIALIZED (${summedParts('SELECT scope, 1 AS sign, parts FROM now')})
  SELECT * FROM (
    (${differing('scope, dimension, key', 'objects, resources, bytes, tables', 'SELECT * FROM expected', 'statistics_count')})
    UNION ALL (${differing(
      'scope, dimension',
      'keys, objects',
      'SELECT scope, dimension, count(*) AS keys, sum(objects) AS objects FROM expected GROUP BY 1, 2',
      '(SELECT * FROM statistics_dimension WHERE objects <> 0) d',
    )})
    UNION ALL (${differing('scope, dimension, month, key, action', 'count, days', EXPECTED_CHANGES, '(SELECT * FROM statistics_month WHERE count <> 0 OR 0 <> ANY (days)) m')})
  ) f ORDER BY key LIMIT ${MAX_FAULTS}`;

/** A count that differs; null: missing on that side. */
export interface StatisticsFault {
  readonly key: string;
  readonly expected: string | null;
  readonly stored: string | null;
}

/** Compares all counts. Call it under lockStatistics. */
export async function listStatisticsFaults(sql: Sql): Promise<{ counts: number; faults: StatisticsFault[] }> {
  const faults = await sql.rows<StatisticsFault>({ text: CHECK });
  const counts = await firstValue<number>(sql, {
    text: 'SELECT ((SELECT count(*) FROM statistics_count) + (SELECT count(*) FROM statistics_month))::int AS count',
  });
  return { counts, faults };
}

/** Empties the statistics and queues all objects; how many. Call it under lockStatistics. */
export async function resetStatistics(sql: Sql): Promise<number> {
  const tables = ['pending', 'object', 'count', 'dimension', 'month', 'cursor'];
  for (const table of tables) await sql.rows({ text: `DELETE FROM statistics_${table}` });
  await sql.rows({ text: 'INSERT INTO statistics_month SELECT * FROM pruned_month' });
  return firstValue(sql, {
    text: `WITH queued AS (INSERT INTO statistics_pending (kind, id)
      SELECT 'dataset', dataset_id FROM dataset_document UNION ALL SELECT 'user', id FROM user_account RETURNING 1)
      SELECT count(*)::int AS count FROM queued`,
  });
}
