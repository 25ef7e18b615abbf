/** Reads datasets' facts for policies, without the documents. */
import type { Prisma } from '../../../generated/prisma/client.ts';
import { readerBy } from '../../../infra/postgres/by-keys.sql.ts';
import type { Sql } from '../../../infra/postgres/db.ts';
import type { DatasetFacts } from '../../document/record.ts';

const FACTS = {
  datasetId: true,
  name: true,
  state: true,
  private: true,
  ownerOrganizationId: true,
  creatorId: true,
} satisfies Prisma.DatasetDocumentSelect;
type FactsRow = Prisma.DatasetDocumentGetPayload<{ select: typeof FACTS }>;

const readFacts = readerBy<FactsRow>({ table: 'dataset_document', fields: FACTS, by: ['datasetId', 'name'] });

/** Facts of the datasets with these ids or names; an id wins. Unknown ones are omitted. */
export async function listDatasetFacts(
  sql: Sql,
  refs: readonly string[],
): Promise<{ ref: string; facts: DatasetFacts }[]> {
  const rows = await readFacts(sql, refs);
  const found = rows.map(({ datasetId, name, ...row }) => ({ name, facts: { id: datasetId, ...row } }));
  const byRef = new Map([
    ...found.map(({ name, facts }) => [name, facts] as const),
    ...found.map(({ facts }) => [facts.id, facts] as const),
  ]);
  return [...new Set(refs)].flatMap((ref) => (byRef.has(ref) ? [{ ref, facts: byRef.get(ref)! }] : []));
}
