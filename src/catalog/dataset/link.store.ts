/** Relationships one by one, in the order in which they were last said: whoever says one again puts it last, as recorded. */
import type { Sql, Statement } from '../../kernel/db.ts';
import type { RelationshipRow } from '../document/project.ts';

const COLUMNS =
  'r.id, r.subject_id AS "subjectId", r.object_id AS "objectId", r.type, r.comment, r.revision_id AS "revisionId"';

const statements = {
  list: {
    name: 'links_of_dataset',
    text: `SELECT ${COLUMNS} FROM dataset_relationship r WHERE (r.subject_id = $1 AND ($2::text IS NULL OR r.object_id = $2))
      OR (r.object_id = $1 AND ($2 IS NULL OR r.subject_id = $2)) ORDER BY r.sequence`,
  },
  put: {
    name: 'link_put',
    text: `INSERT INTO dataset_relationship (id, subject_id, object_id, type, comment, revision_id) VALUES ($1, $2, $3, $4, $5, $6)
      ON CONFLICT (id) DO UPDATE SET comment = EXCLUDED.comment, revision_id = EXCLUDED.revision_id, sequence = EXCLUDED.sequence`,
  },
  delete: { name: 'link_delete', text: 'DELETE FROM dataset_relationship WHERE id = $1' },
} satisfies Record<string, Statement>;

/** Relationships of a dataset, in either place, with one other or (null) with all, as they are stored. */
export const listLinks = (sql: Sql, datasetId: string, otherId: string | null): Promise<RelationshipRow[]> =>
  sql.rows(statements.list, [datasetId, otherId]);

/** Makes a relationship, or changes the comment of the one with its id. */
export const putLink = async (sql: Sql, link: RelationshipRow): Promise<void> =>
  void (await sql.rows(statements.put, [
    link.id,
    link.subjectId,
    link.objectId,
    link.type,
    link.comment,
    link.revisionId,
  ]));

export const deleteLink = async (sql: Sql, id: string): Promise<void> => void (await sql.rows(statements.delete, [id]));
