/**
 * Finds resources by their dataset's document and by text in their fields. In SQL because Prisma has no window functions and no timeout of
 * one statement: a search finds its page and the total together.
 */

import { firstValue, type RowOf, type Sql, type Timeout } from '../../infra/postgres/db.ts';
import { likeText } from '../../infra/postgres/like.ts';
import { documentsWhere } from '../dataset/dataset.sql.ts';
import { DatasetRecord, type DocumentRow } from '../document/record.ts';

const OWNER = documentsWhere('of_resource', 'd.dataset_id = (SELECT r.dataset_id FROM resource r WHERE r.id = $1)');

/** The dataset of a resource; null for an unknown resource. */
export async function findResourceDataset(sql: Sql, resourceId: string): Promise<DatasetRecord | null> {
  const [row] = await sql.rows<DocumentRow>(OWNER, [resourceId]);
  return row ? new DatasetRecord(row) : null;
}

/** One term: the column (or the extra's key) and the text it must contain. */
export interface Term {
  readonly column: string | null;
  readonly extra: string | null;
  readonly text: string;
  readonly prefix: boolean;
}

/** A parsed query; columns come from the service's own table, never from the caller. */
export interface ResourceQuery {
  readonly terms: readonly Term[];
  readonly orderBy: Order;
  readonly limit: number;
  readonly offset: number;
}

/** A column and a direction; null is the order within the datasets. */
export type Order = { readonly column: string; readonly descending: boolean } | null;

type Found = RowOf<'Resource', 'id' | 'datasetId'>;

/** Resources of active public datasets that match all terms: their dataset ids and ids, in order, and the total number. */
export async function searchResources(
  sql: Sql,
  query: ResourceQuery,
  timeout: Timeout,
): Promise<{ count: number; found: Found[] }> {
  const values: unknown[] = [query.limit, query.offset];
  const conditions = query.terms.map(({ column, extra, text, prefix }) => {
    values.push(`${prefix ? '' : '%'}${likeText(text, 'query')}%`);
    const pattern = `$${values.length}`;
    if (extra === null) return `r.${column} ILIKE ${pattern}`;
    values.push(extra);
    return `r.extras ->> $${values.length} ILIKE ${pattern}`;
  });
  const where = ["d.state = 'active'", 'NOT d.private', "r.state = 'active'", ...conditions].join(' AND ');
  const text = `SELECT r.id, r.dataset_id AS "datasetId", (count(*) OVER ())::int AS count FROM resource r
    JOIN dataset_document d ON d.dataset_id = r.dataset_id WHERE ${where} ORDER BY ${orderText(query.orderBy)}, r.id LIMIT $1 OFFSET $2`;
  const found = await sql.rows<Found & { count: number }>({ text, timeout }, values);
  const counted =
    found[0]?.count ?? (query.offset === 0 && query.limit > 0 ? 0 : await countAll(sql, where, values, timeout));
  return { count: counted, found };
}

const orderText = (order: Order): string =>
  order ? `r.${order.column} ${order.descending ? 'DESC' : 'ASC'}` : 'r.dataset_id, r.position';

function countAll(sql: Sql, where: string, values: unknown[], timeout: Timeout): Promise<number> {
  const text = `SELECT count(*)::int AS count FROM resource r JOIN dataset_document d ON d.dataset_id = r.dataset_id
    WHERE ${where} AND $1::bigint IS NOT NULL AND $2::bigint IS NOT NULL`;
  return firstValue(sql, { text, timeout }, values);
}
