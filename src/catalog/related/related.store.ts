/** Related items, in SQL. */
import type { Keyset } from '../../kernel/connection.ts';
import type { Sql, Statement } from '../../kernel/db.ts';
import { readable } from '../document/readable.ts';

export interface RelatedRecord {
  readonly id: string;
  readonly datasetId: string | null;
  readonly ownerId: string | null;
  readonly title: string;
  readonly type: string;
  readonly description: string | null;
  readonly url: string | null;
  readonly imageUrl: string | null;
  readonly featured: boolean;
  readonly viewCount: number;
  readonly createdAt: Date;
  readonly version: number;
}

export type RelatedOrder = 'CREATED_ASC' | 'CREATED_DESC' | 'VIEW_COUNT_ASC' | 'VIEW_COUNT_DESC';

/** Which items: of one dataset, or (null) of every one that the reader may read and of none. */
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

/** The instant of a cursor: microseconds since 1970, of which every whole number that a cursor can hold is an instant. */
const instantOf = (parameter: number): string => `(to_timestamp(0) + $${parameter}::bigint * interval '1 microsecond')`;

/** How each order is written: what is compared with a cursor (views, instant, id), and by what is sorted. */
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

const statements = {
  byIds: { name: 'related_by_ids', text: `SELECT ${COLUMNS} FROM related_item r WHERE r.id = ANY ($1)` },
  lock: { name: 'related_lock', text: `SELECT ${COLUMNS} FROM related_item r WHERE r.id = $1 FOR UPDATE` },
  // The lock keeps the dataset from being removed between the look and the write.
  holdDataset: { name: 'related_hold_dataset', text: 'SELECT id FROM dataset WHERE id = $1 FOR KEY SHARE' },
  insert: {
    name: 'related_insert',
    text: `INSERT INTO related_item AS r (id, dataset_id, owner_id, title, type, description, url, image_url, featured, created_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING ${COLUMNS}`,
  },
  update: {
    name: 'related_update',
    text: `UPDATE related_item r SET title = $2, type = $3, description = $4, url = $5, image_url = $6, featured = $7, version = version + 1
      WHERE id = $1 RETURNING ${COLUMNS}`,
  },
  delete: { name: 'related_delete', text: 'DELETE FROM related_item WHERE id = $1' },
  pagesOfDatasets: {
    name: 'related_pages_of_datasets',
    text: `SELECT r.* FROM unnest($1::text[]) AS k(id) CROSS JOIN LATERAL (SELECT ${COLUMNS} FROM related_item r
      WHERE r.dataset_id = k.id AND ($2::bigint IS NULL OR (r.created_at, r.id) > (${instantOf(2)}, $3))
      ORDER BY r.created_at, r.id LIMIT $4::int) AS r ORDER BY r."createdAt", r.id`,
  },
  countsOfDatasets: {
    name: 'related_counts_of_datasets',
    text: 'SELECT dataset_id AS id, count(*)::int AS n FROM related_item WHERE dataset_id = ANY ($1) GROUP BY 1',
  },
} satisfies Record<string, Statement>;

/** In any order. */
export const relatedByIds = (sql: Sql, ids: readonly string[]): Promise<RelatedRecord[]> =>
  sql.rows(statements.byIds, [ids]);

/** One item, and nobody else may change it before the transaction ends; null when there is none. */
export const lockRelated = async (sql: Sql, id: string): Promise<RelatedRecord | null> =>
  (await sql.rows<RelatedRecord>(statements.lock, [id]))[0] ?? null;

/** False when the dataset is gone. */
export const holdDataset = async (sql: Sql, id: string): Promise<boolean> =>
  (await sql.rows(statements.holdDataset, [id])).length > 0;

const valuesOf = (r: RelatedRecord): unknown[] => [r.title, r.type, r.description, r.url, r.imageUrl, r.featured];

export const insertRelated = async (sql: Sql, item: RelatedRecord): Promise<RelatedRecord> =>
  (
    await sql.rows<RelatedRecord>(statements.insert, [
      item.id,
      item.datasetId,
      item.ownerId,
      ...valuesOf(item),
      item.createdAt,
    ])
  )[0]!;

/** Writes the fields of a locked item and the next version. */
export const updateRelated = async (sql: Sql, item: RelatedRecord): Promise<RelatedRecord> =>
  (await sql.rows<RelatedRecord>(statements.update, [item.id, ...valuesOf(item)]))[0]!;

export const deleteRelated = async (sql: Sql, id: string): Promise<void> =>
  void (await sql.rows(statements.delete, [id]));

/** The key of an item in any order: how often viewed, the instant in microseconds, the id. */
export type RelatedKey = readonly [number, number, string];
export const keyOfRelated = ({ viewCount, createdAt, id }: RelatedRecord): RelatedKey => [
  viewCount,
  createdAt.getTime() * 1000,
  id,
];

/** Up to `limit` items after a key (null: from the beginning); a null limit gives all. */
export function listRelated(
  sql: Sql,
  choice: RelatedChoice,
  order: RelatedOrder,
  reader: Reader,
  after: RelatedKey | null,
  limit: number | null,
): Promise<RelatedRecord[]> {
  const { from, values } = chosen(choice, reader);
  const n = values.length;
  const { beyond, by } = ORDERS[order];
  // Orders that do not look at the views still get them, and PostgreSQL must know their type.
  const v = `$${n + 2}::bigint`;
  const start = after ? `AND ${v} IS NOT NULL AND ${beyond(v, instantOf(n + 3), `$${n + 4}`)}` : '';
  const name = `related_${choice.datasetId === null ? 'all' : 'of'}_${order.toLowerCase()}_${after ? 'after' : 'first'}`;
  return sql.rows({ name, text: `SELECT ${COLUMNS} ${from} ${start} ORDER BY ${by} LIMIT $${n + 1}::int` }, [
    ...values,
    limit,
    ...(after ?? []),
  ]);
}

export async function countRelated(sql: Sql, choice: RelatedChoice, reader: Reader): Promise<number> {
  const { from, values } = chosen(choice, reader);
  const name = `related_count_${choice.datasetId === null ? 'all' : 'of'}`;
  return (await sql.rows<{ n: number }>({ name, text: `SELECT count(*)::int AS n ${from}` }, values))[0]!.n;
}

const chosen = ({ datasetId, type, featured }: RelatedChoice, reader: Reader) => ({
  from: datasetId === null ? OF_ALL : OF_DATASET,
  values: [type, featured, ...(datasetId === null ? reader : [datasetId])],
});

/** One page of each dataset's items (one more than its limit), the oldest first; by dataset id. */
export async function pagesOfDatasets(
  sql: Sql,
  datasetIds: readonly string[],
  { limit, after }: Keyset,
): Promise<Map<string, RelatedRecord[]>> {
  const start = after?.slice(1) ?? [null, null];
  const pages = new Map<string, RelatedRecord[]>();
  for (const row of await sql.rows<RelatedRecord>(statements.pagesOfDatasets, [datasetIds, ...start, limit + 1]))
    pages.set(row.datasetId!, [...(pages.get(row.datasetId!) ?? []), row]);
  return pages;
}

/** By dataset id; those without items are left out. */
export const countsOfDatasets = async (sql: Sql, datasetIds: readonly string[]): Promise<Map<string, number>> =>
  new Map(
    (await sql.rows<{ id: string; n: number }>(statements.countsOfDatasets, [datasetIds])).map(({ id, n }) => [id, n]),
  );
