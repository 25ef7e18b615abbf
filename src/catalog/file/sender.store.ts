/** Datasets that their creator may edit without a capacity. */
import type { Db } from '../../infra/postgres/db.ts';

/** True when a user has created a dataset that no organization owns, in whatever state. */
export const hasUnowned = async (db: Db, userId: string): Promise<boolean> =>
  (await db.dataset.findFirst({ select: { id: true }, where: { creatorId: userId, ownerOrganizationId: null } })) !==
  null;
