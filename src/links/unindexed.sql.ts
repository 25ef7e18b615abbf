/** Takes links whose verdict the search index lacks. In SQL because Prisma has no SKIP LOCKED. */
import type { Sql, Statement } from '../infra/postgres/db.ts';

const unindexed: Statement = {
  text: `WITH chosen AS MATERIALIZED (SELECT resource_id FROM resource_link WHERE NOT is_indexed ORDER BY resource_id LIMIT $1 FOR UPDATE SKIP LOCKED),
      taken AS (UPDATE resource_link l SET is_indexed = true FROM chosen c WHERE l.resource_id = c.resource_id RETURNING l.resource_id)
    SELECT DISTINCT r.dataset_id AS id FROM taken t JOIN resource r ON r.id = t.resource_id ORDER BY 1`,
};

/** Datasets of up to `limit` such links, in order. The links count as indexed when the transaction commits. */
export const takeUnindexed = async (sql: Sql, limit: number): Promise<string[]> =>
  (await sql.rows<{ id: string }>(unindexed, [limit])).map(({ id }) => id);
