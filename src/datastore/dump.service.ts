/** Whole tables as files, in constant memory: what PostgreSQL writes goes to the reader as fast as he reads. */
import type { Readable } from 'node:stream';
import type { Call } from '../kernel/call.ts';
import { invalidField, refuse } from '../kernel/errors.ts';
import { datastoreOf } from './connected.ts';
import { refusal } from './datastore.store.ts';
import { type DumpFormat, dumpSql } from './dump.sql.ts';
import { statementOf } from './fragment.ts';
import { planSearch, type SearchInput } from './search.plan.ts';
import { sourceOf } from './search.service.ts';

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

const FORMATS: readonly string[] = ['csv', 'tsv', 'json', 'ndjson', 'xml'] satisfies DumpFormat[];
/** ms until a reader that is too slow is cut off: a statement that goes on keeps old rows alive. */
const PATIENCE = 60 * 60 * 1000;

/** All that a search finds, in one snapshot. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION, UNAVAILABLE, before anything is written */
export async function tableDump(call: Call, { format, bom, ...input }: DumpInput): Promise<Dump> {
  const store = datastoreOf(call);
  const { source } = await sourceOf(call, input.resourceId);
  const { plan, problems } = planSearch({ ...input, limit: input.limit ?? Number.MAX_SAFE_INTEGER }, source.columns);
  refuse(problems);
  if (!FORMATS.includes(format)) throw invalidField('format', `Must be one of ${FORMATS.join(', ')}`);
  const { copy, before, after } = dumpSql(source, { ...plan, ranked: false }, format as DumpFormat, bom);
  try {
    return { before, after, rows: await store.copyOut(PATIENCE, statementOf('datastore_dump', copy).statement) };
  } catch (thrown) {
    throw refusal(thrown);
  }
}

/** Whether the caller may have it; a HEAD asks no more. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, UNAVAILABLE */
export const mayDump = async (call: Call, resourceId: string): Promise<void> => void (await sourceOf(call, resourceId));
