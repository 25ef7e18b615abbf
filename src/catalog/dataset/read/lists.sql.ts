/** Reads lists of datasets by keyset, many in one statement. In SQL because Prisma has no xmin, by which cached documents are compared. */

import { withHidden } from '../../../infra/postgres/columns.ts';
import type { Sql, Statement } from '../../../infra/postgres/db.ts';
import type { Key, Keyset } from '../../../kernel/connection.ts';
import {
  beyond,
  formOf,
  keyColumns,
  keysIn,
  type Order,
  orderOf,
  orderOfColumns,
  type SortKey,
  START_LENGTH,
  startOf,
} from '../../../kernel/keyset.sql.ts';
import { USE } from '../../../kernel/usage.ts';
import { columnsUnless, datasetCache, type StampedRow, stampOf } from '../../document/cache.ts';
import { readable } from '../../document/readable.ts';
import type { DatasetRecord } from '../../document/record.ts';
import { COLUMNS, PUBLIC } from '../dataset.sql.ts';

/** Conditions on datasets, all of which hold. Ids are known to exist. */
export interface DatasetChoice {
  readonly organization?: string;
  readonly group?: string;
  readonly tag?: string;
  readonly type?: string;
  readonly license?: string;
  readonly states?: readonly string[];
  readonly private?: boolean;
  readonly createdFrom?: Date;
  readonly createdTo?: Date;
  readonly modifiedFrom?: Date;
  readonly modifiedTo?: Date;
  readonly quality?: {
    readonly minPoints?: number | null;
    readonly maxPoints?: number | null;
    /** Places of checks in stored states, from 1. */
    readonly missing?: number | null;
    readonly unmet?: number | null;
  };
}

export type DatasetOrder = Order<keyof typeof DATASET_FIELDS>;

/** Owner, filter and order of a list. */
export interface DatasetList {
  readonly of: 'all' | 'group' | 'organization' | 'user' | 'tag';
  /** Id of the group, organization, user or tag; empty for all. */
  readonly id: string;
  /** public: active public ones. active: private ones too. own: those and drafts. readable: in any state. The reader may read each. */
  readonly shows: 'public' | 'active' | 'own' | 'readable';
  readonly where: DatasetChoice;
  readonly order: DatasetOrder;
}

/** The parameters that lists of one statement share. */
export type ListKind = Omit<DatasetList, 'id'>;

/** A row of a list, with the parts of its sort key. */
type ListedRow = StampedRow & { readonly list: string } & Readonly<Record<'key0' | 'key1', string | number>>;

/** A dataset with its row. */
export interface Listed {
  readonly record: DatasetRecord;
  readonly row: ListedRow;
}

/** The sort key of a dataset in a list. */
export const keyOf = ({ row }: Listed, order: DatasetOrder): Key =>
  keysIn(DATASET_FIELDS, order).map((_, n) => row[`key${n}` as 'key0' | 'key1']);

const ID: SortKey = { sql: 'd.dataset_id', type: 'text' };
/** Sort keys of the fields, in the direction of their indexes. */
export const DATASET_FIELDS = {
  NAME: [{ sql: 'd.name COLLATE "C"', type: 'text' }],
  TITLE: [{ sql: `${startOf('d.title')} COLLATE "C"`, type: 'text' }, ID],
  CREATED: [{ sql: 'd.created_at', type: 'instant', descending: true }, ID],
  MODIFIED: [{ sql: 'd.modified_at', type: 'instant', descending: true }, ID],
  VIEWS_RECENT: [
    { sql: 'v.recent', type: 'bigint', descending: true },
    { sql: 'v.dataset_id', type: 'text' },
  ],
  VIEWS_TOTAL: [
    { sql: 'v.total', type: 'bigint', descending: true },
    { sql: 'v.dataset_id', type: 'text' },
  ],
  QUALITY: [
    { sql: 'q.points', type: 'bigint' },
    { sql: 'q.dataset_id', type: 'text' },
  ],
} satisfies Record<string, readonly SortKey[]>;

const OWNED: Record<DatasetList['of'], string> = {
  all: 'true',
  group: 'd.dataset_id IN (SELECT f.dataset_id FROM dataset_group f WHERE f.group_id = k.id)',
  organization: 'd.owner_organization_id = k.id',
  user: 'd.creator_id = k.id',
  tag: 'd.dataset_id IN (SELECT u.dataset_id FROM dataset_tag u WHERE u.tag_id = k.id)',
};

/** Values of readerOf (document/readable.ts). */
export type Reader = readonly unknown[];

/** Writes a condition with its values; `bind` returns the name of a value's parameter. */
type Bind = (value: unknown) => string;

/** Datasets visible in the list: no more than single reads show. */
function shown(shows: DatasetList['shows'], reader: Reader, bind: Bind): string {
  if (shows === 'public') return PUBLIC;
  if (shows === 'active') return "d.state = 'active'";
  const [first] = reader.map((value) => Number(bind(value).slice(1)));
  return `${shows === 'own' ? "d.state <> 'deleted'" : 'true'} AND ${readable('d', first!)}`;
}

const CONDITIONS: {
  readonly [K in keyof DatasetChoice]-?: (value: NonNullable<DatasetChoice[K]>, bind: Bind) => string;
} = {
  organization: (id, bind) => `d.owner_organization_id = ${bind(id)}`,
  group: (id, bind) => `d.dataset_id IN (SELECT f.dataset_id FROM dataset_group f WHERE f.group_id = ${bind(id)})`,
  tag: (name, bind) => `d.dataset_id IN (SELECT u.dataset_id FROM dataset_tag u JOIN tag t ON t.id = u.tag_id
    WHERE t.vocabulary_id IS NULL AND t.name = ${bind(name)})`,
  type: (type, bind) => `d.type = ${bind(type)}`,
  // The index has the start of each license. Whole licenses are compared only where they are as long as that,
  // because the planner expects fewer rows of two conditions.
  license: (id, bind) => {
    const license = bind(id);
    return `d.dataset_id IN (SELECT l.id FROM dataset l WHERE ${startOf('l.license_id')} = ${startOf(license)}
      AND (length(${license}) < ${START_LENGTH} OR l.license_id = ${license}))`;
  },
  // Names the hidden ones, so that their index serves a list without public datasets.
  states: (states, bind) =>
    `d.state = ANY (${bind(states)}::text[])${states.includes('active') ? '' : " AND (d.state <> 'active' OR d.private)"}`,
  private: (isPrivate) => (isPrivate ? "(d.state <> 'active' OR d.private) AND d.private" : 'NOT d.private'),
  createdFrom: (at, bind) => `d.created_at >= ${bind(at)}`,
  createdTo: (at, bind) => `d.created_at < ${bind(endOf(at))}`,
  modifiedFrom: (at, bind) => `d.modified_at >= ${bind(at)}`,
  modifiedTo: (at, bind) => `d.modified_at < ${bind(endOf(at))}`,
  quality: ({ minPoints, maxPoints, missing, unmet }, bind) =>
    `d.dataset_id IN (SELECT s.dataset_id FROM dataset_quality s WHERE s.points >= ${bind(minPoints ?? 0)}::int AND s.points <= ${bind(maxPoints ?? MAX_POINTS)}::int
      ${missing == null ? '' : `AND substr(s.checks, ${bind(missing)}, 1) <> '1'`}
      ${unmet == null ? '' : `AND substr(s.checks, ${bind(unmet)}, 1) = '0'`})`,
};

/** More than any score has. */
export const MAX_POINTS = 32_767;

/** Rows that an order reads too, and whose index has its order. Every dataset has one of views. */
const ORDERED: readonly (readonly [order: string, join: string])[] = [
  ['QUALITY ', 'JOIN dataset_quality q ON q.dataset_id = d.dataset_id'],
  ['VIEWS_', `JOIN usage_total v ON v.dataset_id = d.dataset_id AND v.resource_id = '' AND v.kind = ${USE.view}`],
];

const rowsOf = ({ order }: ListKind): string =>
  `dataset_document d ${ORDERED.find(([start]) => order.startsWith(start))?.[1] ?? ''}`;

/** The end of a time's millisecond: the graph shows no smaller parts. */
const endOf = (at: Date): Date => new Date(at.getTime() + 1);

/** Condition for the datasets `d` of a list `k`. */
export function conditions({ of, shows, where }: Omit<ListKind, 'order'>, reader: Reader, bind: Bind): string {
  const own = Object.entries(where).map(([name, value]) =>
    CONDITIONS[name as keyof DatasetChoice](value as never, bind),
  );
  return [OWNED[of], shown(shows, reader, bind), ...own].join(' AND ');
}

const named = new Map<string, Statement>();

/** A statement has a name, and a plan for any values, unless its text depends on a choice or an order. */
function statementOf(kind: ListKind, name: string, text: string): Statement {
  if (Object.keys(kind.where).length > 0 || kind.order !== 'MODIFIED DESC') return { text };
  let statement = named.get(name);
  if (!statement) named.set(name, (statement = { name, text: withHidden(text) }));
  return statement;
}

/** One page of each list (one row more than its limit), in reading order; by list id. */
export async function listPages(
  sql: Sql,
  kind: ListKind,
  ids: readonly string[],
  page: Keyset,
  reader: Reader,
): Promise<Map<string, Listed[]>> {
  const values: unknown[] = [ids];
  const bind: Bind = (value) => `$${values.push(value)}`;
  const where = conditions(kind, reader, bind);
  const keys = keysIn(DATASET_FIELDS, kind.order);
  const limit = bind(page.limit + 1);
  const after = beyond(keys, page, values.length + 1);
  values.push(...(page.from ?? []));
  const name = `dataset_pages_${kind.of}_${kind.shows}_${formOf(page)}`;
  const request = JSON.stringify([name, ids, kind.where, page]);
  const cache = datasetCache(sql);
  const before = cache.before(request);
  const [knownIds, knownStamps] = [bind([...before.keys()]), bind([...before.values()].map(({ stamp }) => stamp))];
  const columns = keys.map((_, n) => `d.key${n}`).join(', ');
  const text = `SELECT k.id AS list, ${columns}, ${columnsUnless('d', 'kept.id IS NULL', 'd.stamp')}
    FROM unnest($1::text[]) AS k(id) CROSS JOIN LATERAL (
      SELECT ${COLUMNS}, ${stampOf('d')} AS stamp, ${keyColumns(keys)} FROM ${rowsOf(kind)}
      WHERE ${where} AND ${after} ORDER BY ${orderOf(keys, page)} LIMIT ${limit}::bigint) AS d
    LEFT JOIN unnest(${knownIds}::text[], ${knownStamps}::text[]) AS kept(id, stamp) ON kept.id = d.dataset_id AND kept.stamp = d.stamp
    ORDER BY k.id, ${orderOfColumns(keys, page, 'd')}`;
  const rows = await sql.rows<ListedRow>(statementOf(kind, name, text), values);
  const records = cache.found(request, rows, before);
  const pages = new Map<string, Listed[]>(ids.map((id) => [id, []]));
  rows.forEach((row, i) => {
    pages.get(row.list)!.push({ record: records[i]!, row });
  });
  return pages;
}

/** Number of datasets in each list, by list id. */
export async function countLists(
  sql: Sql,
  kind: ListKind,
  ids: readonly string[],
  reader: Reader,
): Promise<Map<string, number>> {
  const values: unknown[] = [ids];
  const where = conditions(kind, reader, (value) => `$${values.push(value)}`);
  const text = `SELECT k.id, (SELECT count(*) FROM ${rowsOf(kind)} WHERE ${where})::int AS count FROM unnest($1::text[]) AS k(id)`;
  const statement = statementOf(kind, `dataset_counts_${kind.of}_${kind.shows}`, text);
  const rows = await sql.rows<{ id: string; count: number }>(statement, values);
  return new Map(rows.map((row) => [row.id, row.count]));
}
