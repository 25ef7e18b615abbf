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
export const findTag = async (sql: Sql, idOrName: string, vocabularyId: string | null): Promise<TagRecord | null> =>
  idWins(
    await (vocabularyId === null ? readAnywhere(sql, [idOrName]) : readWithin(sql, [idOrName], vocabularyId)),
    idOrName,
  );

const tags = { table: 'tag', fields: TAG };
const readAnywhere = readerBy<TagRecord>({ ...tags, by: ['id', { field: 'name', without: 'vocabularyId' }] });
const readWithin = readerBy<TagRecord>({ ...tags, by: ['id', 'name'], and: ['vocabularyId'] });

/** Unordered. */
export const tagsByIds: ReadByKeys<TagRecord> = readerBy<TagRecord>({ ...tags, by: ['id'], isShort: true });
const readTagsOf = readerBy<TagRecord>({ ...tags, by: ['vocabularyId'] });

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
