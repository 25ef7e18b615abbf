/** Validates fields of tables: names, declared or guessed types, and compatibility with the existing table. Pure. */
import { createHash } from 'node:crypto';
import type { Problem } from '../../kernel/errors.ts';

/** A field as declared by a caller. */
export interface FieldInput {
  readonly id: string;
  readonly type?: string | null;
  readonly info?: unknown;
}

/** A field of a new or growing table. The type is text for `typeText`, or an unknown word. */
export interface Field {
  readonly id: string;
  readonly type: string;
  readonly info: unknown;
}

/** An existing column. The type is PostgreSQL's own name for it, such as int4 or _text. */
export interface Column {
  readonly id: string;
  readonly type: string;
  /** Entry of the data dictionary: an object, or null. */
  readonly info: Record<string, unknown> | null;
}

/** Version of a table's columns and their entries, below 10^9. */
export const versionOf = (columns: readonly Column[]): number =>
  createHash('sha256').update(JSON.stringify(columns)).digest().readUInt32BE(0) % 1e9;

export type JsonRecord = Readonly<Record<string, unknown>>;

/** Maximum bytes of a name; PostgreSQL would truncate it. */
const MAX_NAME_LENGTH = 63;
const MAX_FIELDS = 1_500;
const maxIndexes = 500;
/** Maximum fields of one index, PostgreSQL's own limit. */
const maxIndexFields = 32;

/** Null for a valid field name, otherwise the problem. */
function nameProblem(id: string): string | null {
  if (id === '') return 'Missing value';
  if (id.startsWith('_') || id.includes('"') || id !== id.trim()) return `"${id}" is not a valid field name`;
  return Buffer.byteLength(id) > MAX_NAME_LENGTH
    ? `"${id}" is not a valid field name: at most ${MAX_NAME_LENGTH} bytes`
    : null;
}

const TYPE =
  /^(_?)([a-z][a-z0-9_]*(?: [a-z][a-z0-9_]*)*)\s*(\(\s*\d+\s*(?:,\s*\d+\s*)?\))?((?: (?:with|without) time zone)?)((?:\s*\[\d*\])*)$/;

/** Maximum characters of a type. All type names are far shorter, and matching TYPE would take very long on long input. */
const MAX_TYPE_LENGTH = 200;

/** The declared type as text for PostgreSQL; null when malformed. `nested` is an old name of json. */
export function typeOf(declared: string): string | null {
  if (declared.length > MAX_TYPE_LENGTH) return null;
  const [, prefix, word, size = '', zone = '', brackets = ''] = TYPE.exec(declared.trim().toLowerCase()) ?? [];
  if (word === undefined) return null;
  const base = word === 'nested' ? 'json' : word;
  return `${base}${size.replaceAll(/\s/g, '')}${zone}${brackets.replaceAll(/\s/g, '')}${prefix ? '[]' : ''}`;
}

/**
 * Fields of the requested table: those declared, then keys of the first record, with types guessed where none is declared. `stored` are the
 * existing columns. Declared fields must start with them, in their order.
 */
export function requestedFields(
  declared: readonly FieldInput[] | null,
  records: readonly JsonRecord[],
  stored: readonly Column[],
): { fields: Field[]; problems: Problem[] } {
  const problems: Problem[] = [];
  const fields = (declared ?? []).map(({ id, type, info }, position): Field => {
    const wrong = nameProblem(id);
    if (wrong)
      problems.push({ path: wrong === 'Missing value' ? ['fields', position, 'id'] : ['fields'], message: wrong });
    const text = type ? typeOf(type) : (stored[position]?.type ?? guessType(sample(records, id)));
    if (text === null) problems.push({ path: ['fields'], message: notAType(type!) });
    if (info != null && (typeof info !== 'object' || Array.isArray(info)))
      problems.push({ path: ['fields', position, 'info'], message: 'Must be an object' });
    return { id, type: text ?? '', info };
  });
  problems.push(...orderProblems(declared === null ? null : fields, stored));
  const known = new Set([...fields, ...stored].map(({ id }) => id));
  if (known.size < fields.length) problems.push({ path: ['fields'], message: 'Each field can occur only once' });
  for (const id of Object.keys(records[0] ?? {})) {
    if (known.has(id) || id === '_id') continue;
    const wrong = nameProblem(id);
    if (wrong) problems.push({ path: ['records'], message: wrong });
    fields.push({ id, type: guessType(sample(records, id)), info: null });
    known.add(id);
  }
  if (known.size > MAX_FIELDS) problems.push({ path: ['fields'], message: `At most ${MAX_FIELDS} fields` });
  return { fields, problems };
}

export const notAType = (declared: string): string => `"${declared}" is not a valid field type`;

function orderProblems(fields: readonly Field[] | null, stored: readonly Column[]): Problem[] {
  const at = (fields ?? []).findIndex(({ id }, position) => position < stored.length && stored[position]!.id !== id);
  if (at >= 0)
    return [{ path: ['fields'], message: `Supplied field "${fields![at]!.id}" not present or in wrong order` }];
  return [];
}

/** First non-empty value of a field. */
const sample = (records: readonly JsonRecord[], id: string): unknown =>
  records.map((record) => record[id]).find((value) => value !== null && value !== undefined);

const INTEGER = /^[+-]?(0|[1-9]\d*)$/;
const NUMBER = /^[+-]?(0|[1-9]\d*)?(\.\d+)?([eE][+-]?\d+)?$/;
const DATE =
  /^(\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])([ T]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?(Z|[+-]\d\d:?\d\d)?)?)$/;

/** Contract: an omitted type is guessed from the data. Digits after leading zeros are a code, not a number. */
function guessType(value: unknown): string {
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int4' : 'float8';
  if (typeof value === 'object' && value !== null) return 'json';
  if (typeof value !== 'string' || value === '') return 'text';
  if (INTEGER.test(value)) return Math.abs(Number(value)) < 2 ** 31 ? 'int4' : 'numeric';
  if (NUMBER.test(value)) return 'numeric';
  return DATE.test(value) && !Number.isNaN(Date.parse(value.replace(' ', 'T'))) && sameDay(value)
    ? 'timestamp'
    : 'text';
}

/** Rejects dates such as 30 February. */
const sameDay = (value: string): boolean =>
  new Date(`${value.slice(0, 10)}T00:00:00Z`).toISOString().startsWith(value.slice(0, 10));

/** Problem of a resource id as a table name; null when it is valid. */
export const tableProblem = (resourceId: string): string | null =>
  nameProblem(resourceId) === null
    ? null
    : `The id is not a valid table name: use at most ${MAX_NAME_LENGTH} bytes, no "_" at the start, no double quote, no space at either end`;

/** Checks names of aliases and of key columns. */
export function aliasProblems(aliases: readonly string[]): Problem[] {
  return aliases.flatMap((alias) => {
    const wrong = nameProblem(alias);
    return wrong === null ? [] : [{ path: ['aliases'], message: `"${alias}" is not a valid alias name` }];
  });
}

/** Aliases already used by a table, another table's alias, or a resource that may get a table later. */
export const takenProblems = (aliases: readonly string[]): Problem[] =>
  aliases.map((alias) => ({ path: ['aliases'], message: `The alias "${alias}" already exists.` }));

/** Problems of requested indexes: unknown columns (each quoted as sent), or too many. At most ten. */
export function indexProblems(indexes: readonly (readonly string[])[], known: readonly string[]): Problem[] {
  if (indexes.length > maxIndexes)
    return [{ path: ['indexes'], message: `At most ${maxIndexes} indexes (got ${indexes.length})` }];
  const columns = new Set(known);
  const messages = indexes.flatMap((index) => {
    if (index.some((id) => !columns.has(id))) return [`The field "${index.join(',')}" is not a valid column name.`];
    return index.length > maxIndexFields ? [`At most ${maxIndexFields} fields in an index (got ${index.length})`] : [];
  });
  return messages.slice(0, 10).map((message) => ({ path: ['indexes'], message }));
}

/** Problems of the fields of a primary key. */
export function keyFieldProblems(key: readonly string[], known: readonly string[]): Problem[] {
  const columns = new Set(known);
  if (key.some((id) => !columns.has(id)))
    return [{ path: ['primaryKey'], message: `The field "${listed(key)}" is not a valid column name.` }]; // as the contract records
  return key.length > maxIndexFields
    ? [{ path: ['primaryKey'], message: `At most ${maxIndexFields} fields in a key (got ${key.length})` }]
    : [];
}

/** Names in the list format of the contract's messages. */
export const listed = (names: readonly string[]): string => `[${names.map((name) => `'${name}'`).join(', ')}]`;
