/** Groups of a table's records and their figures, as a connection. Callers have checked read access to the table. */
import { createHash } from 'node:crypto';
import type { Sql } from '../../infra/postgres/db.ts';
import { type Call, callerOf } from '../../kernel/call.ts';
import { type Connection, connection, keyset, type PageArgs, withNodes } from '../../kernel/connection.ts';
import { refuse } from '../../kernel/errors.ts';
import { datastoreOf } from '../connected.ts';
import { noteRead } from '../indexes/counter.ts';
import { shapeOfGroups } from '../indexes/shape.rules.ts';
import { keyOfRequest, storedResult, type Versioned } from '../results.service.ts';
import { hasClockWord } from '../statement/statement.clock.ts';
import { type AggregateInput, type AggregatePlan, planAggregate } from './aggregate.plan.ts';
import { planned, readKey } from './rows.service.ts';
import { countGroups, type GroupRow, listGroups } from './rows.store.ts';
import type { FieldCondition } from './search.plan.ts';
import type { TableRecord } from './search.service.ts';

export interface AggregateArgs extends AggregateInput, PageArgs {
  readonly filter?: readonly FieldCondition[] | null;
}

export interface TableGroupRecord {
  readonly key: {
    readonly field: string;
    readonly value: string | null;
    readonly from: string | null;
    readonly to: string | null;
  }[];
  readonly count: number;
  readonly figures: {
    readonly figure: AggregatePlan['figures'][number]['figure'];
    readonly field: string | null;
    readonly value: string | null;
  }[];
}

export interface TableGroupPage extends Connection<TableGroupRecord> {
  /** Bytes of its groups, about. */
  readonly size: number;
}

/** A page of groups. @throws CatalogError VALIDATION, LIMIT, CONFLICT, RATE_LIMIT, UNAVAILABLE */
export async function tableAggregate(call: Call, table: TableRecord, args: AggregateArgs): Promise<TableGroupPage> {
  const store = datastoreOf(call);
  const caller = callerOf(call.actor);
  const { source, plan: rows } = planned(table, { conditions: args.filter });
  const { plan, problems } = planAggregate(args, table.columns);
  refuse(problems);
  const page = keyset(args, ['string'], call.settings['catalog.limits.rows'], markOf(plan));
  const start = { from: readKey(page, plan.orderBy.length), backward: page.backward };
  const { filter, groupBy, figures, having, orderBy } = args;
  const requested = [filter, groupBy, figures, having, orderBy, page.limit, start];
  const own = [table.resourceId, table.columns.map(({ id, type }) => [id, type])];
  const isTimeless = !hasClockWord(JSON.stringify(requested, (name, value) => (name === 'field' ? undefined : value)));
  /** Runs a statement, unless its result is stored. */
  const once = <Found>(of: string, read: (sql: Sql) => Promise<Versioned<Found>>): Promise<Found> =>
    storedResult(store, new Set([table.resourceId]), isTimeless ? keyOfRequest([of, own, requested]) : null, () =>
      store.search(caller, (sql) => {
        call.request.records?.begin();
        return read(sql);
      }),
    );
  const { groups, size } = await once('groups', async (sql) => {
    const { version, ...result } = await listGroups(sql, source, rows, plan, page.limit + 1, start);
    return { result, version };
  });
  call.request.records?.read(size);
  noteRead(store, source.table, shapeOfGroups(rows, plan));
  const found = connection(
    groups,
    page,
    ({ key }) => [JSON.stringify(key)],
    () =>
      once('count of groups', async (sql) => {
        const { n, version } = await countGroups(sql, source, rows, plan);
        return { result: n, version };
      }),
  );
  return Object.assign(
    withNodes(found, (group) => recordOf(plan, group)),
    { size },
  );
}

const recordOf = (plan: AggregatePlan, { count, keys, figures }: GroupRow): TableGroupRecord => ({
  count,
  key: keys.map(([value, from, to], at) => ({ field: plan.keys[at]!.column.id, value: textOf(value), from, to })),
  figures: figures.map((value, at) => {
    const { figure, column } = plan.figures[at]!;
    return { figure, field: column?.id ?? null, value: textOf(value) };
  }),
});

const textOf = (value: unknown): string | null =>
  value === null || typeof value === 'string' ? value : JSON.stringify(value);

/** Distinguishes the cursors of different groups and sort orders. */
function markOf({ keys, figures, orderBy }: AggregatePlan): string {
  const order = orderBy.map(({ of, at, descending }) => [of === 'key' ? keys[at] : figures[at], descending]);
  const columns = (key: string, value: unknown) => (key === 'column' ? (value as { id: string } | null)?.id : value);
  return createHash('sha1').update(JSON.stringify(order, columns)).digest('base64url').slice(0, 10);
}
