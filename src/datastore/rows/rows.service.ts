/** Table rows for the graph: records by keyset pagination, and aggregates by group. Callers have checked read access to the table. */
import { type Call, callerOf } from '../../kernel/call.ts';
import { type Connection, connection, type Keyset, keyset, type PageArgs, position } from '../../kernel/connection.ts';
import { invalidField, refuse } from '../../kernel/errors.ts';
import type { JsonText } from '../../kernel/json.ts';
import { datastoreOf } from '../connected.ts';
import type { Column } from '../tables/fields.rules.ts';
import { FIGURES, type Figure, type Figures, type RowKey } from './rows.sql.ts';
import { countFound, listGroups, listPage, type TableGroupRecord } from './rows.store.ts';
import { type FieldCondition, planSearch, type SearchPlan } from './search.plan.ts';
import type { TableRecord } from './search.service.ts';
import { type Source, tableSource } from './search.sql.ts';

export interface OrderInput {
  readonly field: string;
  readonly descending?: boolean | null;
}

/** A page of records. */
export type RecordConnection = Connection<JsonText>;

export interface RecordsArgs extends PageArgs {
  readonly filter?: readonly FieldCondition[] | null;
  readonly q?: string | null;
  readonly fields?: readonly string[] | null;
  readonly orderBy?: readonly OrderInput[] | null;
}

/** A page of records. @throws CatalogError VALIDATION, LIMIT, CONFLICT, RATE_LIMIT, UNAVAILABLE */
export async function tableRecords(call: Call, table: TableRecord, args: RecordsArgs): Promise<RecordConnection> {
  const store = datastoreOf(call);
  const caller = callerOf(call.actor);
  const page = keyset(args, ['string'], call.settings['catalog.limits.rows']);
  const { source, plan } = planned(table, { conditions: args.filter, q: args.q, fields: args.fields });
  const orderBy = (args.orderBy ?? []).map(({ field, descending }) => ({
    column: columnOf(table, 'orderBy', field),
    descending: descending ?? false,
    nulls: null,
  }));
  const { limit, backward } = page;
  const from = page.from === null ? null : readKey(page, orderBy.length + 1);
  const rows = await store.search(caller, (sql) =>
    listPage(sql, source, { ...plan, orderBy, limit: limit + 1 }, { from, backward }),
  );
  const found = connection(
    rows,
    page,
    ({ key }) => [JSON.stringify(key)],
    () => store.search(caller, (sql) => countFound(sql, source, plan)),
  );
  return {
    ...found,
    nodes: found.nodes.map(({ record }) => record),
    edges: found.edges.map(({ cursor, node }) => ({ cursor, node: node.record })),
  };
}

/** Decodes the key in a cursor. @throws CatalogError VALIDATION when the cursor belongs to another sort order */
function readKey({ from, backward }: Keyset, length: number): RowKey {
  try {
    const key: unknown = JSON.parse(String(from![0]));
    const fits = (part: unknown, place: number) =>
      place === length - 1
        ? typeof part === 'string' && /^\d{1,10}$/.test(part)
        : part === null || typeof part === 'string';
    if (Array.isArray(key) && key.length === length && key.every(fits)) return key;
  } catch {
    // the error below covers it
  }
  throw invalidField(backward ? 'before' : 'after', 'Not a valid cursor for this order');
}

export interface AggregateArgs extends Partial<Readonly<Record<Figure, readonly string[] | null>>> {
  readonly groupBy?: readonly string[] | null;
  readonly filter?: readonly FieldCondition[] | null;
  readonly limit?: number | null;
}

/** Types with sums and means. `min` and `max` accept every type with a sort order. */
const NUMBERS = new Set(['int2', 'int4', 'int8', 'float4', 'float8', 'numeric', 'money', 'interval']);
const UNORDERED = new Set(['bool', 'json', 'jsonb']);
const FITS: Readonly<Record<Figure, (column: Column) => boolean>> = {
  sum: ({ type }) => NUMBERS.has(type),
  avg: ({ type }) => NUMBERS.has(type) && type !== 'money',
  min: ({ type }) => !UNORDERED.has(type),
  max: ({ type }) => !UNORDERED.has(type),
};

/** Aggregates per group. @throws CatalogError VALIDATION, LIMIT, CONFLICT, RATE_LIMIT, UNAVAILABLE */
export async function tableAggregate(call: Call, table: TableRecord, args: AggregateArgs): Promise<TableGroupRecord[]> {
  const store = datastoreOf(call);
  const { limit } = position(args, call.settings['catalog.limits.rows']);
  const { source, plan } = planned(table, { conditions: args.filter });
  const columns = (which: string, ids: readonly string[] | null | undefined): Column[] =>
    [...new Set(ids ?? [])].map((id) => columnOf(table, which, id));
  const figures = Object.fromEntries(
    FIGURES.map((figure) => [figure, columns(figure, args[figure])]),
  ) as unknown as Figures;
  for (const figure of FIGURES)
    for (const column of figures[figure])
      if (!FITS[figure](column))
        throw invalidField(figure, `"${column.id}" is of type ${column.type}, which does not support ${figure}`);
  const groupBy = columns('groupBy', args.groupBy);
  return store.search(callerOf(call.actor), (sql) => listGroups(sql, source, { ...plan, limit }, groupBy, figures));
}

function planned(table: TableRecord, input: Parameters<typeof planSearch>[0]): { source: Source; plan: SearchPlan } {
  const { plan, problems } = planSearch(input, table.columns);
  refuse(
    problems.map((problem) => ({
      ...problem,
      path: problem.path.map((step) => (step === 'filters' ? 'filter' : step)),
    })),
  );
  return { source: tableSource(table.resourceId, table.columns), plan };
}

function columnOf({ columns }: TableRecord, argument: string, id: string): Column {
  const column = columns.find((one) => one.id === id);
  if (!column) throw invalidField(argument, `invalid value "${id}"`);
  return column;
}
