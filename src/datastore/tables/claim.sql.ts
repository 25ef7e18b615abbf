/** Stores claims of new tables. In SQL because Prisma has no INSERT … SELECT: a resource purged concurrently gets no claim and no error. */
import type { Sql, Statement } from '../../infra/postgres/db.ts';
import type { NewClaim } from './claim.store.ts';

const INSERT = `INSERT INTO table_claim (resource_id, source_id, record_id, state, version, message, written_at)
  SELECT r.id, $2, $3, 'wanted', $4, $5, $6 FROM resource r WHERE r.id = $1`;

const statements = {
  /** Keeps the fingerprint of a copied table, so that an unchanged table is not copied again. */
  put: {
    name: 'table_claim_put',
    text: `${INSERT} ON CONFLICT (resource_id) DO UPDATE SET source_id = EXCLUDED.source_id, record_id = EXCLUDED.record_id,
        state = 'wanted', version = EXCLUDED.version, message = EXCLUDED.message, written_at = EXCLUDED.written_at`,
  },
  add: { name: 'table_claim_add', text: `${INSERT} ON CONFLICT DO NOTHING` },
} satisfies Record<string, Statement>;

const write =
  (statement: Statement) =>
  async (sql: Sql, { resourceId, sourceId, recordId, version, message }: NewClaim, at: Date): Promise<void> =>
    void (await sql.rows(statement, [resourceId, sourceId, recordId, version, message, at]));

/** Records that a resource's table is in another catalog and must be copied. */
export const putClaim = write(statements.put);

/** The same, but leaves an existing claim unchanged. */
export const addClaim = write(statements.add);
