/** Reads lists of words and filters. In SQL because Prisma has no tsvector, no xid8 and no aggregation to bytes. */
import type { Sql, Statement } from '../../infra/postgres/db.ts';
import type { Search } from '../engine.ts';
import { GENERATION, SETTLED } from './facets.sql.ts';
import type { RequestedLists } from './lists.ts';
import { named, Values } from './sql.ts';
import { matchText, scoreText } from './where.ts';
import type { Writing } from './writing.ts';

/** Datasets of a list. */
export interface Part {
  readonly numbers: Int32Array;
  /** Score of each, for scored lists. */
  readonly values: Float64Array | null;
}

/** Datasets that satisfy a match. Only searches of callers who may read them see hidden ones. */
export interface List {
  readonly public: Part;
  readonly hidden: Part;
  /** Rows written by this transaction or a later one may differ. */
  readonly since: string;
}

interface Answer {
  generation: string;
  since: string;
  numbers: Buffer | null;
  values: Buffer | null;
  hidden_numbers: Buffer | null;
  hidden_values: Buffer | null;
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
  const { generation, since: settled, numbers, values, hidden_numbers, hidden_values, written } = row!;
  const part = (items: Buffer | null, scores: Buffer | null): Part => ({
    numbers: numbersOf(items),
    values: want.score === null ? null : valuesOf(scores ?? Buffer.alloc(0)),
  });
  const list = { public: part(numbers, values), hidden: part(hidden_numbers, hidden_values), since: settled };
  return { generation, list, written: numbersOf(written) };
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
  const fits = matchText(match, writing) ?? 'false';
  const value =
    score === null ? null : (scoreText({ scores: [score], added: [], factors: [] }, writing) ?? '0::float8');
  const columns = (isWritten: boolean) => {
    if (!isWritten) return value === null ? 'true AS fits' : `true AS fits, ${value} AS value`;
    return `(${fits}) IS TRUE AS fits${value === null ? '' : `, ${value} AS value`}`;
  };
  const which = since === null ? fits : `s.written >= ${values.bind(since, 'xid8')}`;
  const rows = `SELECT s.number, s.public, ${columns(since !== null)} FROM dataset_search s WHERE ${which}`;
  const parts = (
    which: string,
    name: string,
  ) => `string_agg(int4send(h.number), '') FILTER (WHERE ${which}) AS ${name}numbers,
    ${value === null ? 'NULL::bytea' : `string_agg(float8send(h.value), '') FILTER (WHERE ${which})`} AS ${name}values`;
  const text = `SELECT ${GENERATION} AS generation, ${SETTLED} AS since, ${parts('h.fits AND h.public', '')},
    ${parts('h.fits AND NOT h.public', 'hidden_')},
    ${since === null ? 'NULL::bytea' : `string_agg(int4send(h.number), '')`} AS written FROM (${rows}) h`;
  return { ...named(text), text, timeout, values: values.list };
}
