/** Keeps what of a source is what here, in SQL. */
import type { Sql, Statement } from '../../kernel/db.ts';

export type RecordKind = 'dataset' | 'organization' | 'group' | 'vocabulary';

export interface KnownRecord {
  readonly sourceId: string;
  readonly kind: RecordKind;
  readonly recordId: string;
  readonly recordName: string;
  readonly objectId: string | null;
  readonly isOurs: boolean;
  readonly state: 'here' | 'gone' | 'failed';
  readonly writtenAt: Date;
}

/** Of `r`. */
const KNOWN_COLUMNS = `r.source_id AS "sourceId", r.kind, r.record_id AS "recordId", r.record_name AS "recordName", r.object_id AS "objectId",
  r.is_ours AS "isOurs", r.state, r.written_at AS "writtenAt"`;

const statements = {
  find: {
    name: 'harvest_record_find',
    text: `SELECT ${KNOWN_COLUMNS} FROM harvest_record r WHERE source_id = $1 AND kind = $2 AND record_id = $3`,
  },
  // By the key, one look-up each: a join with the marks of a run has been planned as a walk over all records for each of them.
  several: {
    name: 'harvest_records_several',
    text: `SELECT ${KNOWN_COLUMNS} FROM harvest_record r WHERE source_id = $1 AND kind = $2 AND record_id = ANY ($3)`,
  },
  origins: {
    name: 'harvest_origins',
    text: `SELECT DISTINCT ON (r.object_id) r.object_id AS "datasetId", r.source_id AS "sourceId", s.title AS "sourceTitle",
        s.organization_id AS "organizationId", r.record_id AS "recordId", r.record_name AS "recordName", r.state <> 'gone' AS "isThere",
        r.written_at AS "writtenAt"
      FROM harvest_record r JOIN harvest_source s ON s.id = r.source_id
      WHERE r.kind = 'dataset' AND r.is_ours AND r.object_id = ANY ($1) ORDER BY r.object_id, r.state = 'gone', r.written_at DESC`,
  },
  put: {
    name: 'harvest_record_put',
    text: `INSERT INTO harvest_record (source_id, kind, record_id, record_name, object_id, is_ours, state, written_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
      ON CONFLICT (source_id, kind, record_id) DO UPDATE SET record_name = EXCLUDED.record_name, object_id = EXCLUDED.object_id,
        is_ours = EXCLUDED.is_ours, state = EXCLUDED.state, written_at = EXCLUDED.written_at`,
  },
  resources: {
    name: 'harvest_resource_owners',
    text: 'SELECT id FROM resource WHERE id = ANY ($1) AND dataset_id IS DISTINCT FROM $2',
  },
  taken: { name: 'harvest_dataset_taken', text: 'SELECT 1 FROM dataset WHERE id = $1' },
} satisfies Record<string, Statement>;

export const findKnown = async (
  sql: Sql,
  sourceId: string,
  kind: RecordKind,
  recordId: string,
): Promise<KnownRecord | null> => (await sql.rows<KnownRecord>(statements.find, [sourceId, kind, recordId]))[0] ?? null;

/** Those of these ids that are known, in no order. */
export const findSeveralKnown = (
  sql: Sql,
  sourceId: string,
  kind: RecordKind,
  recordIds: readonly string[],
): Promise<KnownRecord[]> => sql.rows(statements.several, [sourceId, kind, recordIds]);

export const putKnown = async (sql: Sql, known: KnownRecord): Promise<void> =>
  void (await sql.rows(statements.put, [
    known.sourceId,
    known.kind,
    known.recordId,
    known.recordName,
    known.objectId,
    known.isOurs,
    known.state,
    known.writtenAt,
  ]));

/** Which of these ids are those of other datasets' resources. */
export const resourcesElsewhere = async (
  sql: Sql,
  ids: readonly string[],
  datasetId: string | null,
): Promise<Set<string>> =>
  new Set((await sql.rows<{ id: string }>(statements.resources, [ids, datasetId])).map(({ id }) => id));

export const isDatasetId = async (sql: Sql, id: string): Promise<boolean> =>
  (await sql.rows(statements.taken, [id])).length > 0;

/** Where a dataset came from. */
export interface OriginRecord {
  readonly datasetId: string;
  readonly sourceId: string;
  readonly sourceTitle: string;
  readonly organizationId: string | null;
  readonly recordId: string;
  readonly recordName: string;
  readonly isThere: boolean;
  readonly writtenAt: Date;
}

/** Of datasets that were copied: one each, from where they still are if there are several. */
export const originsOf = (sql: Sql, datasetIds: readonly string[]): Promise<OriginRecord[]> =>
  sql.rows(statements.origins, [datasetIds]);
