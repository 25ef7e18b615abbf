/** Resources by key. */
import type { Db } from '../../infra/postgres/db.ts';

/** The datasets of these resources; unordered. */
export const listResourceOwners = (
  db: Db,
  resourceIds: readonly string[],
): Promise<{ id: string; datasetId: string }[]> =>
  db.resource.findMany({ select: { id: true, datasetId: true }, where: { id: { in: [...resourceIds] } } });
