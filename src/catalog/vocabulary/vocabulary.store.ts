/** Vocabularies; tag.store.ts stores their tags. Lists are in code point order of the name. */
import type { Prisma } from '../../generated/prisma/client.ts';
import { listOf, type ReadByKeys, type ReadList, readerBy } from '../../infra/postgres/by-keys.sql.ts';
import type { Db, Sql } from '../../infra/postgres/db.ts';
import { lockRow } from '../../infra/postgres/row-lock.sql.ts';
import type { Call } from '../../kernel/call.ts';
import type { Keyset } from '../../kernel/connection.ts';
import { idWins } from '../../kernel/node.ts';
import { pageBy } from '../../kernel/pages.ts';

const VOCABULARY = { id: true, name: true, version: true } satisfies Prisma.VocabularySelect;
export type VocabularyRecord = Prisma.VocabularyGetPayload<{ select: typeof VOCABULARY }>;

const vocabularies = { table: 'vocabulary', fields: VOCABULARY };

/** The first (null: all) vocabularies, by name. */
export const listVocabularies: ReadList<VocabularyRecord> = listOf<VocabularyRecord>({
  ...vocabularies,
  order: ['name'],
});

/** One page of them, one more than its limit, in reading order. */
export const pageOfVocabularies = (db: Db, page: Keyset): Promise<VocabularyRecord[]> =>
  db.vocabulary.findMany({ select: VOCABULARY, ...pageBy([{ column: 'name' }], page) });

export const countVocabularies = (db: Db): Promise<number> => db.vocabulary.count();

const readVocabularies = readerBy<VocabularyRecord>({ ...vocabularies, by: ['id', 'name'] });

/** Unordered. */
export const vocabulariesByIds: ReadByKeys<VocabularyRecord> = readerBy<VocabularyRecord>({
  ...vocabularies,
  by: ['id'],
});

/** By id or name, an id wins; null for an unknown one. */
export const findVocabulary = async (sql: Sql, idOrName: string): Promise<VocabularyRecord | null> =>
  idWins(await readVocabularies(sql, [idOrName]), idOrName);

/** The same, locked until the transaction ends. */
export async function lockVocabulary({ db, sql }: Pick<Call, 'db' | 'sql'>, idOrName: string) {
  const found = await findVocabulary(sql, idOrName);
  if (!found || !(await lockRow(sql, 'vocabulary', found.id))) return null;
  return db.vocabulary.findUnique({ select: VOCABULARY, where: { id: found.id } });
}

/** Id of the vocabulary with this name; null if the name is free. */
export const ownerOfName = async (db: Db, name: string): Promise<string | null> =>
  (await db.vocabulary.findUnique({ select: { id: true }, where: { name } }))?.id ?? null;

export const insertVocabulary = (db: Db, id: string, name: string): Promise<VocabularyRecord> =>
  db.vocabulary.create({ select: VOCABULARY, data: { id, name } });

/** Writes the name of a locked vocabulary and increments its version. */
export const renameVocabulary = (db: Db, id: string, name: string): Promise<VocabularyRecord> =>
  db.vocabulary.update({ select: VOCABULARY, where: { id }, data: { name, version: { increment: 1 } } });

/** Locks vocabularies and increments their version, because their tags change. Returns their number. */
export const touchVocabularies = async (db: Db, ids: readonly string[]): Promise<number> =>
  (await db.vocabulary.updateMany({ where: { id: { in: [...ids] } }, data: { version: { increment: 1 } } })).count;

export const deleteVocabulary = async (db: Db, id: string): Promise<void> =>
  void (await db.vocabulary.delete({ select: { id: true }, where: { id } }));
