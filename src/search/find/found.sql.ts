/** The documents of what an engine found. In SQL because documents are read by prepared statements, a twentieth of the cost of a Prisma include. */
import { DatasetRecord, type DocumentRow } from '../../catalog/document/record.ts';
import type { Sql, Statement } from '../../infra/postgres/db.ts';

const documents: Statement = {
  name: 'search_found_documents',
  text: `SELECT d.dataset_id, d.name, d.state, d.private, d.owner_organization_id, d.creator_id, d.version, d.linked, d.document
    FROM dataset_document d WHERE d.dataset_id = ANY ($1)`,
};

/** By id; what is not there any more is left out. */
export async function foundDocuments(sql: Sql, ids: readonly string[]): Promise<Map<string, DatasetRecord>> {
  if (ids.length === 0) return new Map();
  const rows = await sql.rows<DocumentRow>(documents, [ids]);
  return new Map(rows.map((row) => [row.dataset_id, new DatasetRecord(row)]));
}
