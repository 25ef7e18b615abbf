/** Searches tables and describes a single table. */
import { readerOf } from '../../catalog/document/readable.ts';
import type { Sql } from '../../infra/postgres/db.ts';
import { type Call, callerOf } from '../../kernel/call.ts';
import { invalid, invalidField, limitAt, refuse } from '../../kernel/errors.ts';
import { JsonText } from '../../kernel/json.ts';
import { columnsOf, LISTING, readableName, readableTable } from '../access.service.ts';
import { withColumns } from '../columns.service.ts';
import { datastoreOf } from '../connected.ts';
import { noteRead } from '../indexes/counter.ts';
import { shapeOfSearch } from '../indexes/shape.rules.ts';
import { type Column, versionOf } from '../tables/fields.rules.ts';
import { listReadableTables } from '../tables/owner.sql.ts';
import { listing, measureTable } from '../tables/tables.sql.ts';
import { sizeOfRecords } from './counted.service.ts';
import { searchRows } from './rows.store.ts';
import { planSearch, type SearchInput } from './search.plan.ts';
import { extrasOf, type NumberForm, type RecordsFormat, type Source, tableSource } from './search.sql.ts';

/** A table the caller may read. */
export interface TableRecord {
  readonly resourceId: string;
  readonly columns: readonly Column[];
}

/** A page of found records. */
export interface SearchResult {
  /** The resource's id, also when the request named an alias. */
  readonly resourceId: string;
  readonly fields: readonly Column[];
  /** Records as unparsed JSON, or as lines of text for CSV and TSV. */
  readonly records: JsonText | string;
  readonly total: number | null;
  /** Null without a total. */
  readonly totalIsEstimated: boolean | null;
}

interface Input extends SearchInput {
  readonly resourceId: string;
  readonly recordsFormat?: string | null;
  readonly totalEstimationThreshold?: number | null;
}

/** Records of a table or of the listing. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION, LIMIT, CONFLICT, RATE_LIMIT, UNAVAILABLE */
export async function tableSearch(call: Call, input: Input, numbers: NumberForm = 'text'): Promise<SearchResult> {
  const store = datastoreOf(call);
  const { resourceId, table, source } = await targetOf(call, input.resourceId);
  const found =
    table === null
      ? await searchSource(call, await source(store.sql), input, numbers)
      : await withColumns(store.sql, table, (columns, version) =>
          searchSource(call, { ...tableSource(table, columns), version }, input, numbers),
        );
  call.request.records?.read(sizeOfRecords(found.records));
  return { resourceId, ...found };
}

/** The records of a search, and the version of the table. */
async function searchSource(call: Call, source: Source, input: Input, numbers: NumberForm) {
  const store = datastoreOf(call);
  const { plan, problems } = planSearch(input, source.columns);
  refuse(problems);
  const max = call.settings['catalog.datastore.max_rows'];
  if (plan.limit > max) {
    throw limitAt('limit', `Must be at most ${max} (got ${plan.limit}; catalog.datastore.max_rows)`);
  }
  const format = (input.recordsFormat ?? 'OBJECTS').toLowerCase() as RecordsFormat;
  const threshold = input.totalEstimationThreshold ?? null;
  if (threshold !== null && threshold < 0)
    throw invalidField('totalEstimationThreshold', `Must be at least 0 (got ${threshold})`);
  const { records, total, isEstimated, version } = await store.search(callerOf(call.actor), (sql) => {
    call.request.records?.begin();
    return searchRows(sql, source, plan, { format, numbers, threshold });
  });
  noteRead(store, source.table, shapeOfSearch(plan));
  const extras = extrasOf(plan, source.columns).map(({ id, type }): Column => ({ id, type, info: null }));
  return {
    fields: extras.length === 0 ? plan.columns : [...plan.columns, ...extras],
    records: format === 'csv' || format === 'tsv' ? records : new JsonText(records),
    total,
    totalIsEstimated: total === null ? null : isEstimated,
    version,
  };
}

/** A table, or the listing, that the caller may read. */
export interface SearchTarget {
  /** The resource's id, also when the request named an alias; the name of the listing. */
  readonly resourceId: string;
  /** Null for the listing. */
  readonly table: string | null;
  /** Its rows and columns. @throws CatalogError NOT_FOUND, UNAVAILABLE */
  readonly source: (sql: Sql) => Promise<Source>;
}

/** Resolves an id, alias or the listing, and checks read access. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION, UNAVAILABLE */
export async function targetOf(call: Call, id: string): Promise<SearchTarget> {
  if (id === LISTING) {
    const { actor, settings } = call;
    const ids = actor.sysadmin
      ? null
      : await listReadableTables(call.sql, readerOf(actor), !settings['catalog.datastore.hide_private']);
    return { resourceId: LISTING, table: null, source: async () => listing(ids) };
  }
  const table = await readableName(call, id);
  return { resourceId: table, table, source: async (sql) => tableSource(table, await columnsOf(sql, table)) };
}

/** Source of the rows of a table or of the listing. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION, UNAVAILABLE */
export async function sourceOf(call: Call, id: string): Promise<{ resourceId: string; source: Source }> {
  const { resourceId, source } = await targetOf(call, id);
  return { resourceId, source: await source(datastoreOf(call).sql) };
}

/** One table, by the resource's id or an alias. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, UNAVAILABLE, VALIDATION */
export async function tableShow(call: Call, id: string | null | undefined): Promise<TableRecord> {
  if (!id) throw invalid([{ path: [], message: 'Missing id, can not get Resource object' }]);
  return readableTable(call, id);
}

/** Version of a table's columns and data dictionary. */
export const versionOfTable = ({ columns }: TableRecord): number => versionOf(columns);

/** Size of a table. The figures are read on request, because those of the disk cost more than the count. */
export interface TableMeasures {
  readonly resourceId: string;
  /** Bytes of the table and of its indexes. */
  readonly disk: () => Promise<{ readonly size: number; readonly indexSize: number }>;
}

/** @throws CatalogError UNAVAILABLE */
export function sizeOf(call: Call, { resourceId }: TableRecord): TableMeasures {
  const { sql } = datastoreOf(call);
  let disk: ReturnType<TableMeasures['disk']> | undefined;
  return {
    resourceId,
    disk: () => (disk ??= measureTable(sql, resourceId)),
  };
}
