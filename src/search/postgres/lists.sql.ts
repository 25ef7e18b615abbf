/** Reads lists of words and filters. In SQL because Prisma has no tsvector, no xid8 and no aggregation to bytes. */
import type { Sql, Statement } from '../../infra/postgres/db.ts';
import type { Search } from '../engine.ts';
import { GENERATION, SETTLED } from './facets.sql.ts';
import type { RequestedLists } from './lists.ts';
import { named, Values } from './sql.ts';
import { matchText, scoreText } from './where.ts';
import type { Writing } from './writing.ts';

/** Public datasets that satisfy a match. */
export interface List {
  readonly numbers: Int32Array;
  /** Score of each, for scored lists. */
  readonly values: Float64Array | null;
  /** Rows written by this transaction or a later one may differ. */
  readonly since: string;
}

interface Answer {
  generation: string;
  since: string;
  numbers: Buffer | null;
  values: Buffer | null;
  /** Numbers of all rows examined; null on the first read. */
  written: Buffer | null;
}

/** The list, or its changes since a transaction: `written` are all rows written since, `list` those that match. */
export async function readList(
  sql: Sql,
  want: RequestedLists,
  search: Search,
  since: string | null,
): Promise<{ generation: string; list: List; written: Int32Array }> {
  const statement = listStatement(want, search, since);
  const [row] = await sql.rows<Answer>(statement, statement.values);
  const values = want.score === null ? null : valuesOf(row!.values ?? Buffer.alloc(0));
  const list = { numbers: numbersOf(row!.numbers), values, since: row!.since };
  return { generation: row!.generation, list, written: numbersOf(row!.written) };
}

/** Numbers in the format of PostgreSQL's int4send. */
export function numbersOf(bytes: Buffer | null): Int32Array {
  const numbers = new Int32Array((bytes?.length ?? 0) / 4);
  for (let i = 0; i < numbers.length; i += 1) numbers[i] = bytes!.readInt32BE(i * 4);
  return numbers;
}

function valuesOf(bytes: Buffer): Float64Array {
  const values = new Float64Array(bytes.length / 8);
  for (let i = 0; i < values.length; i += 1) values[i] = bytes.readDoubleBE(i * 8);
  return values;
}

/** The whole list, or the state of the rows written since. */
function listStatement(
  { match, score }: RequestedLists,
  { stem, siteId, timeout }: Search,
  since: string | null,
): Statement & { readonly values: unknown[] } {
  const values = new Values();
  const writing: Writing = { values, stem, siteId, joinsDataset: false, expanded: new Map(), words: new Map() };
  const fits = `s.public AND ${matchText(match, writing)}`;
  const value =
    score === null ? null : (scoreText({ scores: [score], added: [], factors: [] }, writing) ?? '0::float8');
  const columns = (isWritten: boolean) => {
    if (!isWritten) return value === null ? 'true AS fits' : `true AS fits, ${value} AS value`;
    return `(${fits}) IS TRUE AS fits${value === null ? '' : `, CASE WHEN s.public THEN ${value} END AS value`}`;
  };
  const which = since === null ? fits : `s.written >= ${values.bind(since, 'xid8')}`;
  const rows = `SELECT s.number, ${columns(since !== null)} FROM dataset_search s WHERE ${which}`;
  const text = `SELECT ${GENERATION} AS generation, ${SETTLED} AS since, string_agg(int4send(h.number), '') FILTER (WHERE h.fits) AS numbers,
    ${value === null ? 'NULL::bytea' : `string_agg(float8send(h.value), '') FILTER (WHERE h.fits)`} AS values,
    ${since === null ? 'NULL::bytea' : `string_agg(int4send(h.number), '')`} AS written FROM (${rows}) h`;
  return { ...named(text), text, timeout, values: values.list };
}
