/** Records: what is wrong with them, and how they are put together so that one statement can write many. Pure. */
import type { Problem } from '../../kernel/errors.ts';
import type { Column, JsonRecord } from '../tables/fields.rules.ts';

export type Method = 'upsert' | 'insert' | 'update';
export const METHODS: readonly Method[] = ['upsert', 'insert', 'update'];

/** What is wrong with the form of records. */
export function recordsOf(given: unknown): { records: JsonRecord[]; problems: Problem[] } {
  if (given === null || given === undefined) return { records: [], problems: [] };
  const list = Array.isArray(given) ? given : [given];
  const at = list.findIndex((record) => typeof record !== 'object' || record === null || Array.isArray(record));
  const whole = Array.isArray(given) && at < 0;
  const message =
    at === 0 || !Array.isArray(given) ? 'The first row is not a json object' : `row "${at}" is not a json object`;
  return whole ? { records: list, problems: [] } : { records: [], problems: [{ path: ['records'], message }] };
}

/** Keys that the table has no column for; the first record that has any is told. */
export function extraKeys(records: readonly JsonRecord[], columns: readonly Column[], method: Method): Problem[] {
  const known = new Set(columns.map(({ id }) => id));
  known.delete('_id');
  for (const [place, record] of records.entries()) {
    const strange = Object.keys(record).filter((key) => !known.has(key));
    if (strange.length === 0) continue;
    return method === 'insert'
      ? [{ path: ['records'], message: `row "${place + 1}" has extra keys "${strange.join(', ')}"` }]
      : [{ path: ['fields'], message: `fields "${strange.join(', ')}" do not exist` }];
  }
  return [];
}

/** Upserts and updates go by the table's key, which every record must have. */
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

/** Records that one statement writes: all have values for the same columns, and no two the same key. */
export interface Batch {
  readonly columns: readonly Column[];
  readonly records: readonly JsonRecord[];
}

/** The most records of one statement. */
const LARGEST = 5_000;
const ROUNDED = new Set(['int2', 'int4', 'int8']);

/** Types that have an empty text among their values, or (JSON) take it as it is. */
const MAY_BE_EMPTY = new Set(['text', 'varchar', 'bpchar', 'name', 'citext', 'bytea', 'tsvector', 'json', 'jsonb']);

/** What `""` means where the type has no such value (catalog.action_api.empty_numbers). */
export type EmptyValues = 'refuse' | 'null';

/** Records in their order as few batches; a record without a column leaves it alone, or (insert) null. */
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

/** As recorded, numbers are rounded where the column takes whole ones. */
function rounded(record: JsonRecord, columns: readonly Column[]): JsonRecord {
  const fractions = columns.filter(
    ({ id, type }) => ROUNDED.has(type) && typeof record[id] === 'number' && !Number.isInteger(record[id]),
  );
  if (fractions.length === 0) return record;
  const whole = (value: number): number => Math.sign(value) * Math.round(Math.abs(value));
  return { ...record, ...Object.fromEntries(fractions.map(({ id }) => [id, whole(record[id] as number)])) };
}

/** Null for `""` in these columns. */
function withNulls(record: JsonRecord, columns: readonly Column[], nullable: ReadonlySet<Column>): JsonRecord {
  const empty = nullable.size === 0 ? [] : columns.filter((column) => record[column.id] === '' && nullable.has(column));
  return empty.length === 0 ? record : { ...record, ...Object.fromEntries(empty.map(({ id }) => [id, null])) };
}
