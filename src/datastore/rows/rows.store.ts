/** Runs the statements of search.sql.ts and rows.sql.ts: searches, pages and groups. */
import type { Sql } from '../../infra/postgres/db.ts';
import { JsonText } from '../../kernel/json.ts';
import { type Digits, digitsSql } from '../export/parquet.sql.ts';
import { run, tooLong } from '../run.store.ts';
import type { Column } from '../tables/fields.rules.ts';
import { countSql, type Figure, type Figures, groupsSql, pageSql, type RowKey, type RowStart } from './rows.sql.ts';
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
export async function listPage(db: Sql, source: Source, plan: SearchPlan, start: RowStart): Promise<RowRecord[]> {
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

/** One group of records with its figures: objects by column. */
export interface TableGroupRecord extends Readonly<Record<Figure, JsonText>> {
  readonly key: JsonText;
  readonly count: number;
}

/** Groups by key, ascending. */
export async function listGroups(
  db: Sql,
  source: Source,
  plan: SearchPlan,
  groupBy: readonly Column[],
  figures: Figures,
): Promise<TableGroupRecord[]> {
  const statement = groupsSql(source, plan, groupBy, figures);
  const rows = await run<Record<Figure | 'key', string | null> & { count: number }>(db, 'datastore_groups', statement);
  const json = (text: string | null) => new JsonText(text ?? tooLong());
  return rows.map(({ key, count, sum, avg, min, max }) => ({
    key: json(key),
    count,
    sum: json(sum),
    avg: json(avg),
    min: json(min),
    max: json(max),
  }));
}
