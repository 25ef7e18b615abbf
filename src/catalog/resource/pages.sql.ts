/** Reads pages of resources across datasets. In SQL because Prisma cannot sort by expressions, and has no timeout of one statement. */
import type { RowOf, Sql, Timeout } from '../../infra/postgres/db.ts';
import { likeText } from '../../infra/postgres/like.ts';
import type { Key, Keyset } from '../../kernel/connection.ts';
import { beyond, keyColumn, keysIn, type Order, orderOf, type SortKey, startOf } from '../../kernel/keyset.sql.ts';

/** Conditions on resources, all of which hold. */
export interface ResourceChoice {
  /** Id of a dataset that the reader may read. Without it: active public datasets. */
  readonly dataset?: string;
  readonly format?: string;
  readonly name?: string;
  readonly url?: string;
  readonly description?: string;
  readonly hash?: string;
}

const ID: SortKey = { sql: 'r.id', type: 'text' };
/** Times are ISO texts in one form, and can be missing. */
const TEXTS = {
  name: startOf("COALESCE(r.name, '')"),
  created: "COALESCE(r.created, '')",
  modified: "COALESCE(r.last_modified, r.created, '')",
};
const sorted = (text: string): SortKey => ({ sql: `(${text}) COLLATE "C"`, type: 'text' });

/** Sort keys of the fields, in the direction of their indexes. */
export const RESOURCE_FIELDS = {
  NAME: [sorted(TEXTS.name), ID],
  CREATED: [{ ...sorted(TEXTS.created), descending: true }, ID],
  MODIFIED: [{ ...sorted(TEXTS.modified), descending: true }, ID],
} satisfies Record<string, readonly SortKey[]>;

/** A resource's id and dataset, with the key of a list. */
export type ListedResource = RowOf<'Resource', 'id' | 'datasetId'> & { readonly key: Key };

const PATTERNS = { format: '', name: '%', url: '%', description: '%', hash: '' } as const;

function chosen(choice: ResourceChoice, bind: (value: unknown) => string): string {
  const patterns = Object.entries(PATTERNS).flatMap(([column, before]) => {
    const text = choice[column as keyof typeof PATTERNS];
    const after = column === 'format' ? '' : '%';
    return text === undefined ? [] : [`r.${column} ILIKE ${bind(`${before}${likeText(text, column)}${after}`)}`];
  });
  const of =
    choice.dataset === undefined ? "d.state = 'active' AND NOT d.private" : `r.dataset_id = ${bind(choice.dataset)}`;
  return ["r.state = 'active'", of, ...patterns].join(' AND ');
}

const FROM = 'FROM resource r JOIN dataset_document d ON d.dataset_id = r.dataset_id';

/** A page of resources, one more than its limit, in reading order. */
export function pageOfResources(
  sql: Sql,
  choice: ResourceChoice,
  order: Order<keyof typeof RESOURCE_FIELDS>,
  page: Keyset,
  timeout: Timeout,
): Promise<ListedResource[]> {
  const values: unknown[] = [page.limit + 1];
  const keys = keysIn(RESOURCE_FIELDS, order);
  const where = chosen(choice, (value) => `$${values.push(value)}`);
  const text = `SELECT r.id, r.dataset_id AS "datasetId", ${keyColumn(keys)} ${FROM}
    WHERE ${where} AND ${beyond(keys, page, values.length + 1)} ORDER BY ${orderOf(keys, page)} LIMIT $1`;
  return sql.rows({ text, timeout }, [...values, ...(page.from ?? [])]);
}

export async function countResources(sql: Sql, choice: ResourceChoice, timeout: Timeout): Promise<number> {
  const values: unknown[] = [];
  const text = `SELECT count(*)::int AS n ${FROM} WHERE ${chosen(choice, (value) => `$${values.push(value)}`)}`;
  return (await sql.rows<{ n: number }>({ text, timeout }, values))[0]!.n;
}
