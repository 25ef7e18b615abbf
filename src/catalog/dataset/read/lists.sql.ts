/**
 * Lists of datasets by keyset, many in one statement. In SQL because the set-based policy filters them and documents
 * are cached by xmin.
 */

import type { Sql } from '../../../infra/postgres/db.ts';
import type { Keyset } from '../../../kernel/connection.ts';
import { columnsUnless, datasetCache, type StampedRow, stampOf } from '../../document/cache.ts';
import { readable } from '../../document/readable.ts';
import type { DatasetRecord } from '../../document/record.ts';
import { COLUMNS, PUBLIC } from '../dataset.sql.ts';

/** Owner and filter of a list. */
export interface DatasetList {
  readonly of: 'all' | 'group' | 'organization' | 'user' | 'tag';
  /** Id of the group, organization, user or tag; empty for all. */
  readonly id: string;
  /** public: active public ones. active: private ones too. own: those and drafts; the reader may read each. */
  readonly shows: 'public' | 'active' | 'own';
}

/** The parameters that lists of one statement share. */
export type ListKind = Pick<DatasetList, 'of' | 'shows'>;

/** A dataset with its sort key: microseconds since 1970 and the id. */
export interface Listed {
  readonly record: DatasetRecord;
  readonly key: [number, string];
}

const OWNED: Record<DatasetList['of'], string> = {
  all: 'true',
  group: 'd.dataset_id IN (SELECT f.dataset_id FROM dataset_group f WHERE f.group_id = k.id)',
  organization: 'd.owner_organization_id = k.id',
  user: 'd.creator_id = k.id',
  tag: 'd.dataset_id IN (SELECT u.dataset_id FROM dataset_tag u WHERE u.tag_id = k.id)',
};
/** Parameters $2 to $5 are the reader's if the list is personal: it shows no more than single reads. */
const SHOWN: Record<DatasetList['shows'], string> = {
  public: PUBLIC,
  active: "d.state = 'active'",
  own: `d.state <> 'deleted' AND ${readable('d', 2)}`,
};
const READER_PARAMETERS = 4;

/** Values of readerOf (document/readable.ts). */
export type Reader = readonly unknown[];

const where = ({ of, shows }: ListKind): string => `${OWNED[of]} AND ${SHOWN[shows]}`;

/** One page of each list (one row more than its limit), most recently modified first; by list id. */
export async function listPages(
  sql: Sql,
  kind: ListKind,
  ids: readonly string[],
  page: Keyset,
  reader: Reader,
): Promise<Map<string, Listed[]>> {
  const own = kind.shows === 'own';
  const limit = own ? 2 + READER_PARAMETERS : 2;
  const at = `to_timestamp(0) + $${limit + 1}::bigint * interval '1 microsecond'`;
  const after = page.after
    ? `AND d.modified_at <= ${at} AND (d.modified_at < ${at} OR d.dataset_id > $${limit + 2})`
    : '';
  const told = limit + (page.after ? 3 : 1);
  const text = `SELECT k.id AS list, d.micros, ${columnsUnless('d', 'kept.id IS NULL', 'd.stamp')}
    FROM unnest($1::text[]) AS k(id) CROSS JOIN LATERAL (
      SELECT ${COLUMNS}, ${stampOf('d')} AS stamp, ((extract(epoch FROM d.modified_at) * 1000000)::bigint)::float8 AS micros
      FROM dataset_document d
      WHERE ${where(kind)} ${after} ORDER BY d.modified_at DESC, d.dataset_id LIMIT $${limit}) AS d
    LEFT JOIN unnest($${told}::text[], $${told + 1}::text[]) AS kept(id, stamp) ON kept.id = d.dataset_id AND kept.stamp = d.stamp
    ORDER BY k.id, d.micros DESC, d.dataset_id`;
  const name = `dataset_pages_${kind.of}_${kind.shows}_${page.after ? 'after' : 'first'}`;
  const asked = JSON.stringify([name, ids, page]);
  const kept = datasetCache(sql);
  const before = kept.before(asked);
  const rows = await sql.rows<StampedRow & { list: string; micros: number }>({ name, text }, [
    ids,
    ...(own ? reader : []),
    page.limit + 1,
    ...(page.after ?? []),
    [...before.keys()],
    [...before.values()].map(({ stamp }) => stamp),
  ]);
  const records = kept.found(asked, rows, before);
  const pages = new Map<string, Listed[]>(ids.map((id) => [id, []]));
  rows.forEach((row, i) => {
    pages.get(row.list)!.push({ record: records[i]!, key: [row.micros, row.dataset_id] });
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
  const text = `SELECT k.id, (SELECT count(*) FROM dataset_document d WHERE ${where(kind)})::int AS count FROM unnest($1::text[]) AS k(id)`;
  const rows = await sql.rows<{ id: string; count: number }>(
    { name: `dataset_counts_${kind.of}_${kind.shows}`, text },
    [ids, ...(kind.shows === 'own' ? reader : [])],
  );
  return new Map(rows.map((row) => [row.id, row.count]));
}
