/**
 * Lists related items. In SQL because Prisma has no comparison of rows, such as (created_at, id), by which an index finds the start of a
 * page. The read policy of their datasets is a condition of the list, and one statement reads the pages of many datasets.
 */

import { columnsOf } from '../../infra/postgres/columns.ts';
import { firstValue, type Sql, type Statement } from '../../infra/postgres/db.ts';
import type { Key, KeyShape, Keyset } from '../../kernel/connection.ts';
import { beyond, formOf, orderOf, type SortKey, shapeOf, WHOLE } from '../../kernel/keyset.sql.ts';
import { readable } from '../document/readable.ts';
import { RELATED, type RelatedRecord } from './related.store.ts';

export type RelatedOrder = 'CREATED_ASC' | 'CREATED_DESC' | 'VIEW_COUNT_ASC' | 'VIEW_COUNT_DESC';

/** Filter of items: of one dataset, or (null) of all readable datasets and of none. */
export interface RelatedChoice {
  readonly datasetId: string | null;
  readonly type: string | null;
  readonly featured: boolean;
}

/** Values of readerOf (document/readable.ts). */
type Reader = readonly unknown[];

const COLUMNS = columnsOf(RELATED, 'r');
/** Parameters: $1 the type, $2 whether featured ones only, $3 a dataset, or $3 to $6 the reader. */
const MATCHES = '($1::text IS NULL OR r.type = $1) AND (r.featured OR NOT $2::boolean)';
const OF_DATASET = `FROM related_item r WHERE ${MATCHES} AND r.dataset_id = $3`;
const OF_ALL = `FROM related_item r WHERE ${MATCHES} AND (r.dataset_id IS NULL
  OR EXISTS (SELECT FROM dataset_document d WHERE d.dataset_id = r.dataset_id AND ${readable('d', 3)}))`;

const INSTANT: SortKey = { sql: 'r.created_at', type: 'instant' };
const ID: SortKey = { sql: 'r.id', type: 'text' };
const VIEWS: SortKey = { sql: 'r.view_count', type: 'bigint' };
const down = (key: SortKey): SortKey => ({ ...key, descending: true });

/** Sort keys of each order. Items with equally many views are sorted oldest first. */
const ORDERS: Readonly<Record<RelatedOrder, readonly SortKey[]>> = {
  CREATED_ASC: [INSTANT, ID],
  CREATED_DESC: [down(INSTANT), down(ID)],
  VIEW_COUNT_ASC: [VIEWS, INSTANT, ID],
  VIEW_COUNT_DESC: [down(VIEWS), INSTANT, ID],
};

/** The sort key of an item in each order. */
export const keyOfRelated =
  (order: RelatedOrder) =>
  ({ viewCount, createdAt, id }: RelatedRecord): Key => {
    const key = [createdAt.getTime() * 1000, id];
    return ORDERS[order].length === key.length ? key : [viewCount, ...key];
  };

/** The kinds of values in it. */
export const shapeOfRelated = (order: RelatedOrder): KeyShape => shapeOf(ORDERS[order]);

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

/** A page of items (one more than its limit), or all; in reading order. */
export function listRelated(
  sql: Sql,
  choice: RelatedChoice,
  order: RelatedOrder,
  reader: Reader,
  page: Keyset = WHOLE,
): Promise<RelatedRecord[]> {
  const values = valuesOf(choice, reader);
  const n = values.length;
  const keys = ORDERS[order];
  const end = `AND ${beyond(keys, page, n + 2)} ORDER BY ${orderOf(keys, page)} LIMIT $${n + 1}::bigint`;
  const statement = chosen(choice, `${order.toLowerCase()}_${formOf(page)}`, COLUMNS, end);
  return sql.rows(statement, [...values, page.limit + 1, ...(page.from ?? [])]);
}

export const countRelated = (sql: Sql, choice: RelatedChoice, reader: Reader): Promise<number> =>
  firstValue(sql, chosen(choice, 'count', 'count(*)::int'), valuesOf(choice, reader));

/** One page of each dataset's items (one more than its limit), oldest first, in reading order. */
export function pagesOfDatasets(sql: Sql, datasetIds: readonly string[], page: Keyset): Promise<RelatedRecord[]> {
  const [keys, order] = [ORDERS.CREATED_ASC, orderOf(ORDERS.CREATED_ASC, page)];
  const statement = {
    name: `related_pages_of_datasets_${formOf(page)}`,
    text: `SELECT l.* FROM unnest($1::text[]) AS k(id) CROSS JOIN LATERAL (SELECT ${COLUMNS}, row_number() OVER (ORDER BY ${order}) AS place
      FROM related_item r WHERE r.dataset_id = k.id AND ${beyond(keys, page, 3)} ORDER BY ${order} LIMIT $2::bigint) AS l ORDER BY l.place`,
  };
  return sql.rows(statement, [datasetIds, page.limit + 1, ...(page.from ?? [])]);
}
