/** Walks and rewrites documents. In SQL because Prisma cannot compare columns of two tables, and has no upsert of several rows. */
import type { RowOf, Sql, Statement } from '../../../infra/postgres/db.ts';
import { DatasetRecord, type DocumentRow } from '../../document/record.ts';
import { documentsWhere } from '../dataset.sql.ts';

/** Columns of dataset_document that repeat the dataset's own, for lists and policies. */
const REPEATED = [
  'name',
  'title',
  'type',
  'state',
  'private',
  'owner_organization_id',
  'creator_id',
  'created_at',
  'modified_at',
  'version',
];
const own = REPEATED.map((column) => `s.${column}`).join(', ');

const LINKED = 'EXISTS (SELECT 1 FROM dataset_relationship r WHERE s.id IN (r.subject_id, r.object_id))';

const statements = {
  page: documentsWhere(
    'after',
    `($1::text IS NULL OR d.dataset_id > $1) AND d.state <> 'deleted' AND ($3 OR (d.state = 'active' AND NOT d.private))
      ORDER BY d.dataset_id LIMIT $2`,
  ),
  // Includes datasets without a document: the check must find them.
  stored: {
    name: 'documents_stored',
    text: `SELECT s.id, s.name, d.document, ${REPEATED.map((column) => `d.${column} IS DISTINCT FROM s.${column}`).join(' OR ')}
      OR d.linked IS DISTINCT FROM ${LINKED} AS stale
      FROM dataset s LEFT JOIN dataset_document d ON d.dataset_id = s.id WHERE s.id = ANY ($1) ORDER BY s.id`,
  },
  rebuild: {
    name: 'documents_rebuild',
    text: `INSERT INTO dataset_document (dataset_id, document, linked, ${REPEATED.join(', ')})
      SELECT s.id, given.document, ${LINKED}, ${own} FROM unnest($1::text[], $2::text[]) AS given(id, document) JOIN dataset s ON s.id = given.id
      ON CONFLICT (dataset_id) DO UPDATE SET document = EXCLUDED.document, linked = EXCLUDED.linked, ${REPEATED.map((column) => `${column} = EXCLUDED.${column}`).join(', ')}`,
  },
} satisfies Record<string, Statement>;

/** Datasets after an id (null: from the first), by id, except deleted ones; `everything` adds private and draft ones. */
export const listDocumentsAfter = async (
  sql: Sql,
  after: string | null,
  limit: number,
  everything: boolean,
): Promise<DatasetRecord[]> =>
  (await sql.rows<DocumentRow>(statements.page, [after, limit, everything])).map((row) => new DatasetRecord(row));

/** The stored document of a dataset: null if missing; `stale` if a repeated column differs. */
export type StoredDocument = RowOf<'Dataset', 'id' | 'name'> & {
  readonly document: string | null;
  readonly stale: boolean;
};

/** Stored documents of these datasets, by id. */
export const listStored = (sql: Sql, ids: readonly string[]): Promise<StoredDocument[]> =>
  sql.rows(statements.stored, [ids]);

/** Replaces documents and the columns beside them; versions and history stay. */
export const rewriteDocuments = async (sql: Sql, documents: ReadonlyMap<string, string>): Promise<void> =>
  void (await sql.rows(statements.rebuild, [[...documents.keys()], [...documents.values()]]));
