/** Datasets that their creator may edit without a capacity. */
import type { Db } from '../../infra/postgres/db.ts';

/** True if a user has created a dataset without an organization, in any state. */
export const hasUnowned = async (db: Db, userId: string): Promise<boolean> =>
  (await db.dataset.findFirst({ select: { id: true }, where: { creatorId: userId, ownerOrganizationId: null } })) !==
  null;
