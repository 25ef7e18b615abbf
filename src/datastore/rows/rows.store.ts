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
import { canShare, type NumberForm, plannedPage, type RecordsFormat, type Source, searchSql } from './search.sql.ts';
import { keepTotal, keyOfTotal, knownTotal } from './totals.ts';

export interface FoundRows {
  /** Records as text. */
  readonly records: string;
  /** Their number on all pages; null when not requested. */
  readonly total: number | null;
  readonly isEstimated: boolean;
}

/** Maximum rows, by PostgreSQL's estimate, whose keys a search stores so that total and page share one pass. */
const MAX_SHARED = 100_000;

/** Records of a page, and their total. `threshold`: an estimate of so many rows or more is returned as the total. @throws CatalogError LIMIT */
export async function searchRows(
  db: Sql,
  source: Source,
  plan: SearchPlan,
  { format, numbers, threshold }: { format: RecordsFormat; numbers: NumberForm; threshold: number | null },
): Promise<FoundRows> {
  const key = plan.withTotal ? keyOfTotal(source, plan) : null;
  const known = knownTotal(key);
  const page = !known && canShare(source, plan) ? await planPage(db, source, plan) : null;
  const isEstimated = page !== null && threshold !== null && page.rows >= threshold;
  const [row] = await run<{ records: string | null; total: number | null; version: string | null }>(
    db,
    'datastore_search',
    searchSql(source, isEstimated ? { ...plan, withTotal: false } : plan, format, numbers, {
      known,
      shared: !isEstimated && page !== null && page.isSorted && page.rows <= MAX_SHARED,
    }),
  );
  const total = isEstimated ? page.rows : row!.total;
  if (!isEstimated) keepTotal(key, row!.version, total);
  return { records: row!.records ?? tooLong(), total, isEstimated };
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Plan Rows': number;
  readonly Plans?: readonly PlanNode[];
}

/** PostgreSQL's plan of a page: the estimated number of all rows, and whether it must read and sort them all. */
async function planPage(db: Sql, source: Source, plan: SearchPlan): Promise<{ rows: number; isSorted: boolean }> {
  const [row] = await run<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
    db,
    'datastore_plan',
    plannedPage(source, plan),
  );
  const limited = row!['QUERY PLAN'][0]!.Plan.Plans?.[0];
  let node = limited;
  while (node && node['Node Type'] !== 'Sort') node = node.Plans?.[0];
  return { rows: limited?.['Plan Rows'] ?? 0, isSorted: node !== undefined };
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

/** Number of rows on all pages. */
export async function countFound(db: Sql, source: Source, plan: SearchPlan): Promise<number> {
  const key = keyOfTotal(source, plan);
  const statement = countSql(source, plan, knownTotal(key));
  const [row] = await run<{ n: number; version: string | null }>(db, 'datastore_count', statement);
  keepTotal(key, row!.version, row!.n);
  return row!.n;
}

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
