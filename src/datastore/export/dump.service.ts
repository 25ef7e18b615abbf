/** Streams whole tables as files in constant memory, at the reader's speed. */
import type { Readable } from 'node:stream';
import type { Sql, Statement } from '../../infra/postgres/db.ts';
import { type Call, callerOf } from '../../kernel/call.ts';
import { invalidField, refuse } from '../../kernel/errors.ts';
import { checkText } from '../../kernel/text.ts';
import { datastoreOf } from '../connected.ts';
import { statementOf } from '../fragment.ts';
import { noteRead } from '../indexes/counter.ts';
import { shapeOfSearch } from '../indexes/shape.rules.ts';
import { lockReading } from '../rows/load.sql.ts';
import { findDigits, isTooLong } from '../rows/rows.store.ts';
import { planSearch, type SearchInput, type SearchPlan } from '../rows/search.plan.ts';
import { sourceOf, targetOf } from '../rows/search.service.ts';
import type { Source } from '../rows/search.sql.ts';
import { refusal } from '../run.store.ts';
import { type DumpFormat, dumpSql } from './dump.sql.ts';
import { parquetSql } from './parquet.sql.ts';
import { parquetOf, reserveWriter } from './parquet.ts';
import { MAX_ROWS, xlsxSql } from './xlsx.sql.ts';
import { xlsxOf } from './xlsx.ts';

export type DumpInput = SearchInput & {
  readonly resourceId: string;
  readonly format: string;
  readonly bom: boolean;
};

/** A document: the text `before`, then `rows`, then the text `after`. A consumer that does not read `rows` to the end must destroy it. */
export interface Dump {
  readonly before: string;
  readonly rows: Readable;
  readonly after: string;
}

const FORMATS: readonly string[] = ['csv', 'tsv', 'json', 'ndjson', 'xml', 'xlsx', 'parquet'] satisfies (
  | DumpFormat
  | 'xlsx'
  | 'parquet'
)[];
/** ms until a slow reader is disconnected. A long-running statement prevents PostgreSQL from removing old rows. */
const TIMEOUT = 60 * 60 * 1000;

/**
 * Dumps all rows a search finds, from one snapshot. All errors are thrown before the first byte is written.
 * @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION, CONFLICT, RATE_LIMIT, UNAVAILABLE
 */
export async function tableDump(call: Call, { format, bom, ...input }: DumpInput): Promise<Dump> {
  checkText(input); // dumps bypass the graph, which checks this for its operations
  const store = datastoreOf(call);
  const { table, source } = await targetOf(call, input.resourceId);
  if (!FORMATS.includes(format)) throw invalidField('format', `Must be one of ${FORMATS.join(', ')}`);
  const copyOut: CopySource = (prepare) =>
    store.copyOut({
      caller: callerOf(call.actor),
      timeout: TIMEOUT,
      lock: table === null ? null : statementOf('datastore_dump_lock', lockReading(table)).statement,
      // Read the columns after locking: another table may have replaced this one since the request.
      prepare: async (sql) => {
        const from = await source(sql);
        const limit = input.limit ?? Number.MAX_SAFE_INTEGER;
        const { plan, problems } = planSearch({ ...input, limit }, from.columns);
        refuse(problems);
        if (table !== null && plan.conditions.length > 0) noteRead(store, table, shapeOfSearch(plan));
        return prepare(from, { ...plan, ranked: false }, sql);
      },
    });
  try {
    if (format === 'parquet') return await parquetDump(copyOut);
    return format === 'xlsx'
      ? await workbookDump(copyOut)
      : await textDump(copyOut, format as DumpFormat, {
          bom,
          numbers: call.settings['catalog.action_api.exact_numbers'],
        });
  } catch (thrown) {
    throw refusal(thrown);
  }
}

/** Runs the COPY of a prepared search. */
type CopySource = <Found extends { readonly copy: Statement }>(
  prepare: (source: Source, plan: SearchPlan, sql: Sql) => Promise<Found>,
) => Promise<Found & { rows: Readable }>;

async function textDump(copyOut: CopySource, format: DumpFormat, how: Parameters<typeof dumpSql>[3]): Promise<Dump> {
  const { before, rows, after } = await copyOut(async (source, plan) => {
    const { copy, ...around } = dumpSql(source, plan, format, how);
    return { ...around, copy: statementOf('datastore_dump', copy).statement };
  });
  return { before, rows, after };
}

/** Parquet needs the precision and scale of decimal columns before the first row, so they are measured first. */
async function parquetDump(copyOut: CopySource): Promise<Dump> {
  const free = reserveWriter();
  let copied: Readable | undefined;
  try {
    const { rows, columns } = await copyOut(async (source, plan, sql) => {
      const { copy, columns } = parquetSql(source, plan, await findDigits(sql, source, plan));
      return { columns, copy: statementOf('datastore_dump', copy).statement };
    });
    copied = rows;
    return { before: '', rows: parquetOf(rows, columns, free), after: '' };
  } catch (thrown) {
    copied?.destroy(); // no worker consumes it
    free();
    throw thrown;
  }
}

/** A worksheet has a limited number of rows, so they are counted first. */
async function workbookDump(copyOut: CopySource): Promise<Dump> {
  const { rows, head } = await copyOut(async (source, plan, sql) => {
    if (await isTooLong(sql, source, plan))
      throw invalidField('format', `A workbook has at most ${MAX_ROWS} records. Use csv or parquet, or set a limit.`);
    const { copy, head } = xlsxSql(source, plan);
    return { head, copy: statementOf('datastore_dump', copy).statement };
  });
  return { before: '', rows: xlsxOf(rows, head), after: '' };
}

/** Checks access only; enough for a HEAD request. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION, UNAVAILABLE */
export async function mayDump(call: Call, resourceId: string): Promise<void> {
  checkText({ resourceId });
  await sourceOf(call, resourceId);
}
