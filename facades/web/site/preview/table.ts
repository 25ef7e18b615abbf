/** Reads a page of records for the table preview. */
import { h } from 'preact';
import { PagePreviewRecordsDocument, type TableConditionInput } from '../../../../src/generated/operations.ts';
import { toJsonText } from '../../../../src/kernel/json.ts';
import {
  type At,
  attempt,
  dataFields,
  type Field,
  fieldsOf,
  listOf,
  type PreviewRecord,
  type Shown,
  type Table,
} from './at.ts';
import { CELLS, COLUMNS, MAX_CELL, ROWS } from './table-limits.ts';
import { type TableData, TablePreview } from './table-preview.tsx';
import { type Condition, MAX_COLUMNS, readTableState, type TableState } from './table-state.ts';

/** A condition of a URL for the graph. Texts are compared as the column's type. */
export const conditionOf = ({ column, is, value }: Condition): TableConditionInput =>
  is === 'empty' ? { field: column, eq: null } : { field: column, [is]: value };

/** Conditions that a view always has. */
export function viewConditions(fields: Readonly<Record<string, unknown>>): Condition[] {
  const values = listOf(fields.filter_values);
  return listOf(fields.filter_fields).map((column, at) => ({ column, is: 'eq', value: values[at] ?? '' }));
}

/** Parses records, which are JSON texts. */
export const recordsOf = (nodes: readonly unknown[]): PreviewRecord[] =>
  JSON.parse(toJsonText(nodes)) as PreviewRecord[];

/** Columns to show: the chosen ones, else those of the view, else the first ones. */
function columnsOf(table: Table, show: readonly string[], ofView: readonly string[]): Field[] {
  const fields = dataFields(table);
  const named = (ids: readonly string[]) => ids.flatMap((id) => fields.find((field) => field.id === id) ?? []);
  for (const chosen of [named(show), named(ofView)]) if (chosen.length > 0) return chosen.slice(0, MAX_COLUMNS);
  return fields.slice(0, COLUMNS);
}

async function pageOf(
  at: At,
  state: TableState,
  fixed: readonly Condition[],
  columns: readonly Field[],
): Promise<TableData> {
  const { visit, resource, view } = at;
  const limit = Number(fieldsOf(view).limit ?? ROWS.max);
  const rows = Math.min(
    Math.max(Math.floor(CELLS / Math.max(columns.length, 1)), ROWS.min),
    ROWS.max,
    at.rows,
    Math.max(limit, 1),
  );
  const conditions = [...fixed, ...state.conditions];
  const isWhole = conditions.length === 0 && state.q === '';
  const page = state.before !== '' ? { last: rows, before: state.before } : { first: rows, after: state.after || null };
  const { table } = await visit.run(
    PagePreviewRecordsDocument,
    {
      id: resource.databaseId,
      filter: conditions.map(conditionOf),
      q: state.q || null,
      fields: ['_id', ...columns.map(({ id }) => id)],
      orderBy: state.sort && [{ field: state.sort.column, direction: state.sort.descending ? 'DESC' : 'ASC' }],
      maxLength: MAX_CELL + 1,
      // Matching records are counted on the first page only. The number of all records is known.
      withTotal: !isWhole && state.after === '' && state.before === '',
      ...page,
    },
    visit.call,
  );
  const { nodes, pageInfo, totalCount } = table.records;
  const total = isWhole ? resource.table!.size.count : (totalCount ?? null);
  return { records: recordsOf(nodes), pageInfo, total };
}

/** A table with search, conditions, sort order, choice of columns, and pages. */
export async function previewTable(at: At): Promise<Shown> {
  const table = at.resource.table!;
  const state = readTableState(at.query);
  const fields = fieldsOf(at.view);
  const fixed = viewConditions(fields);
  const columns = columnsOf(table, state.show, listOf(fields.show_fields));
  const { data, fault, status } = await attempt(() => pageOf(at, state, fixed, columns));
  const content = h(TablePreview, { at, table, state, fixed, columns, data, fault });
  return { content, status, isPart: at.hasQuery };
}
