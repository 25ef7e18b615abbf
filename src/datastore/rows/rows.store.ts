/** Runs the statements of search.sql.ts, rows.sql.ts and aggregate.sql.ts: searches, pages and groups. */
import type { Sql } from '../../infra/postgres/db.ts';
import { JsonText } from '../../kernel/json.ts';
import { type Digits, digitsSql } from '../export/parquet.sql.ts';
import { isTooLongSql } from '../export/xlsx.sql.ts';
import { run, tooLong } from '../run.store.ts';
import type { AggregatePlan } from './aggregate.plan.ts';
import { groupCountSql, groupPageSql } from './aggregate.sql.ts';
import { countSql, type PageStart, pageSql, type RowKey, type RowStart } from './rows.sql.ts';
import type { SearchPlan } from './search.plan.ts';
import { type NumberForm, type RecordsFormat, type Source, searchSql } from './search.sql.ts';

/** Records as text, and their total number; `total` is null when not requested. @throws CatalogError LIMIT */
export async function searchRows(
  db: Sql,
  source: Source,
  plan: SearchPlan,
  format: RecordsFormat,
  numbers: NumberForm,
): Promise<{ records: string; total: number | null }> {
  const [row] = await run<{ records: string | null; total: number | null }>(
    db,
    'datastore_search',
    searchSql(source, plan, format, numbers),
  );
  return { total: row!.total, records: row!.records ?? tooLong() };
}

/** A record and its key. */
export interface RowRecord {
  readonly key: RowKey;
  readonly record: JsonText;
}

/** Records from a key on, in the plan's order and limit. */
export async function listPage(db: Sql, source: Source, plan: SearchPlan, start: PageStart): Promise<RowRecord[]> {
  const rows = await run<{ key: RowKey; record: string | null }>(db, 'datastore_page', pageSql(source, plan, start));
  return rows.map(({ key, record }) => ({ key, record: new JsonText(record ?? tooLong()) }));
}

export const countFound = async (db: Sql, source: Source, plan: SearchPlan): Promise<number> =>
  (await run<{ n: number }>(db, 'datastore_count', countSql(source, plan)))[0]!.n;

/** Digits of the decimal columns, in order. */
export async function findDigits(db: Sql, source: Source, plan: SearchPlan): Promise<Digits[]> {
  const look = digitsSql(source, plan);
  return look === null ? [] : (await run<{ digits: Digits[] }>(db, 'datastore_digits', look))[0]!.digits;
}

/** Whether a search finds more rows than a worksheet has. */
export async function isTooLong(db: Sql, source: Source, plan: SearchPlan): Promise<boolean> {
  return (await run<{ long: boolean }>(db, 'datastore_worksheet', isTooLongSql(source, plan)))[0]!.long;
}

/** A group and its key in the sort order. */
export interface GroupRow {
  readonly key: RowKey;
  readonly count: number;
  /** Value, start and end per group key. */
  readonly keys: readonly (readonly [unknown, string | null, string | null])[];
  readonly figures: readonly unknown[];
}

/** A page of groups in reading order. @throws CatalogError LIMIT */
export async function listGroups(
  db: Sql,
  source: Source,
  rows: SearchPlan,
  plan: AggregatePlan,
  limit: number,
  start: RowStart,
): Promise<GroupRow[]> {
  const statement = groupPageSql(source, rows, plan, limit, start);
  const found = await run<{ key: RowKey; group: string | null }>(db, 'datastore_groups', statement);
  return found.map(({ key, group }) => {
    const [count, keys, figures] = JSON.parse(group ?? tooLong());
    return { key, count, keys, figures };
  });
}

export const countGroups = async (db: Sql, source: Source, rows: SearchPlan, plan: AggregatePlan): Promise<number> =>
  (await run<{ n: number }>(db, 'datastore_group_count', groupCountSql(source, rows, plan)))[0]!.n;
