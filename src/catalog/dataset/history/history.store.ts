/** Reads one copy of a dataset. Pages and many copies: history.sql.ts. */
import type { Db } from '../../../infra/postgres/db.ts';
import { DatasetRecord } from '../../document/record.ts';

const select = {
  datasetId: true,
  name: true,
  state: true,
  private: true,
  ownerOrganizationId: true,
  creatorId: true,
  version: true,
  document: true,
};

/** A dataset after a revision, or at a moment; null if it did not exist. The caller checks the policy. */
export async function findCopy(
  db: Db,
  datasetId: string,
  at: { revisionId: string } | { time: Date },
): Promise<DatasetRecord | null> {
  if ('time' in at && at.time.getUTCFullYear() < 1) return null; // PostgreSQL has no year 0
  const where = { datasetId, ...('time' in at ? { createdAt: { lte: at.time } } : at) };
  const copy = await db.datasetHistory.findFirst({ where, select, orderBy: { version: 'desc' } });
  if (!copy) return null;
  const { ownerOrganizationId, creatorId, datasetId: id, ...rest } = copy;
  return new DatasetRecord({
    ...rest,
    dataset_id: id,
    owner_organization_id: ownerOrganizationId,
    creator_id: creatorId,
  });
}
