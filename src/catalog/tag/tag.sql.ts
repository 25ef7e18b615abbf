/**
 * Lists of tags in code point order of the name. In SQL because Prisma knows neither COLLATE nor the set-based read
 * policy of free tags, and would read the pages of many vocabularies by a statement each.
 */

import type { Sql, Statement } from '../../infra/postgres/db.ts';
import type { Keyset } from '../../kernel/connection.ts';
import { readable } from '../document/readable.ts';
import type { TagRecord } from './tag.store.ts';

/** Filter of tags: those of a vocabulary, or (null) free tags of public active datasets; the name matches every pattern (ILIKE). */
export interface TagChoice {
  readonly vocabularyId: string | null;
  readonly patterns: readonly string[];
}

/** A null `limit` returns all; `after` is the name of the previous page's last tag. */
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
/** The first pattern separately: an index supports one pattern, not a list. */
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
} satisfies Record<string, Statement>;

/** Columns of the tags that match a filter; the parameters $1 and $2 are the filter's. */
const chosen = ({ vocabularyId, patterns }: TagChoice, name: string, columns: string, end = ''): Statement => {
  const fits = patterns.length > 0;
  return {
    name: `tags_${[vocabularyId === null ? 'free' : 'controlled', ...(fits ? ['fit'] : []), name].join('_')}`,
    text: `SELECT ${columns} FROM tag t WHERE $1::text[] IS NOT NULL
      AND ${vocabularyId === null ? FREE : 't.vocabulary_id = $2'}${fits ? FIT : ''} ${end}`,
  };
};

const PAGE = `AND ($3::text IS NULL OR t.name COLLATE "C" > $3) ORDER BY t.name COLLATE "C" LIMIT $4::int OFFSET $5::int`;

export const listTags = (sql: Sql, choice: TagChoice, { after, limit, offset }: TagSlice): Promise<TagRecord[]> =>
  sql.rows(chosen(choice, 'list', COLUMNS, PAGE), [choice.patterns, choice.vocabularyId, after, limit, offset]);

export const countTags = async (sql: Sql, choice: TagChoice): Promise<number> =>
  (
    await sql.rows<{ n: number }>(chosen(choice, 'count', 'count(*)::int AS n'), [choice.patterns, choice.vocabularyId])
  )[0]!.n;

/** Ids of the tags on any dataset that the reader (values of readerOf, document/readable.ts) may read. */
export const tagsCarried = async (sql: Sql, ids: readonly string[], reader: readonly unknown[]): Promise<Set<string>> =>
  new Set((await sql.rows<{ id: string }>(statements.carried, [ids, ...reader])).map(({ id }) => id));

/** One page of each vocabulary's tags, by name, one more than its limit. */
export const tagPagesOfVocabularies = (sql: Sql, ids: readonly string[], page: Keyset): Promise<TagRecord[]> =>
  sql.rows(statements.vocabularyPages, [ids, page.after?.[0] ?? null, page.limit + 1]);
