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
import {
  type Counting,
  canShare,
  isCountedByRecords,
  type NumberForm,
  plannedPage,
  type RecordsFormat,
  type Source,
  searchSql,
} from './search.sql.ts';
import { keepTotal, keyOfTotal, knownTotal } from './totals.ts';

export interface FoundRows {
  /** Records as text. */
  readonly records: string;
  /** Their number on all pages; null when not requested. */
  readonly total: number | null;
  readonly isEstimated: boolean;
  /** Version of the table, as `storedVersion` has it. */
  readonly version: string | null;
}

/** Maximum rows, by PostgreSQL's estimate, whose keys a search stores so that total and page share one pass. */
const MAX_SHARED = 100_000;

interface SearchOptions {
  readonly format: RecordsFormat;
  readonly numbers: NumberForm;
  /** An estimate of so many rows or more is returned as the total. */
  readonly threshold: number | null;
}

/** Records of a page, and their total, of one snapshot of the table. @throws CatalogError LIMIT */
export async function searchRows(
  db: Sql,
  source: Source,
  plan: SearchPlan,
  options: SearchOptions,
): Promise<FoundRows> {
  const key = plan.withTotal ? keyOfTotal(source, plan) : null;
  const stored = knownTotal(key);
  /** A total of an older version would need a second scan, for the count. */
  const known = stored?.version === source.version ? stored : undefined;
  const page = !known && canShare(source, plan) ? await planPage(db, source, plan) : null;
  const estimate = estimateOf(page, options.threshold);
  const isStored = source.table !== undefined && plan.conditions.length === 0;
  const counting = countingOf();
  function countingOf(): Counting {
    if (plan.withTotal && isCountedByRecords(plan)) return 'records';
    if (!plan.withTotal || estimate !== null || isStored || known) return 'none';
    return page?.isSorted && page.rows <= MAX_SHARED ? 'pass' : 'scan';
  }
  const { total, all, ...found } = await searchOnce(db, source, plan, options, counting);
  keepTotal(key, found.version, total);
  const isEstimated = estimate !== null;
  if (!plan.withTotal || isEstimated) return { ...found, total: estimate, isEstimated };
  const exact = isStored ? all : known && known.version === found.version ? known.total : total;
  if (exact !== null) return { ...found, total: exact, isEstimated };
  if (options.threshold !== null && canShare(source, plan)) {
    const late = estimateOf(await planPage(db, source, plan), options.threshold);
    if (late !== null) return { ...found, total: late, isEstimated: true };
  }
  const counted = await countFound(db, source, plan);
  if (counted.version === found.version) return { ...found, total: counted.total, isEstimated };
  const again = await searchOnce(db, source, plan, options, 'scan'); // the table was written between page and count
  keepTotal(key, again.version, again.total);
  return { records: again.records, version: again.version, total: again.total, isEstimated };
}

const estimateOf = (page: { rows: number } | null, threshold: number | null): number | null =>
  page !== null && threshold !== null && page.rows >= threshold ? page.rows : null;

async function searchOnce(
  db: Sql,
  source: Source,
  plan: SearchPlan,
  { format, numbers }: SearchOptions,
  counting: Counting,
) {
  const statement = searchSql(source, plan, { format, numbers, counting });
  const [row] = await run<{ records: string | null; total: number | null; state: [string, string] | null }>(
    db,
    'datastore_search',
    statement,
  );
  const { records, total, state } = row!;
  return {
    records: records ?? tooLong(),
    total,
    version: state?.[0] ?? null,
    /** Stored number of all rows. */
    all: state && Number(state[1]),
  };
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

/** Number of rows on all pages, and the version of the table. */
export async function countFound(
  db: Sql,
  source: Source,
  plan: SearchPlan,
): Promise<{ total: number; version: string | null }> {
  const key = keyOfTotal(source, plan);
  const statement = countSql(source, plan, knownTotal(key));
  const [row] = await run<{ total: number; version: string | null }>(db, 'datastore_count', statement);
  keepTotal(key, row!.version, row!.total);
  return row!;
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

/** Groups, and the bytes of their values as JSON. */
export interface GroupPage {
  readonly groups: readonly GroupRow[];
  readonly size: number;
}

/** A page of groups in reading order, and the version of the table. @throws CatalogError LIMIT */
export async function listGroups(
  db: Sql,
  source: Source,
  rows: SearchPlan,
  plan: AggregatePlan,
  limit: number,
  start: RowStart,
): Promise<GroupPage & { version: string | null }> {
  const statement = groupPageSql(source, rows, plan, limit, start);
  type Row = { version: string | null; key: RowKey | null; group: string | null };
  const found = await run<Row>(db, 'datastore_groups', statement);
  const groups = found.flatMap(({ key, group }): GroupRow[] => {
    if (key === null) return [];
    const [count, keys, figures] = JSON.parse(group ?? tooLong());
    return [{ key, count, keys, figures }];
  });
  const size = found.reduce((sum, { group }) => sum + Buffer.byteLength(group ?? ''), 0);
  return { groups, size, version: found[0]?.version ?? null };
}

/** Number of groups on all pages, and the version of the table. */
export async function countGroups(
  db: Sql,
  source: Source,
  rows: SearchPlan,
  plan: AggregatePlan,
): Promise<{ n: number; version: string | null }> {
  const statement = groupCountSql(source, rows, plan);
  return (await run<{ n: number; version: string | null }>(db, 'datastore_group_count', statement))[0]!;
}
