/** Tags by key, and those of vocabularies. */
import type { Prisma } from '../../generated/prisma/client.ts';
import { type CountByKeys, counterBy, type ReadByKeys, readerBy } from '../../infra/postgres/by-keys.sql.ts';
import type { Db, Sql } from '../../infra/postgres/db.ts';
import { lockRows } from '../../infra/postgres/row-lock.sql.ts';
import type { Call } from '../../kernel/call.ts';
import { idWins } from '../../kernel/node.ts';
import { compareText } from '../../kernel/text.ts';

export const TAG = { id: true, name: true, vocabularyId: true } satisfies Prisma.TagSelect;
export type TagRecord = Prisma.TagGetPayload<{ select: typeof TAG }>;

/** By id anywhere (within the vocabulary if one is named), else by name among free tags or in the vocabulary. Null for an unknown tag. */
export async function findTag(db: Db, idOrName: string, vocabularyId: string | null): Promise<TagRecord | null> {
  const byId = { id: idOrName, ...(vocabularyId !== null && { vocabularyId }) };
  const found = await db.tag.findMany({ select: TAG, where: { OR: [byId, { name: idOrName, vocabularyId }] } });
  return idWins(found, idOrName);
}

/** Unordered. */
export const tagsByIds: ReadByKeys<TagRecord> = readerBy<TagRecord>({ table: 'tag', fields: TAG, by: ['id'] });
const readTagsOf = readerBy<TagRecord>({ table: 'tag', fields: TAG, by: ['vocabularyId'] });

/** All tags of these vocabularies, in code point order of the name. */
export const tagsOfVocabularies = async (sql: Sql, ids: readonly string[]): Promise<TagRecord[]> =>
  (await readTagsOf(sql, ids)).sort((a, b) => compareText(a.name, b.name));

/** Number of a vocabulary's tags; vocabularies without tags are omitted. */
export const tagCountsOfVocabularies: CountByKeys = counterBy({ table: 'tag', by: 'vocabularyId' });

export const insertTag = async (db: Db, tag: TagRecord): Promise<void> =>
  void (await db.tag.create({ select: { id: true }, data: tag }));

export const deleteTags = async (db: Db, ids: readonly string[]): Promise<void> =>
  void (await db.tag.deleteMany({ where: { id: { in: [...ids] } } }));

/**
 * Waits for writes that use these tags, and blocks new ones until the transaction ends. Locks datasets before tags, as
 * a dataset's own writes do, which prevents deadlocks.
 */
export async function lockTags({ db, sql }: Pick<Call, 'db' | 'sql'>, ids: readonly string[]): Promise<void> {
  const users = await db.datasetTag.groupBy({ by: 'datasetId', where: { tagId: { in: [...ids] } } });
  await lockRows(
    sql,
    'dataset',
    users.map(({ datasetId }) => datasetId),
  );
  await lockRows(sql, 'tag', ids);
}
