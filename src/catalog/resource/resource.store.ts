/** Resources by key. */
import type { Resource } from '../../generated/prisma/client.ts';
import type { Db } from '../../infra/postgres/db.ts';

/** The datasets of these resources; unordered. */
export const listResourceOwners = (
  db: Db,
  resourceIds: readonly string[],
): Promise<Pick<Resource, 'id' | 'datasetId'>[]> =>
  db.resource.findMany({ select: { id: true, datasetId: true }, where: { id: { in: [...resourceIds] } } });
