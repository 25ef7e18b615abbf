/** Records of tables for the graph, by keyset pagination. Callers have checked read access to the table. */
import { type Call, callerOf } from '../../kernel/call.ts';
import {
  type Connection,
  connection,
  invalidCursor,
  type Keyset,
  keyset,
  type PageArgs,
  withNodes,
} from '../../kernel/connection.ts';
import { invalidField, refuse } from '../../kernel/errors.ts';
import type { JsonText } from '../../kernel/json.ts';
import { datastoreOf } from '../connected.ts';
import { noteRead } from '../indexes/counter.ts';
import { shapeOfSearch } from '../indexes/shape.rules.ts';
import type { Column } from '../tables/fields.rules.ts';
import { sizeOfRecords } from './counted.service.ts';
import type { RowKey } from './rows.sql.ts';
import { countFound, listPage } from './rows.store.ts';
import { type FieldCondition, planSearch, type SearchPlan } from './search.plan.ts';
import type { TableRecord } from './search.service.ts';
import { type Source, tableSource } from './search.sql.ts';

export interface OrderInput {
  readonly field: string;
  readonly direction?: 'ASC' | 'DESC' | null;
}

/** A page of records. */
export interface RecordConnection extends Connection<JsonText> {
  /** Bytes of its records and their keys. */
  readonly size: number;
}

export interface RecordsArgs extends PageArgs {
  readonly filter?: readonly FieldCondition[] | null;
  readonly q?: string | null;
  readonly fields?: readonly string[] | null;
  readonly orderBy?: readonly OrderInput[] | null;
  /** Maximum characters of each value. */
  readonly maxLength?: number | null;
}

/** Upper limit of `maxLength`. */
const MAX_LENGTH = 1_000_000;
/** Each sort key is a level of the condition that finds the start of a page. */
const MAX_ORDERS = 32;

/** A page of records. @throws CatalogError VALIDATION, LIMIT, CONFLICT, RATE_LIMIT, UNAVAILABLE */
export async function tableRecords(call: Call, table: TableRecord, args: RecordsArgs): Promise<RecordConnection> {
  const store = datastoreOf(call);
  const caller = callerOf(call.actor);
  const page = keyset(args, ['string'], call.settings['catalog.limits.rows']);
  const { source, plan } = planned(table, { conditions: args.filter, q: args.q, fields: args.fields });
  const sortKeys = args.orderBy?.length ?? 0;
  if (sortKeys > MAX_ORDERS) throw invalidField('orderBy', `At most ${MAX_ORDERS} sort keys (got ${sortKeys})`);
  const orderBy = (args.orderBy ?? []).map(({ field, direction }) => ({
    column: columnOf(table, 'orderBy', field),
    descending: direction === 'DESC',
    nulls: null,
  }));
  const maxLength = args.maxLength ?? null;
  if (maxLength !== null && (maxLength < 1 || maxLength > MAX_LENGTH))
    throw invalidField('maxLength', `Must be between 1 and ${MAX_LENGTH} (got ${maxLength})`);
  const { limit, backward } = page;
  const from = rowKey(page, orderBy.length + 1);
  const rows = await store.search(caller, (sql) => {
    call.request.records?.begin();
    return listPage(sql, source, { ...plan, orderBy, limit: limit + 1 }, { from, backward, maxLength });
  });
  const size = sizeOfRecords(rows.flatMap(({ key, record }) => [...key, record]));
  call.request.records?.read(size);
  noteRead(store, source.table, shapeOfSearch({ ...plan, orderBy }));
  const found = connection(
    rows,
    page,
    ({ key }) => [JSON.stringify(key)],
    async () => (await store.search(caller, (sql) => countFound(sql, source, plan))).total,
  );
  return Object.assign(
    withNodes(found, ({ record }) => record),
    { size },
  );
}

/** The key of a record: values, then its `_id`. Null without a cursor. @throws CatalogError VALIDATION */
function rowKey(page: Keyset, length: number): RowKey | null {
  const key = readKey(page, length);
  if (key === null || /^\d{1,10}$/.test(key.at(-1) ?? '')) return key;
  throw invalidCursor(page, 'order');
}

/** Decodes the key in a cursor; null without one. @throws CatalogError VALIDATION when the cursor belongs to another sort order */
export function readKey(page: Keyset, length: number): RowKey | null {
  if (page.from === null) return null;
  try {
    const key: unknown = JSON.parse(String(page.from[0]));
    const fits = (part: unknown) => part === null || typeof part === 'string';
    if (Array.isArray(key) && key.length === length && key.every(fits)) return key;
  } catch {
    // the error below covers it
  }
  throw invalidCursor(page, 'order');
}

/** The filter of a request as a plan of rows. @throws CatalogError VALIDATION */
export function planned(
  table: TableRecord,
  input: Parameters<typeof planSearch>[0],
): { source: Source; plan: SearchPlan } {
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
