/**
 * Takes datasets from the queue and stores their scores. In SQL because Prisma has no upsert of several rows: a batch of
 * 50 datasets takes two statements instead of 150.
 */
import type { RowOf, Sql, Statement } from '../infra/postgres/db.ts';
import type { QualityRow } from './score.store.ts';

const statements = {
  take: {
    text: `WITH next AS MATERIALIZED (SELECT DISTINCT dataset_id FROM (SELECT dataset_id FROM quality_pending ORDER BY number LIMIT $1) n),
        taken AS (DELETE FROM quality_pending p USING next n WHERE p.dataset_id = n.dataset_id)
      SELECT dataset_id AS id FROM next ORDER BY 1`,
  },
  write: {
    text: `INSERT INTO dataset_quality (dataset_id, points, findability, accessibility, interoperability, reusability, contextuality,
        checks, faults, stars, scope, owner, version, scored_at)
      SELECT r."datasetId", r.points, r.findability, r.accessibility, r.interoperability, r.reusability, r.contextuality,
        r.checks, ARRAY(SELECT f.fault FROM jsonb_array_elements_text(r.faults) WITH ORDINALITY f(fault, n) ORDER BY f.n),
        r.stars, r.scope, r.owner, r.version, r."scoredAt"
      FROM jsonb_to_recordset($1::jsonb) AS r("datasetId" text, points smallint, findability smallint, accessibility smallint,
        interoperability smallint, reusability smallint, contextuality smallint, checks text, faults jsonb, stars smallint,
        scope text, owner text, version integer, "scoredAt" timestamptz)
      ON CONFLICT (dataset_id) DO UPDATE SET points = EXCLUDED.points, findability = EXCLUDED.findability,
        accessibility = EXCLUDED.accessibility, interoperability = EXCLUDED.interoperability, reusability = EXCLUDED.reusability,
        contextuality = EXCLUDED.contextuality, checks = EXCLUDED.checks, faults = EXCLUDED.faults, stars = EXCLUDED.stars,
        scope = EXCLUDED.scope, owner = EXCLUDED.owner, version = EXCLUDED.version, scored_at = EXCLUDED.scored_at`,
  },
  queueOld: {
    text: `INSERT INTO quality_pending (dataset_id) SELECT dataset_id FROM dataset_quality WHERE version <> $1 ORDER BY dataset_id`,
  },
  queueAll: {
    text: `INSERT INTO quality_pending (dataset_id) SELECT dataset_id FROM dataset_document
      UNION SELECT dataset_id FROM dataset_quality ORDER BY 1`,
  },
  sums: {
    text: `SELECT c.scope, c.owner, array_to_json(c.sums) AS sums FROM quality_count c
      JOIN unnest($1::text[], $2::text[]) AS k(scope, owner) ON k.scope = c.scope AND k.owner = c.owner`,
  },
  writeSums: {
    text: `WITH given AS (SELECT k.scope, k.owner, k.sums::bigint[] AS sums FROM unnest($1::text[], $2::text[], $3::text[]) AS k(scope, owner, sums)),
        counted AS (INSERT INTO quality_count AS c (scope, owner, sums) SELECT scope, owner, sums FROM given
          ON CONFLICT (scope, owner) DO UPDATE SET sums = EXCLUDED.sums)
      INSERT INTO quality_day AS d (scope, owner, day, sums) SELECT scope, owner, $4::date, sums FROM given
      ON CONFLICT (scope, owner, day) DO UPDATE SET sums = EXCLUDED.sums`,
  },
} satisfies Record<string, Statement>;

/** Takes the next datasets from the queue, at most `limit`, by id. */
export const takePending = async (sql: Sql, limit: number): Promise<string[]> =>
  (await sql.rows<{ id: string }>(statements.take, [limit])).map(({ id }) => id);

export const writeScores = async (sql: Sql, rows: readonly QualityRow[]): Promise<void> =>
  void (await sql.rows(statements.write, [JSON.stringify(rows)]));

/** Queues the datasets with a score of another version of the method. */
export const queueOld = async (sql: Sql, version: number): Promise<void> =>
  void (await sql.rows(statements.queueOld, [version]));

/** Queues all datasets, and the scores of those that are gone. */
export const queueAll = async (sql: Sql): Promise<void> => void (await sql.rows(statements.queueAll));

/** Sums of an organization, or of all (`*`), in one scope. */
export type SumsRow = RowOf<'QualityCount', 'scope' | 'owner'> & { readonly sums: readonly number[] };

/** Those of these keys that exist. */
export const sumsAt = (sql: Sql, keys: readonly (readonly [string, string])[]): Promise<SumsRow[]> =>
  sql.rows(statements.sums, [keys.map(([scope]) => scope), keys.map(([, owner]) => owner)]);

/** Replaces sums, also those of the day (`YYYY-MM-DD`). */
export const writeSums = async (sql: Sql, rows: readonly SumsRow[], day: string): Promise<void> =>
  void (await sql.rows(statements.writeSums, [
    rows.map(({ scope }) => scope),
    rows.map(({ owner }) => owner),
    rows.map(({ sums }) => `{${sums.join(',')}}`),
    day,
  ]));
