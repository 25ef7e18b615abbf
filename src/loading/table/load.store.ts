/** Reads resources to load, and stores what their tables were loaded from. */
import type { Prisma } from '../../generated/prisma/client.ts';
import type { Db } from '../../infra/postgres/db.ts';

const LOADING_SELECT = {
  id: true,
  datasetId: true,
  state: true,
  url: true,
  urlType: true,
  format: true,
  lastModified: true,
  hash: true,
  datastoreActive: true,
  file: { select: { key: true, size: true } },
  tableLoad: { select: { source: true, hash: true, size: true, etag: true, modified: true } },
} satisfies Prisma.ResourceSelect;

/** A resource with its file and what its table was last loaded from. */
export type LoadingRecord = Prisma.ResourceGetPayload<{ select: typeof LOADING_SELECT }>;

/** Null when there is no such resource. */
export const findLoading = (db: Db, id: string): Promise<LoadingRecord | null> =>
  db.resource.findUnique({ where: { id }, select: LOADING_SELECT, relationLoadStrategy: 'join' });

export async function putLoad(db: Db, load: Prisma.TableLoadUncheckedCreateInput): Promise<void> {
  const { resourceId, ...update } = load;
  await db.tableLoad.upsert({ where: { resourceId }, create: load, update, select: { resourceId: true } });
}
