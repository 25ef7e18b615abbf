/** Tags and their use, in SQL. Lists are in code point order of the name. */
import type { Keyset } from '../../kernel/connection.ts';
import type { Sql, Statement } from '../../kernel/db.ts';
import { readable } from '../document/readable.ts';

export interface TagRecord {
  id: string;
  name: string;
  vocabularyId: string | null;
}

/** Which tags: those of a vocabulary, or (null) free tags on some public active dataset; every pattern (ILIKE) fits the name. */
export interface TagChoice {
  readonly vocabularyId: string | null;
  readonly patterns: readonly string[];
}

/** `limit` null is all; `after` is the name of the last tag seen. */
export interface TagSlice {
  readonly after: string | null;
  readonly limit: number | null;
  readonly offset: number;
}

const COLUMNS = 't.id, t.name, t.vocabulary_id AS "vocabularyId"';
// Policy columns of the document: a tag that only private, draft or deleted datasets carry is not to be told.
const FREE = `FROM tag t WHERE t.vocabulary_id IS NULL AND $1::text[] IS NOT NULL AND EXISTS (
  SELECT 1 FROM dataset_tag u JOIN dataset_document d ON d.dataset_id = u.dataset_id AND d.state = 'active' AND NOT d.private
  WHERE u.tag_id = t.id)`;
const CONTROLLED = 'FROM tag t WHERE $1::text[] IS NOT NULL AND t.vocabulary_id = $2';
/** The first pattern by itself: an index finds what fits one, not what fits all of a list. */
const FIT = ' AND t.name ILIKE ($1::text[])[1] AND t.name ILIKE ALL ($1::text[])';
const slice = (first: number): string => `AND ($${first}::text IS NULL OR t.name COLLATE "C" > $${first})
  ORDER BY t.name COLLATE "C" LIMIT $${first + 1}::int OFFSET $${first + 2}::int`;

const statements = {
  listFree: { name: 'tags_free', text: `SELECT ${COLUMNS} ${FREE} ${slice(2)}` },
  listFreeFit: { name: 'tags_free_fit', text: `SELECT ${COLUMNS} ${FREE}${FIT} ${slice(2)}` },
  listControlled: { name: 'tags_controlled', text: `SELECT ${COLUMNS} ${CONTROLLED} ${slice(3)}` },
  listControlledFit: { name: 'tags_controlled_fit', text: `SELECT ${COLUMNS} ${CONTROLLED}${FIT} ${slice(3)}` },
  countFree: { name: 'tags_free_count', text: `SELECT count(*)::int AS n ${FREE}` },
  countFreeFit: { name: 'tags_free_fit_count', text: `SELECT count(*)::int AS n ${FREE}${FIT}` },
  countControlled: { name: 'tags_controlled_count', text: `SELECT count(*)::int AS n ${CONTROLLED}` },
  countControlledFit: { name: 'tags_controlled_fit_count', text: `SELECT count(*)::int AS n ${CONTROLLED}${FIT}` },
  find: {
    name: 'tag_find',
    text: `SELECT id, name, "vocabularyId" FROM (
        SELECT ${COLUMNS}, 1 AS rank FROM tag t WHERE t.id = $1 AND ($2::text IS NULL OR t.vocabulary_id = $2)
        UNION ALL SELECT ${COLUMNS}, 2 FROM tag t WHERE t.name = $1 AND t.vocabulary_id IS NULL AND $2::text IS NULL
        UNION ALL SELECT ${COLUMNS}, 2 FROM tag t WHERE t.name = $1 AND t.vocabulary_id = $2
      ) AS found ORDER BY rank LIMIT 1`,
  },
  carried: {
    name: 'tags_carried',
    text: `SELECT t.id FROM unnest($1::text[]) AS t(id) WHERE EXISTS (SELECT FROM dataset_tag u
      JOIN dataset_document d ON d.dataset_id = u.dataset_id WHERE u.tag_id = t.id AND ${readable('d', 2)})`,
  },
  byIds: { name: 'tags_by_ids', text: `SELECT ${COLUMNS} FROM tag t WHERE t.id = ANY ($1)` },
  ofVocabularies: {
    name: 'tags_of_vocabularies',
    text: `SELECT ${COLUMNS} FROM tag t WHERE t.vocabulary_id = ANY ($1) ORDER BY t.name COLLATE "C"`,
  },
  vocabularyPages: {
    name: 'tag_pages_of_vocabularies',
    text: `SELECT page.* FROM unnest($1::text[]) AS k(id) CROSS JOIN LATERAL (SELECT ${COLUMNS} FROM tag t
        WHERE t.vocabulary_id = k.id AND ($2::text IS NULL OR t.name COLLATE "C" > $2) ORDER BY t.name COLLATE "C" LIMIT $3) AS page
      ORDER BY page."vocabularyId", page.name COLLATE "C"`,
  },
  vocabularyCounts: {
    name: 'tag_counts_of_vocabularies',
    text: 'SELECT vocabulary_id AS id, count(*)::int AS n FROM tag WHERE vocabulary_id = ANY ($1) GROUP BY vocabulary_id',
  },
  vocabularyId: {
    name: 'tag_vocabulary_id',
    text: 'SELECT id FROM vocabulary WHERE id = $1 OR name = $1 ORDER BY (id = $1) DESC LIMIT 1',
  },
  touchVocabulary: {
    name: 'tag_touch_vocabulary',
    text: 'UPDATE vocabulary SET version = version + 1 WHERE id = $1 RETURNING id',
  },
  insert: { name: 'tag_insert', text: 'INSERT INTO tag (id, name, vocabulary_id) VALUES ($1, $2, $3)' },
  // Datasets before tags, as a dataset's own writes lock them: no two transactions wait for each other.
  lockUsers: {
    name: 'tag_lock_users',
    text: `SELECT d.id FROM dataset d WHERE d.id IN (SELECT dataset_id FROM dataset_tag WHERE tag_id = ANY ($1)) ORDER BY d.id FOR UPDATE`,
  },
  lock: { name: 'tag_lock', text: 'SELECT id FROM tag WHERE id = ANY ($1) ORDER BY id FOR UPDATE' },
  delete: { name: 'tag_delete', text: 'DELETE FROM tag WHERE id = ANY ($1)' },
} satisfies Record<string, Statement>;

export function listTags(
  sql: Sql,
  { vocabularyId, patterns }: TagChoice,
  { after, limit, offset }: TagSlice,
): Promise<TagRecord[]> {
  const fit = patterns.length > 0;
  return vocabularyId === null
    ? sql.rows(fit ? statements.listFreeFit : statements.listFree, [patterns, after, limit, offset])
    : sql.rows(fit ? statements.listControlledFit : statements.listControlled, [
        patterns,
        vocabularyId,
        after,
        limit,
        offset,
      ]);
}

export async function countTags(sql: Sql, { vocabularyId, patterns }: TagChoice): Promise<number> {
  const fit = patterns.length > 0;
  const [row] =
    vocabularyId === null
      ? await sql.rows<{ n: number }>(fit ? statements.countFreeFit : statements.countFree, [patterns])
      : await sql.rows<{ n: number }>(fit ? statements.countControlledFit : statements.countControlled, [
          patterns,
          vocabularyId,
        ]);
  return row!.n;
}

/** By id anywhere (within the vocabulary when one is given), else by name among free tags or in the vocabulary. Null when there is none. */
export async function findTag(sql: Sql, idOrName: string, vocabularyId: string | null): Promise<TagRecord | null> {
  const [row] = await sql.rows<TagRecord>(statements.find, [idOrName, vocabularyId]);
  return row ?? null;
}

/** Which of the tags a dataset carries that the reader (values of readerOf, document/readable.ts) may read. */
export const tagsCarried = async (sql: Sql, ids: readonly string[], reader: readonly unknown[]): Promise<Set<string>> =>
  new Set((await sql.rows<{ id: string }>(statements.carried, [ids, ...reader])).map(({ id }) => id));

/** In any order. */
export const tagsByIds = (sql: Sql, ids: readonly string[]): Promise<TagRecord[]> => sql.rows(statements.byIds, [ids]);

/** All tags of these vocabularies, by name. */
export const tagsOfVocabularies = (sql: Sql, ids: readonly string[]): Promise<TagRecord[]> =>
  sql.rows(statements.ofVocabularies, [ids]);

/** One page of each vocabulary's tags, by name, one more than its limit. */
export const tagPagesOfVocabularies = (sql: Sql, ids: readonly string[], page: Keyset): Promise<TagRecord[]> =>
  sql.rows(statements.vocabularyPages, [ids, page.after?.[0] ?? null, page.limit + 1]);

/** How many tags a vocabulary has; those without any are left out. */
export const tagCountsOfVocabularies = (sql: Sql, ids: readonly string[]): Promise<{ id: string; n: number }[]> =>
  sql.rows(statements.vocabularyCounts, [ids]);

/** Id of a vocabulary by id or name (an id wins); null when there is none. */
export async function findVocabularyId(sql: Sql, idOrName: string): Promise<string | null> {
  const [row] = await sql.rows<{ id: string }>(statements.vocabularyId, [idOrName]);
  return row?.id ?? null;
}

/** Locks a vocabulary and counts its version up, because its tags are about to change; false when there is none. */
export const touchVocabulary = async (sql: Sql, id: string): Promise<boolean> =>
  (await sql.rows(statements.touchVocabulary, [id])).length > 0;

export const insertTag = async (sql: Sql, { id, name, vocabularyId }: TagRecord): Promise<void> =>
  void (await sql.rows(statements.insert, [id, name, vocabularyId]));

/** Waits for writes that use these tags, and keeps new ones away until the transaction ends. */
export async function lockTags(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql.rows(statements.lockUsers, [ids]);
  await sql.rows(statements.lock, [ids]);
}

export const deleteTags = async (sql: Sql, ids: readonly string[]): Promise<void> =>
  void (await sql.rows(statements.delete, [ids]));
