/** Writes verdicts of links into the search index. In SQL because Prisma has no xid8, and cannot set a column from other tables. */
import type { Sql, Statement } from '../../infra/postgres/db.ts';

/** Codes of the verdicts of a dataset's links; `dataset` is its id. */
export const linkCodes = (dataset: string): string => `SELECT k.code FROM search_value k WHERE k.field = 'link_status'
  AND k.value = ANY (ARRAY(SELECT DISTINCT l.verdict FROM resource r JOIN resource_link l ON l.resource_id = r.id
    WHERE r.dataset_id = ${dataset} AND r.state = 'active' AND l.verdict IS NOT NULL))`;

const statements = {
  // As a write of a dataset does it: first the document, then the entry, so that neither misses the other.
  lock: {
    text: 'SELECT dataset_id FROM dataset_document WHERE dataset_id = ANY ($1) ORDER BY dataset_id FOR NO KEY UPDATE',
  },
  write: {
    text: `WITH now AS MATERIALIZED (SELECT s.dataset_id, ARRAY(SELECT u.code FROM (
          SELECT f.code FROM unnest(s.facets) f(code) WHERE f.code NOT IN (SELECT code FROM search_value WHERE field = 'link_status')
          UNION ${linkCodes('s.dataset_id')}) u ORDER BY u.code) AS facets
        FROM dataset_search s WHERE s.dataset_id = ANY ($1) AND s.state <> 'purged')
      UPDATE dataset_search s SET written = pg_current_xact_id(), facets = n.facets FROM now n
      WHERE s.dataset_id = n.dataset_id AND s.facets <> n.facets`,
  },
} satisfies Record<string, Statement>;

export async function writeLinkStatus(sql: Sql, datasetIds: readonly string[]): Promise<void> {
  await sql.rows(statements.lock, [datasetIds]);
  await sql.rows(statements.write, [datasetIds]);
}
