/**
 * Lists of related items. In SQL because the read policy of their datasets is a condition of the list, and pages of
 * many datasets are one LATERAL join (Prisma: a statement for each).
 */

import type { Sql, Statement } from '../../infra/postgres/db.ts';
import type { Keyset } from '../../kernel/connection.ts';
import { readable } from '../document/readable.ts';
import type { RelatedRecord } from './related.store.ts';

export type RelatedOrder = 'CREATED_ASC' | 'CREATED_DESC' | 'VIEW_COUNT_ASC' | 'VIEW_COUNT_DESC';

/** Filter of items: of one dataset, or (null) of all readable datasets and of none. */
export interface RelatedChoice {
  readonly datasetId: string | null;
  readonly type: string | null;
  readonly featured: boolean;
}

/** Values of readerOf (document/readable.ts). */
type Reader = readonly unknown[];

const COLUMNS = `r.id, r.dataset_id AS "datasetId", r.owner_id AS "ownerId", r.title, r.type, r.description, r.url, r.image_url AS "imageUrl",
  r.featured, r.view_count AS "viewCount", r.created_at AS "createdAt", r.version`;
/** Parameters: $1 the type, $2 whether featured ones only, $3 a dataset, or $3 to $6 the reader. */
const WANTED = '($1::text IS NULL OR r.type = $1) AND (r.featured OR NOT $2::boolean)';
const OF_DATASET = `FROM related_item r WHERE ${WANTED} AND r.dataset_id = $3`;
const OF_ALL = `FROM related_item r WHERE ${WANTED} AND (r.dataset_id IS NULL
  OR EXISTS (SELECT FROM dataset_document d WHERE d.dataset_id = r.dataset_id AND ${readable('d', 3)}))`;

/** The instant of a cursor: microseconds since 1970; every integer that a cursor can hold is valid. */
const instantOf = (parameter: number): string => `(to_timestamp(0) + $${parameter}::bigint * interval '1 microsecond')`;

/** SQL of each order: the values compared with a cursor (views, instant, id), and the sort order. */
const ORDERS: Readonly<
  Record<RelatedOrder, { readonly beyond: (v: string, at: string, id: string) => string; readonly by: string }>
> = {
  CREATED_ASC: { beyond: (_v, at, id) => `(r.created_at, r.id) > (${at}, ${id})`, by: 'r.created_at, r.id' },
  CREATED_DESC: { beyond: (_v, at, id) => `(r.created_at, r.id) < (${at}, ${id})`, by: 'r.created_at DESC, r.id DESC' },
  VIEW_COUNT_ASC: {
    beyond: (v, at, id) => `(r.view_count, r.created_at, r.id) > (${v}, ${at}, ${id})`,
    by: 'r.view_count, r.created_at, r.id',
  },
  VIEW_COUNT_DESC: {
    beyond: (v, at, id) => `(-r.view_count, r.created_at, r.id) > (-${v}, ${at}, ${id})`,
    by: '-r.view_count, r.created_at, r.id',
  },
};

const PAGES: Statement = {
  name: 'related_pages_of_datasets',
  text: `SELECT r.* FROM unnest($1::text[]) AS k(id) CROSS JOIN LATERAL (SELECT ${COLUMNS} FROM related_item r
    WHERE r.dataset_id = k.id AND ($2::bigint IS NULL OR (r.created_at, r.id) > (${instantOf(2)}, $3))
    ORDER BY r.created_at, r.id LIMIT $4::int) AS r ORDER BY r."createdAt", r.id`,
};

/** The sort key of an item in any order: views, the instant in microseconds, the id. */
export type RelatedKey = readonly [number, number, string];
export const keyOfRelated = ({ viewCount, createdAt, id }: RelatedRecord): RelatedKey => [
  viewCount,
  createdAt.getTime() * 1000,
  id,
];

/** Columns of the items that match a filter. */
const chosen = ({ datasetId }: RelatedChoice, name: string, columns: string, end = ''): Statement => ({
  name: `related_${datasetId === null ? 'all' : 'of'}_${name}`,
  text: `SELECT ${columns} ${datasetId === null ? OF_ALL : OF_DATASET} ${end}`,
});

const valuesOf = ({ datasetId, type, featured }: RelatedChoice, reader: Reader): unknown[] => [
  type,
  featured,
  ...(datasetId === null ? reader : [datasetId]),
];

/** Up to `limit` items after a key (null: from the start); a null limit returns all. */
export function listRelated(
  sql: Sql,
  choice: RelatedChoice,
  order: RelatedOrder,
  reader: Reader,
  after: RelatedKey | null,
  limit: number | null,
): Promise<RelatedRecord[]> {
  const values = valuesOf(choice, reader);
  const n = values.length;
  const { beyond, by } = ORDERS[order];
  // Orders without views still receive them, and PostgreSQL must know their type.
  const v = `$${n + 2}::bigint`;
  const start = after ? `AND ${v} IS NOT NULL AND ${beyond(v, instantOf(n + 3), `$${n + 4}`)}` : '';
  const way = `${order.toLowerCase()}_${after ? 'after' : 'first'}`;
  const statement = chosen(choice, way, COLUMNS, `${start} ORDER BY ${by} LIMIT $${n + 1}::int`);
  return sql.rows(statement, [...values, limit, ...(after ?? [])]);
}

export const countRelated = async (sql: Sql, choice: RelatedChoice, reader: Reader): Promise<number> =>
  (await sql.rows<{ n: number }>(chosen(choice, 'count', 'count(*)::int AS n'), valuesOf(choice, reader)))[0]!.n;

/** One page of each dataset's items (one more than its limit), oldest first. */
export const pagesOfDatasets = (
  sql: Sql,
  datasetIds: readonly string[],
  { limit, after }: Keyset,
): Promise<RelatedRecord[]> => sql.rows(PAGES, [datasetIds, ...(after?.slice(1) ?? [null, null]), limit + 1]);
