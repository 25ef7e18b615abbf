/** Reads datasets' facts for policies, without the documents. */
import type { Prisma } from '../../../generated/prisma/client.ts';
import type { Db } from '../../../infra/postgres/db.ts';
import { inBatches } from '../../../infra/postgres/in-lists.ts';
import type { DatasetFacts } from '../../document/record.ts';

const FACTS = {
  datasetId: true,
  name: true,
  state: true,
  private: true,
  ownerOrganizationId: true,
  creatorId: true,
} satisfies Prisma.DatasetDocumentSelect;

/** Facts of the datasets with these ids or names; an id wins. Unknown ones are omitted. */
export async function listDatasetFacts(
  db: Db,
  refs: readonly string[],
): Promise<{ ref: string; facts: DatasetFacts }[]> {
  const rows = await inBatches(refs, (batch) => {
    const where = { OR: [{ datasetId: { in: batch } }, { name: { in: batch } }] };
    return db.datasetDocument.findMany({ where, select: FACTS });
  });
  const found = rows.map(({ datasetId, name, ...row }) => ({ name, facts: { id: datasetId, ...row } }));
  const byRef = new Map([
    ...found.map(({ name, facts }) => [name, facts] as const),
    ...found.map(({ facts }) => [facts.id, facts] as const),
  ]);
  return [...new Set(refs)].flatMap((ref) => (byRef.has(ref) ? [{ ref, facts: byRef.get(ref)! }] : []));
}
