/** Converts the DataStore's wire parameters to the graph's inputs. */
import type { TableFieldInput } from '../../../src/generated/operations.ts';
import { invalidField } from '../../../src/kernel/errors.ts';
import { isObject } from '../../../src/kernel/json.ts';
import { jsonIn, jsonOr, splitAtCommas, splitUnquoted } from '../../../src/records/form/readers.ts';
import type { Raw } from '../define.ts';
import { absent, asText, type Param } from '../params.ts';
import { either, listOf, NUMBER, OBJECT, type Schema, TEXT } from '../schema.ts';

/** JSON, or (in queries) JSON text. @throws CatalogError VALIDATION, with the contract's texts */
function parsed(raw: unknown, name: string): unknown {
  if (typeof raw !== 'string') return raw;
  try {
    return jsonIn(raw);
  } catch {
    throw invalidField(name, 'Cannot parse JSON');
  }
}

const param = <T>(type: string, schema: Schema, about: string, read: Param<T>['read']): Param<T> => ({
  type,
  schema,
  required: false,
  about,
  read,
});

/** Conditions of a search. Some clients send an empty list for none. */
export const filters = (about: string): Param<unknown> =>
  param('dictionary', OBJECT, about, (raw, name) => {
    if (absent(raw)) return undefined;
    const value = parsed(raw, name);
    return Array.isArray(value) && value.length === 0 ? undefined : value;
  });

/** Conditions of a deletion, parsed strictly. */
export const exactFilters = (about: string): Param<unknown> =>
  param('dictionary', OBJECT, about, (raw) => (raw === undefined || raw === null ? undefined : raw));

/** Search words, or a dictionary of field → words, also as JSON text. */
export const words = (about: string): Param<unknown> =>
  param('string or dictionary', either(TEXT, OBJECT), about, (raw) => {
    if (raw === undefined || raw === null) return undefined;
    if (typeof raw !== 'string' || !raw.trimStart().startsWith('{')) return raw;
    return jsonOr(raw);
  });

/** Sort clauses: a list, a JSON list as text, or a text separated by commas outside double quotes. */
export const clauses = (about: string): Param<string[] | undefined> =>
  param('string', either(TEXT, listOf(TEXT)), about, (raw) => {
    if (absent(raw)) return undefined;
    const list = typeof raw === 'string' && raw.trimStart().startsWith('["') ? jsonOr(raw) : raw;
    const texts = Array.isArray(list) ? list.map(asText) : splitUnquoted(asText(raw));
    return texts.filter((text) => text.trim() !== '');
  });

const strange = (name: string, value: unknown): Error =>
  invalidField(name, `Neither a string nor a list: ${asText(value)}`);

/**
 * Items of a list, of a comma-separated text, or of JSON text; undefined when omitted.
 * @throws CatalogError VALIDATION, with the contract's texts
 */
function itemsOf(raw: unknown, name: string): unknown[] | undefined {
  if (raw === undefined || raw === null) return undefined;
  const value = typeof raw === 'string' && raw.trimStart().startsWith('[') ? parsed(raw, name) : raw;
  if (typeof value === 'string') return splitAtCommas(value).map(unquoted);
  if (!Array.isArray(value)) throw strange(name, value);
  return value;
}

/** Strips double quotes from a name, as SQL and `sort` use them. Field names never contain quotes. */
const unquoted = (name: string): string => /^"([^"]+)"$/.exec(name)?.[1] ?? name;

function textsOf(items: readonly unknown[], name: string): string[] {
  const other = items.find((item) => typeof item !== 'string');
  if (other !== undefined) throw strange(name, other);
  return (items as string[]).map(unquoted).filter((item) => item !== '');
}

/** Names: a list, a comma-separated text, or JSON text. @throws CatalogError VALIDATION, with the contract's texts */
export const names = (about: string): Param<string[] | undefined> =>
  param('list of strings', either(TEXT, listOf(TEXT)), about, (raw, name) => {
    const items = itemsOf(raw, name);
    return items && textsOf(items, name);
  });

/** Indexes, as in `names`. An item with commas, or a list, is one index over several fields (ruling 25). @throws CatalogError VALIDATION */
export const indexes = (about: string): Param<string[][] | undefined> =>
  param('list of strings', either(TEXT, listOf(either(TEXT, listOf(TEXT)))), about, (raw, name) =>
    itemsOf(raw, name)
      ?.map((item) =>
        textsOf(Array.isArray(item) ? item : typeof item === 'string' ? splitAtCommas(item) : [item], name),
      )
      .filter((fields) => fields.length > 0),
  );

/** Any whole number; the service checks its range. @throws CatalogError VALIDATION */
export const whole = (about: string): Param<number | undefined> =>
  param('int', NUMBER, about, (raw, name) => {
    if (absent(raw)) return undefined;
    const value = typeof raw === 'number' ? raw : /^\s*[+-]?\d+\s*$/.test(asText(raw)) ? Number(raw) : Number.NaN;
    if (!Number.isSafeInteger(value)) throw invalidField(name, 'Invalid integer');
    return value;
  });

/** Fields of a table. @throws CatalogError VALIDATION for anything but a list of dictionaries */
export const tableFields = (about: string): Param<TableFieldInput[] | undefined> =>
  param('list of dictionaries', listOf(OBJECT), about, (raw, name) => {
    if (raw === undefined || raw === null) return undefined;
    const list = parsed(raw, name);
    if (!Array.isArray(list) || !list.every(isObject)) throw invalidField(name, 'Must be a list of dictionaries');
    const id = list.map((field) => field.id).find((id) => id != null && typeof id !== 'string');
    if (id !== undefined) throw invalidField(name, `"${asText(id)}" is not a valid field name: it must be a string`);
    return list.map((field) => ({
      id: (field.id as string | null | undefined) ?? '',
      type: field.type === undefined || field.type === null ? null : asText(field.type),
      info: field.info,
    }));
  });

/** Records; the service validates them. */
export const tableRecords = (about: string): Param<unknown> =>
  param('list of dictionaries', listOf(OBJECT), about, (raw) => raw);

/** A new resource. @throws CatalogError VALIDATION for anything but a dictionary */
export const newResource = (about: string): Param<Raw | undefined> =>
  param('dictionary', OBJECT, about, (raw, name) => {
    if (absent(raw)) return undefined;
    const value = parsed(raw, name);
    if (!isObject(value)) throw invalidField(name, 'Must be a dictionary');
    return value;
  });

const FORMATS: Record<string, 'OBJECTS' | 'LISTS' | 'CSV' | 'TSV'> = {
  objects: 'OBJECTS',
  lists: 'LISTS',
  csv: 'CSV',
  tsv: 'TSV',
};

/** One of several words, ignoring case. @throws CatalogError VALIDATION */
export const choice = (about: string, among: readonly string[]): Param<string | undefined> =>
  param('string', { type: 'string', enum: among }, about, (raw, name) => {
    if (absent(raw)) return undefined;
    const word = asText(raw).toLowerCase();
    if (!among.includes(word)) throw invalidField(name, `Must be one of ${among.join(', ')}`);
    return word;
  });

const format = choice('Format of the records: `objects` (default), `lists`, `csv` or `tsv`.', Object.keys(FORMATS));

/** Format of records. @throws CatalogError VALIDATION */
export const recordsFormat: Param<'OBJECTS' | 'LISTS' | 'CSV' | 'TSV' | undefined> = {
  ...format,
  read: (raw, name) => FORMATS[format.read(raw, name) ?? ''],
};
