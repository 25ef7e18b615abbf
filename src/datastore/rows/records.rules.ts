/** Validates records and groups them into batches, so that one statement writes many. Pure. */
import type { Problem } from '../../kernel/errors.ts';
import type { Column, JsonRecord } from '../tables/fields.rules.ts';

export type Method = 'upsert' | 'insert' | 'update';
export const METHODS: readonly Method[] = ['upsert', 'insert', 'update'];

/** Checks the form of records. */
export function recordsOf(given: unknown): { records: JsonRecord[]; problems: Problem[] } {
  if (given === null || given === undefined) return { records: [], problems: [] };
  const list = Array.isArray(given) ? given : [given];
  const at = list.findIndex((record) => typeof record !== 'object' || record === null || Array.isArray(record));
  const whole = Array.isArray(given) && at < 0;
  const message =
    at === 0 || !Array.isArray(given) ? 'The first row is not a json object' : `row "${at}" is not a json object`;
  return whole ? { records: list, problems: [] } : { records: [], problems: [{ path: ['records'], message }] };
}

/** Reports keys that have no column, for the first record that has any. */
export function extraKeys(records: readonly JsonRecord[], columns: readonly Column[], method: Method): Problem[] {
  const known = new Set(columns.map(({ id }) => id));
  known.delete('_id');
  for (const [index, record] of records.entries()) {
    const strange = Object.keys(record).filter((key) => !known.has(key));
    if (strange.length === 0) continue;
    return method === 'insert'
      ? [{ path: ['records'], message: `row "${index + 1}" has extra keys "${strange.join(', ')}"` }]
      : [{ path: ['fields'], message: `fields "${strange.join(', ')}" do not exist` }];
  }
  return [];
}

/** Upserts and updates use the table's key, so every record must have it. */
export function keyProblems(records: readonly JsonRecord[], key: readonly string[]): Problem[] {
  if (key.length === 0) return [{ path: ['table'], message: 'table does not have a unique key defined' }];
  const missing = key.filter((id) => records.some((record) => !Object.hasOwn(record, id)));
  return missing.length === 0
    ? []
    : [
        {
          path: ['key'],
          message: `fields "${missing.join(', ')}" are missing\n                        but needed as key`,
        },
      ];
}

/** Records that one statement writes: all have the same columns, and no two have the same key. */
export interface Batch {
  readonly columns: readonly Column[];
  readonly records: readonly JsonRecord[];
}

/** Maximum records per statement. */
const LARGEST = 5_000;
const ROUNDED = new Set(['int2', 'int4', 'int8']);

/** Types that accept the empty text, or (JSON) store it unchanged. */
const MAY_BE_EMPTY = new Set(['text', 'varchar', 'bpchar', 'name', 'citext', 'bytea', 'tsvector', 'json', 'jsonb']);

/** Meaning of `""` for types without an empty value (catalog.action_api.empty_numbers). */
export type EmptyValues = 'refuse' | 'null';

/** Groups records in order into few batches. A missing key leaves the column unchanged, or inserts null. */
export function batches(
  records: readonly JsonRecord[],
  columns: readonly Column[],
  key: readonly string[],
  method: Method,
  emptyValues: EmptyValues,
): Batch[] {
  const own = columns.filter(({ id }) => id !== '_id');
  const found: { columns: Column[]; records: JsonRecord[]; shape: string; keys: Set<string> }[] = [];
  const all = method === 'insert' ? own.filter(({ id }) => records.some((record) => Object.hasOwn(record, id))) : own;
  const nullable = new Set(emptyValues === 'null' ? own.filter(({ type }) => !MAY_BE_EMPTY.has(type)) : []);
  const clean = (record: JsonRecord, given: readonly Column[]) => withNulls(rounded(record, given), given, nullable);
  for (const record of records) {
    const given = method === 'insert' ? all : own.filter(({ id }) => Object.hasOwn(record, id));
    const shape = method === 'insert' ? '' : JSON.stringify(given.map(({ id }) => id));
    const name = method === 'insert' ? null : JSON.stringify(key.map((id) => record[id]));
    const last = found.at(-1);
    if (last && last.shape === shape && last.records.length < LARGEST && !(name !== null && last.keys.has(name))) {
      last.records.push(clean(record, given));
      if (name !== null) last.keys.add(name);
    } else {
      found.push({
        columns: given,
        records: [clean(record, given)],
        shape,
        keys: new Set(name === null ? [] : [name]),
      });
    }
  }
  return found;
}

/** Numbers for integer columns are rounded, as the contract records. */
function rounded(record: JsonRecord, columns: readonly Column[]): JsonRecord {
  const fractions = columns.filter(
    ({ id, type }) => ROUNDED.has(type) && typeof record[id] === 'number' && !Number.isInteger(record[id]),
  );
  if (fractions.length === 0) return record;
  const whole = (value: number): number => Math.sign(value) * Math.round(Math.abs(value));
  return { ...record, ...Object.fromEntries(fractions.map(({ id }) => [id, whole(record[id] as number)])) };
}

/** Replaces `""` by null in these columns. */
function withNulls(record: JsonRecord, columns: readonly Column[], nullable: ReadonlySet<Column>): JsonRecord {
  const empty = nullable.size === 0 ? [] : columns.filter((column) => record[column.id] === '' && nullable.has(column));
  return empty.length === 0 ? record : { ...record, ...Object.fromEntries(empty.map(({ id }) => [id, null])) };
}
