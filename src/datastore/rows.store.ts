/** Runs the statements of rows.sql.ts. */
import type { Sql } from '../kernel/db.ts';
import { JsonText } from '../kernel/json.ts';
import { run, tooLong } from './datastore.store.ts';
import type { Column } from './fields.rules.ts';
import { countSql, type Figure, type Figures, groupsSql, pageSql, type RowKey } from './rows.sql.ts';
import type { SearchPlan } from './search.plan.ts';
import type { Source } from './search.sql.ts';

/** A record with what it is found again by. */
export interface RowRecord {
  readonly key: RowKey;
  readonly record: JsonText;
}

/** Records behind a key, in the plan's order, as many as the plan's limit. */
export async function listPage(db: Sql, source: Source, plan: SearchPlan, after: RowKey | null): Promise<RowRecord[]> {
  const rows = await run<{ key: RowKey; record: string | null }>(db, 'datastore_page', pageSql(source, plan, after));
  return rows.map(({ key, record }) => ({ key, record: new JsonText(record ?? tooLong()) }));
}

export const countFound = async (db: Sql, source: Source, plan: SearchPlan): Promise<number> =>
  (await run<{ n: number }>(db, 'datastore_count', countSql(source, plan)))[0]!.n;

/** One group of records with its figures: objects by column. */
export interface TableGroupRecord extends Readonly<Record<Figure, JsonText>> {
  readonly key: JsonText;
  readonly count: number;
}

/** Groups by their keys, ascending. */
export async function listGroups(
  db: Sql,
  source: Source,
  plan: SearchPlan,
  groupBy: readonly Column[],
  figures: Figures,
): Promise<TableGroupRecord[]> {
  const statement = groupsSql(source, plan, groupBy, figures);
  const rows = await run<Record<Figure | 'key', string> & { count: number }>(db, 'datastore_groups', statement);
  return rows.map(({ key, count, sum, avg, min, max }) => ({
    key: new JsonText(key),
    count,
    sum: new JsonText(sum),
    avg: new JsonText(avg),
    min: new JsonText(min),
    max: new JsonText(max),
  }));
}
