/** Keeps which resources have their table at the catalog that they came from. In SQL because claims are written ON CONFLICT … WHERE. */
import type { Sql, Statement } from '../kernel/db.ts';

export interface ClaimRecord {
  readonly resourceId: string;
  /** The harvest source; null where the resource came by an import. */
  readonly sourceId: string | null;
  /** The resource's id at the source. */
  readonly recordId: string;
  readonly state: 'wanted' | 'failed' | 'here';
  /** When the source changed the resource, as far as it says. */
  readonly version: string | null;
  /** What the copy was made from. */
  readonly fingerprint: string | null;
  /** Why the table is not here. */
  readonly message: string | null;
  /** Whether the resource has a table here. */
  readonly isHere: boolean;
}

/** A claim to be noted. */
export type NewClaim = Pick<ClaimRecord, 'resourceId' | 'sourceId' | 'recordId' | 'version' | 'message'>;

const COLUMNS = `c.resource_id AS "resourceId", c.source_id AS "sourceId", c.record_id AS "recordId", c.state, c.version, c.fingerprint, c.message,
  r.datastore_active AS "isHere"`;
const CLAIMS = `SELECT ${COLUMNS} FROM table_claim c JOIN resource r ON r.id = c.resource_id JOIN dataset d ON d.id = r.dataset_id AND d.state = 'active'`;

const statements = {
  // What was copied stays known by its fingerprint, so that an unchanged table is not copied again.
  put: {
    name: 'table_claim_put',
    text: `INSERT INTO table_claim (resource_id, source_id, record_id, state, version, message, written_at)
      SELECT r.id, $2, $3, 'wanted', $4, $5, $6 FROM resource r WHERE r.id = $1
      ON CONFLICT (resource_id) DO UPDATE SET source_id = EXCLUDED.source_id, record_id = EXCLUDED.record_id,
        state = 'wanted', version = EXCLUDED.version, message = EXCLUDED.message, written_at = EXCLUDED.written_at`,
  },
  add: {
    name: 'table_claim_add',
    text: `INSERT INTO table_claim (resource_id, source_id, record_id, state, version, message, written_at)
      SELECT r.id, $2, $3, 'wanted', $4, $5, $6 FROM resource r WHERE r.id = $1 ON CONFLICT DO NOTHING`,
  },
  end: {
    name: 'table_claim_end',
    text: `UPDATE table_claim SET state = $2, fingerprint = coalesce($3, fingerprint), message = $4, written_at = $5 WHERE resource_id = $1`,
  },
  drop: { name: 'table_claim_drop', text: 'DELETE FROM table_claim WHERE resource_id = $1' },
  dropImported: {
    name: 'table_claims_drop_imported',
    text: 'DELETE FROM table_claim WHERE resource_id = ANY ($1) AND source_id IS NULL',
  },
  after: {
    name: 'table_claims_after',
    text: `${CLAIMS} WHERE c.source_id = $1 AND c.resource_id COLLATE "C" > $2
      ORDER BY c.resource_id COLLATE "C" LIMIT $3`,
  },
  several: {
    name: 'table_claims_several',
    text: `${CLAIMS} WHERE c.resource_id = ANY ($1)`,
  },
  unmet: {
    name: 'table_claims_unmet',
    text: `${CLAIMS} WHERE NOT r.datastore_active ORDER BY c.resource_id COLLATE "C"`,
  },
} satisfies Record<string, Statement>;

const valuesOf = ({ resourceId, sourceId, recordId, version, message }: NewClaim, at: Date): unknown[] => [
  resourceId,
  sourceId,
  recordId,
  version,
  message,
  at,
];

/** Notes that a resource has its table elsewhere, and that it is to be copied. Nothing happens where the resource is gone. */
export const putClaim = async (sql: Sql, claim: NewClaim, at: Date): Promise<void> =>
  void (await sql.rows(statements.put, valuesOf(claim, at)));

/** The same; a claim that is there already stays as it is. */
export const addClaim = async (sql: Sql, claim: NewClaim, at: Date): Promise<void> =>
  void (await sql.rows(statements.add, valuesOf(claim, at)));

/** Notes what became of a claim. A fingerprint that is null stays. */
export const endClaim = async (
  sql: Sql,
  { resourceId, state, fingerprint, message }: Pick<ClaimRecord, 'resourceId' | 'state' | 'fingerprint' | 'message'>,
  at: Date,
): Promise<void> => void (await sql.rows(statements.end, [resourceId, state, fingerprint, message, at]));

/** The resource has no table elsewhere any more. */
export const dropClaim = async (sql: Sql, resourceId: string): Promise<void> =>
  void (await sql.rows(statements.drop, [resourceId]));

/** The same of resources that came by an import. */
export const dropImportedClaims = async (sql: Sql, resourceIds: readonly string[]): Promise<void> =>
  void (await sql.rows(statements.dropImported, [resourceIds]));

/** A page of claims of a source by resource id; `after` is empty at first. */
export const claimsAfter = (sql: Sql, sourceId: string, after: string, limit: number): Promise<ClaimRecord[]> =>
  sql.rows(statements.after, [sourceId, after, limit]);

/** Claims of these resources, in no order. */
export const claimsOf = (sql: Sql, resourceIds: readonly string[]): Promise<ClaimRecord[]> =>
  sql.rows(statements.several, [resourceIds]);

/** Claims of resources that have no table here. */
export const unmetClaims = (sql: Sql): Promise<ClaimRecord[]> => sql.rows(statements.unmet, []);
