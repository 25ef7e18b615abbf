/** Vocabularies in SQL; their tags are the tag store's. Lists are in code point order of the name. */
import type { Sql, Statement } from '../../kernel/db.ts';

export interface VocabularyRecord {
  id: string;
  name: string;
  version: number;
}

const BY_ID_OR_NAME =
  'SELECT id, name, version FROM vocabulary WHERE id = $1 OR name = $1 ORDER BY (id = $1) DESC LIMIT 1';

const statements = {
  list: {
    name: 'vocabularies',
    text: `SELECT id, name, version FROM vocabulary WHERE $1::text IS NULL OR name COLLATE "C" > $1
      ORDER BY name COLLATE "C" LIMIT $2::int`,
  },
  count: { name: 'vocabularies_count', text: 'SELECT count(*)::int AS n FROM vocabulary' },
  byIds: { name: 'vocabularies_by_ids', text: 'SELECT id, name, version FROM vocabulary WHERE id = ANY ($1)' },
  find: { name: 'vocabulary_find', text: BY_ID_OR_NAME },
  lock: { name: 'vocabulary_lock', text: `${BY_ID_OR_NAME} FOR UPDATE` },
  owner: { name: 'vocabulary_name_owner', text: 'SELECT id FROM vocabulary WHERE name = $1' },
  insert: {
    name: 'vocabulary_insert',
    text: 'INSERT INTO vocabulary (id, name) VALUES ($1, $2) RETURNING id, name, version',
  },
  rename: {
    name: 'vocabulary_rename',
    text: 'UPDATE vocabulary SET name = $2, version = $3 + 1 WHERE id = $1 RETURNING id, name, version',
  },
  delete: { name: 'vocabulary_delete', text: 'DELETE FROM vocabulary WHERE id = $1' },
} satisfies Record<string, Statement>;

/** Vocabularies after a name (null: from the beginning), `limit` at most (null: all). */
export const listVocabularies = (sql: Sql, after: string | null, limit: number | null): Promise<VocabularyRecord[]> =>
  sql.rows(statements.list, [after, limit]);

export const countVocabularies = async (sql: Sql): Promise<number> =>
  (await sql.rows<{ n: number }>(statements.count))[0]!.n;

/** In any order. */
export const vocabulariesByIds = (sql: Sql, ids: readonly string[]): Promise<VocabularyRecord[]> =>
  sql.rows(statements.byIds, [ids]);

/** By id or name, an id wins; null when there is none. */
export const findVocabulary = async (sql: Sql, idOrName: string): Promise<VocabularyRecord | null> =>
  (await sql.rows<VocabularyRecord>(statements.find, [idOrName]))[0] ?? null;

/** The same, and nobody else may change it before the transaction ends. */
export const lockVocabulary = async (sql: Sql, idOrName: string): Promise<VocabularyRecord | null> =>
  (await sql.rows<VocabularyRecord>(statements.lock, [idOrName]))[0] ?? null;

/** Id of the vocabulary that has this name; null when the name is free. */
export const ownerOfName = async (sql: Sql, name: string): Promise<string | null> =>
  (await sql.rows<{ id: string }>(statements.owner, [name]))[0]?.id ?? null;

export const insertVocabulary = async (sql: Sql, id: string, name: string): Promise<VocabularyRecord> =>
  (await sql.rows<VocabularyRecord>(statements.insert, [id, name]))[0]!;

/** Gives a locked vocabulary its name and the version after the one it has. */
export const renameVocabulary = async (
  sql: Sql,
  { id, version }: VocabularyRecord,
  name: string,
): Promise<VocabularyRecord> => (await sql.rows<VocabularyRecord>(statements.rename, [id, name, version]))[0]!;

export const deleteVocabulary = async (sql: Sql, id: string): Promise<void> =>
  void (await sql.rows(statements.delete, [id]));
