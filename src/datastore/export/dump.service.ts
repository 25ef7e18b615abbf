/** Whole tables as files, in constant memory: what PostgreSQL writes goes to the reader as fast as he reads. */
import type { Readable } from 'node:stream';
import type { Sql, Statement } from '../../infra/postgres/db.ts';
import { type Call, callerOf } from '../../kernel/call.ts';
import { invalidField, refuse } from '../../kernel/errors.ts';
import { checkText } from '../../kernel/text.ts';
import { datastoreOf } from '../connected.ts';
import { statementOf } from '../fragment.ts';
import { lockReading } from '../rows/load.sql.ts';
import { findDigits } from '../rows/rows.store.ts';
import { planSearch, type SearchInput, type SearchPlan } from '../rows/search.plan.ts';
import { placeOf, sourceOf } from '../rows/search.service.ts';
import type { Source } from '../rows/search.sql.ts';
import { refusal } from '../run.store.ts';
import { type DumpFormat, dumpSql } from './dump.sql.ts';
import { parquetSql } from './parquet.sql.ts';
import { parquetOf, reserveWriter } from './parquet.ts';

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
const TIMEOUT = 60 * 60 * 1000;

/** All that a search finds, in one snapshot. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION, CONFLICT, RATE_LIMIT, UNAVAILABLE, before anything is written */
export async function tableDump(call: Call, { format, bom, ...input }: DumpInput): Promise<Dump> {
  checkText(input); // what the graph does for its operations: this is none
  const store = datastoreOf(call);
  const { table, source } = await placeOf(call, input.resourceId);
  if (!FORMATS.includes(format)) throw invalidField('format', `Must be one of ${FORMATS.join(', ')}`);
  const copyOut: CopySource = (prepare) =>
    store.copyOut({
      caller: callerOf(call.actor),
      timeout: TIMEOUT,
      lock: table === null ? null : statementOf('datastore_dump_lock', lockReading(table)).statement,
      // Columns are those that the locked table has: another one may have taken its place since it was asked for.
      prepare: async (sql) => {
        const from = await source(sql);
        const limit = input.limit ?? Number.MAX_SAFE_INTEGER;
        const { plan, problems } = planSearch({ ...input, limit }, from.columns);
        refuse(problems);
        return prepare(from, { ...plan, ranked: false }, sql);
      },
    });
  try {
    return format === 'parquet'
      ? await parquetDump(copyOut)
      : await textDump(copyOut, format as DumpFormat, {
          bom,
          numbers: call.settings['catalog.action_api.exact_numbers'],
        });
  } catch (thrown) {
    throw refusal(thrown);
  }
}

/** Copies what is asked for, once a statement was made of it. */
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

/** Decimal numbers need to be looked at first: how many digits they have is a part of their type. */
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
    copied?.destroy(); // no program reads it
    free();
    throw thrown;
  }
}

/** Whether the caller may have it; a HEAD asks no more. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION, UNAVAILABLE */
export async function mayDump(call: Call, resourceId: string): Promise<void> {
  checkText({ resourceId });
  await sourceOf(call, resourceId);
}
