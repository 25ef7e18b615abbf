/**
 * Lists tags in code point order of the name. In SQL because Prisma has no COLLATE in an order, and no OFFSET 0 in a sub-query: a list of
 * 226 free tags takes 2 ms instead of 21 ms.
 */

import { columnsOf } from '../../infra/postgres/columns.ts';
import { firstValue, type Sql, type Statement } from '../../infra/postgres/db.ts';
import type { Keyset } from '../../kernel/connection.ts';
import { beyond, formOf, orderOf, type SortKey } from '../../kernel/keyset.sql.ts';
import { readable } from '../document/readable.ts';
import { TAG, type TagRecord } from './tag.store.ts';

/** Filter of tags: those of a vocabulary, or (null) free tags of public active datasets; the name matches every pattern (ILIKE). */
export interface TagChoice {
  readonly vocabularyId: string | null;
  readonly patterns: readonly string[];
}

/** A null `limit` returns all. */
export interface TagSlice {
  readonly limit: number | null;
  readonly offset: number;
}

const KEYS: readonly SortKey[] = [{ sql: 't.name COLLATE "C"', type: 'text' }];

const COLUMNS = columnsOf(TAG, 't');
// Policy columns of the document: only private, draft or deleted datasets carry a hidden tag. OFFSET 0: looks for one dataset of each tag,
// 2 ms for 226 tags. The planner would rather join all tags of all datasets: 21 ms for 30,000 of them. With few datasets for each tag,
// the join would be faster: half of the time for 3 (computed).
const FREE = `t.vocabulary_id IS NULL AND $2::text IS NULL AND EXISTS (
  SELECT 1 FROM dataset_tag u JOIN dataset_document d ON d.dataset_id = u.dataset_id AND d.state = 'active' AND NOT d.private
  WHERE u.tag_id = t.id OFFSET 0)`;
/** The first pattern separately: an index supports one pattern, not a list. */
const FIT = ' AND t.name ILIKE ($1::text[])[1] AND t.name ILIKE ALL ($1::text[])';

const statements = {
  carried: {
    name: 'tags_carried',
    text: `SELECT t.id FROM unnest($1::text[]) AS t(id) WHERE EXISTS (SELECT FROM dataset_tag u
      JOIN dataset_document d ON d.dataset_id = u.dataset_id WHERE u.tag_id = t.id AND ${readable('d', 2)})`,
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

const SLICE = 'ORDER BY t.name COLLATE "C" LIMIT $3::int OFFSET $4::int';

export const listTags = (sql: Sql, choice: TagChoice, { limit, offset }: TagSlice): Promise<TagRecord[]> =>
  sql.rows(chosen(choice, 'list', COLUMNS, SLICE), [choice.patterns, choice.vocabularyId, limit, offset]);

/** A page of them, one more than its limit, in reading order. */
export function pageOfTags(sql: Sql, choice: TagChoice, page: Keyset): Promise<TagRecord[]> {
  const end = `AND ${beyond(KEYS, page, 4)} ORDER BY ${orderOf(KEYS, page)} LIMIT $3::int`;
  const statement = chosen(choice, `page_${formOf(page)}`, COLUMNS, end);
  return sql.rows(statement, [choice.patterns, choice.vocabularyId, page.limit + 1, ...(page.from ?? [])]);
}

export const countTags = (sql: Sql, choice: TagChoice): Promise<number> =>
  firstValue(sql, chosen(choice, 'count', 'count(*)::int'), [choice.patterns, choice.vocabularyId]);

/** Ids of the tags on any dataset that the reader (values of readerOf, document/readable.ts) may read. */
export const tagsCarried = async (sql: Sql, ids: readonly string[], reader: readonly unknown[]): Promise<Set<string>> =>
  new Set((await sql.rows<Pick<TagRecord, 'id'>>(statements.carried, [ids, ...reader])).map(({ id }) => id));

/** One page of each vocabulary's tags, by name, one more than its limit, in reading order. */
export function tagPagesOfVocabularies(sql: Sql, ids: readonly string[], page: Keyset): Promise<TagRecord[]> {
  const order = orderOf(KEYS, page);
  const statement = {
    name: `tag_pages_of_vocabularies_${formOf(page)}`,
    text: `SELECT t.* FROM unnest($1::text[]) AS k(id) CROSS JOIN LATERAL (SELECT ${COLUMNS} FROM tag t
        WHERE t.vocabulary_id = k.id AND ${beyond(KEYS, page, 3)} ORDER BY ${order} LIMIT $2) AS t
      ORDER BY t."vocabularyId", ${order}`,
  };
  return sql.rows(statement, [ids, page.limit + 1, ...(page.from ?? [])]);
}
