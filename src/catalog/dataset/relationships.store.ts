import type { Db, Sql, Statement } from '../../kernel/db.ts';
import type { RelationshipRow } from '../document/project.ts';
import type { DatasetFacts } from '../document/record.ts';

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

/** Makes the relationships of a dataset, in either place, exactly these. */
export async function writeRelationships(db: Db, datasetId: string, rows: readonly RelationshipRow[]): Promise<void> {
  await db.datasetRelationship.deleteMany({ where: { OR: [{ subjectId: datasetId }, { objectId: datasetId }] } });
  if (rows.length > 0) await db.datasetRelationship.createMany({ data: [...rows] });
}
