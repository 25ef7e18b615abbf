/**
 * Lists of tags in code point order of the name. In SQL because Prisma knows neither COLLATE nor the set-based read policy
 * of free tags, and would read the pages of many vocabularies by a statement each.
 */

import type { Sql, Statement } from '../../infra/postgres/db.ts';
import { lockRows } from '../../infra/postgres/row-lock.sql.ts';
import type { Keyset } from '../../kernel/connection.ts';
import { readable } from '../document/readable.ts';
import type { TagRecord } from './tag.store.ts';

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
// Policy columns of the document: only private, draft or deleted datasets carry a hidden tag.
const FREE = `t.vocabulary_id IS NULL AND $2::text IS NULL AND EXISTS (
  SELECT 1 FROM dataset_tag u JOIN dataset_document d ON d.dataset_id = u.dataset_id AND d.state = 'active' AND NOT d.private
  WHERE u.tag_id = t.id)`;
/** The first pattern by itself: an index finds names that fit one pattern, not all of a list. */
const FIT = ' AND t.name ILIKE ($1::text[])[1] AND t.name ILIKE ALL ($1::text[])';

const statements = {
  carried: {
    name: 'tags_carried',
    text: `SELECT t.id FROM unnest($1::text[]) AS t(id) WHERE EXISTS (SELECT FROM dataset_tag u
      JOIN dataset_document d ON d.dataset_id = u.dataset_id WHERE u.tag_id = t.id AND ${readable('d', 2)})`,
  },
  vocabularyPages: {
    name: 'tag_pages_of_vocabularies',
    text: `SELECT page.* FROM unnest($1::text[]) AS k(id) CROSS JOIN LATERAL (SELECT ${COLUMNS} FROM tag t
        WHERE t.vocabulary_id = k.id AND ($2::text IS NULL OR t.name COLLATE "C" > $2) ORDER BY t.name COLLATE "C" LIMIT $3) AS page
      ORDER BY page."vocabularyId", page.name COLLATE "C"`,
  },
  // Datasets before tags, as a dataset's own writes lock them: no two transactions wait for each other.
  lockUsers: {
    name: 'tag_lock_users',
    text: `SELECT d.id FROM dataset d WHERE d.id IN (SELECT dataset_id FROM dataset_tag WHERE tag_id = ANY ($1)) ORDER BY d.id FOR UPDATE`,
  },
} satisfies Record<string, Statement>;

/** A choice as statements have it: a word for their names, their conditions and first two values. */
const chosen = ({ vocabularyId, patterns }: TagChoice) => {
  const fits = patterns.length > 0;
  return {
    word: `${vocabularyId === null ? 'free' : 'controlled'}${fits ? '_fit' : ''}`,
    from: `FROM tag t WHERE $1::text[] IS NOT NULL AND ${vocabularyId === null ? FREE : 't.vocabulary_id = $2'}${fits ? FIT : ''}`,
    values: [patterns, vocabularyId],
  };
};

export function listTags(sql: Sql, choice: TagChoice, { after, limit, offset }: TagSlice): Promise<TagRecord[]> {
  const { word, from, values } = chosen(choice);
  const text = `SELECT ${COLUMNS} ${from} AND ($3::text IS NULL OR t.name COLLATE "C" > $3)
    ORDER BY t.name COLLATE "C" LIMIT $4::int OFFSET $5::int`;
  return sql.rows({ name: `tags_${word}`, text }, [...values, after, limit, offset]);
}

export async function countTags(sql: Sql, choice: TagChoice): Promise<number> {
  const { word, from, values } = chosen(choice);
  const statement = { name: `tags_${word}_count`, text: `SELECT count(*)::int AS n ${from}` };
  return (await sql.rows<{ n: number }>(statement, values))[0]!.n;
}

/** Ids of the tags on a dataset that the reader (values of readerOf, document/readable.ts) may read. */
export const tagsCarried = async (sql: Sql, ids: readonly string[], reader: readonly unknown[]): Promise<Set<string>> =>
  new Set((await sql.rows<{ id: string }>(statements.carried, [ids, ...reader])).map(({ id }) => id));

/** One page of each vocabulary's tags, by name, one more than its limit. */
export const tagPagesOfVocabularies = (sql: Sql, ids: readonly string[], page: Keyset): Promise<TagRecord[]> =>
  sql.rows(statements.vocabularyPages, [ids, page.after?.[0] ?? null, page.limit + 1]);

/** Waits for writes that use these tags, and keeps new ones away until the transaction ends. */
export async function lockTags(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql.rows(statements.lockUsers, [ids]);
  await lockRows(sql, 'tag', ids);
}
