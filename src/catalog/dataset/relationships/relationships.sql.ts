/** Facts and relationships. In SQL because package_show reads facts of linked datasets, and package_update pipelines the writes. */
import type { Sql, Statement } from '../../../infra/postgres/db.ts';
import type { RelationshipRow } from '../../document/project.ts';
import type { DatasetFacts } from '../../document/record.ts';

// An id wins over another dataset's name.
const facts: Statement = {
  name: 'dataset_facts_by_ref',
  text: `SELECT DISTINCT ON (w.ref) w.ref, d.dataset_id AS id, d.state, d.private, d.owner_organization_id AS "ownerOrganizationId",
      d.creator_id AS "creatorId"
    FROM unnest($1::text[]) AS w(ref) JOIN dataset_document d ON d.dataset_id = w.ref OR d.name = w.ref
    ORDER BY w.ref, (d.dataset_id = w.ref) DESC`,
};

/** What policies look at, of the datasets with these ids or names; those that do not exist are left out. */
export async function listDatasetFacts(
  sql: Sql,
  refs: readonly string[],
): Promise<{ ref: string; facts: DatasetFacts }[]> {
  const rows = await sql.rows<DatasetFacts & { ref: string }>(facts, [refs]);
  return rows.map(({ ref, ...found }) => ({ ref, facts: found }));
}

const drop: Statement = {
  name: 'relationships_drop',
  text: 'DELETE FROM dataset_relationship WHERE (subject_id = $1 OR object_id = $1) AND id <> ALL ($2)',
};
const put: Statement = {
  name: 'relationships_put',
  text: `INSERT INTO dataset_relationship (id, subject_id, object_id, type, comment, revision_id)
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
    ON CONFLICT (id) DO UPDATE SET comment = EXCLUDED.comment, revision_id = EXCLUDED.revision_id`,
};

/** Makes the relationships of a dataset, in either place, exactly these; those that stay keep their place in the order. */
export async function writeRelationships(sql: Sql, datasetId: string, rows: readonly RelationshipRow[]): Promise<void> {
  const keys = ['id', 'subjectId', 'objectId', 'type', 'comment', 'revisionId'] as const;
  await Promise.all([
    sql.rows(drop, [datasetId, rows.map(({ id }) => id)]),
    rows.length > 0 &&
      sql.rows(
        put,
        keys.map((key) => rows.map((row) => row[key])),
      ),
  ]);
}
