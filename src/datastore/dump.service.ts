/** Whole tables as files, in constant memory: what PostgreSQL writes goes to the reader as fast as he reads. */
import type { Readable } from 'node:stream';
import type { Call } from '../kernel/call.ts';
import type { Datastore } from '../kernel/datastore.ts';
import { invalidField, refuse } from '../kernel/errors.ts';
import { datastoreOf } from './connected.ts';
import { type DumpFormat, dumpSql } from './dump.sql.ts';
import { statementOf } from './fragment.ts';
import type { ParquetColumn } from './parquet.program.ts';
import { parquetSql } from './parquet.sql.ts';
import { parquetOf, reserveThread } from './parquet.thread.ts';
import { findDigits } from './rows.store.ts';
import { refusal } from './run.store.ts';
import { planSearch, type SearchInput, type SearchPlan } from './search.plan.ts';
import { sourceOf } from './search.service.ts';
import type { Source } from './search.sql.ts';

export type DumpInput = SearchInput & {
  readonly resourceId: string;
  readonly format: string;
  readonly bom: boolean;
};

/** A document: `rows` between two texts. Whoever does not read `rows` to the end destroys it. */
export interface Dump {
  readonly before: string;
  readonly rows: Readable;
  readonly after: string;
}

const FORMATS: readonly string[] = ['csv', 'tsv', 'json', 'ndjson', 'xml', 'parquet'] satisfies (
  | DumpFormat
  | 'parquet'
)[];
/** ms until a reader that is too slow is cut off: a statement that goes on keeps old rows alive. */
const PATIENCE = 60 * 60 * 1000;

/** All that a search finds, in one snapshot. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION, UNAVAILABLE, before anything is written */
export async function tableDump(call: Call, { format, bom, ...input }: DumpInput): Promise<Dump> {
  const store = datastoreOf(call);
  const { source } = await sourceOf(call, input.resourceId);
  const { plan, problems } = planSearch({ ...input, limit: input.limit ?? Number.MAX_SAFE_INTEGER }, source.columns);
  refuse(problems);
  if (!FORMATS.includes(format)) throw invalidField('format', `Must be one of ${FORMATS.join(', ')}`);
  const whole = { ...plan, ranked: false };
  try {
    if (format === 'parquet') return { before: '', after: '', rows: await parquetDump(store, source, whole) };
    const { copy, before, after } = dumpSql(source, whole, format as DumpFormat, bom);
    const { statement } = statementOf('datastore_dump', copy);
    return { before, after, rows: await store.copyOut(PATIENCE, async () => statement) };
  } catch (thrown) {
    throw refusal(thrown);
  }
}

/** Decimal numbers need to be looked at first: how many digits they have is a part of their type. */
async function parquetDump(store: Datastore, source: Source, plan: SearchPlan): Promise<Readable> {
  const free = reserveThread();
  let columns: readonly ParquetColumn[] = [];
  try {
    const rows = await store.copyOut(PATIENCE, async (sql) => {
      const made = parquetSql(source, plan, await findDigits(sql, source, plan));
      columns = made.columns;
      return statementOf('datastore_dump', made.copy).statement;
    });
    return parquetOf(rows, columns, free);
  } catch (thrown) {
    free();
    throw thrown;
  }
}

/** Whether the caller may have it; a HEAD asks no more. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, UNAVAILABLE */
export const mayDump = async (call: Call, resourceId: string): Promise<void> => void (await sourceOf(call, resourceId));
