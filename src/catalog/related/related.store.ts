/** Related items by key. */
import type { Prisma } from '../../generated/prisma/client.ts';
import { type CountByKeys, counterBy, type ReadByKeys, readerBy } from '../../infra/postgres/by-keys.sql.ts';
import type { Db } from '../../infra/postgres/db.ts';
import { lockRow } from '../../infra/postgres/row-lock.sql.ts';
import type { Call } from '../../kernel/call.ts';

export const RELATED = {
  id: true,
  datasetId: true,
  ownerId: true,
  title: true,
  type: true,
  description: true,
  url: true,
  imageUrl: true,
  featured: true,
  viewCount: true,
  createdAt: true,
  version: true,
} satisfies Prisma.RelatedItemSelect;
export type RelatedRecord = Prisma.RelatedItemGetPayload<{ select: typeof RELATED }>;

/** The fields that callers write. */
export type RelatedFields = Pick<RelatedRecord, 'title' | 'type' | 'description' | 'url' | 'imageUrl' | 'featured'>;

/** Unordered. */
export const relatedByIds: ReadByKeys<RelatedRecord> = readerBy<RelatedRecord>({
  table: 'related_item',
  fields: RELATED,
  by: ['id'],
});

/** One item, locked until the transaction ends; null for an unknown one. */
export const lockRelated = async ({ db, sql }: Pick<Call, 'db' | 'sql'>, id: string): Promise<RelatedRecord | null> =>
  (await lockRow(sql, 'related_item', id)) ? db.relatedItem.findUnique({ select: RELATED, where: { id } }) : null;

export const insertRelated = (
  db: Db,
  item: RelatedFields & Pick<RelatedRecord, 'id' | 'datasetId' | 'ownerId' | 'createdAt'>,
): Promise<RelatedRecord> => db.relatedItem.create({ select: RELATED, data: item });

/** Writes the fields of a locked item and increments its version. */
export const updateRelated = (db: Db, id: string, fields: RelatedFields): Promise<RelatedRecord> =>
  db.relatedItem.update({ select: RELATED, where: { id }, data: { ...fields, version: { increment: 1 } } });

export const deleteRelated = async (db: Db, id: string): Promise<void> =>
  void (await db.relatedItem.delete({ select: { id: true }, where: { id } }));

/** Number of a dataset's items; datasets without items are omitted. */
export const countsOfDatasets: CountByKeys = counterBy({ table: 'related_item', by: 'datasetId' });
