/** Parameter readers for wire values (ruling 9). A reader checks the form of a value, never its meaning. */
import { invalid, invalidField, type Problem } from '../../src/kernel/errors.ts';
import { asFlag, asList, asText } from '../../src/records/form/readers.ts';
import { UploadedFile } from '../shared/multipart.ts';
import { either, FLAG, listOf, NUMBER, OBJECT, ref, type Schema, TEXT } from './schema.ts';

/** A parameter: its reader and its help. `read` receives undefined when the parameter is omitted. */
export interface Param<T> {
  /** Type in words, for the help. */
  readonly type: string;
  /** Recommended form, for openapi.json; derived from the type when omitted. Readers accept more: the forms of ruling 9. */
  readonly schema?: Schema;
  readonly required: boolean;
  readonly about: string;
  readonly deprecated?: boolean;
  /** Default value, for the help; undefined when an omitted parameter has no value. */
  readonly default?: string;
  read(raw: unknown, name: string): T;
}

/** Type of a file parameter. */
export const FILE = 'file';

const SCHEMAS: Readonly<Record<string, Schema>> = {
  string: TEXT,
  bool: FLAG,
  int: NUMBER,
  'list of strings': listOf(TEXT),
  'string or list of strings': either(TEXT, listOf(TEXT)),
  'list of dictionaries': listOf(OBJECT),
  'list of tag dictionaries': listOf(ref('TagInput')),
  dictionary: OBJECT,
  'user dictionary': either(TEXT, OBJECT),
  [FILE]: { type: 'string', format: 'binary' },
};

/** Schema of a parameter with description and default. @throws Error for a type without a schema */
export function schemaOf({ type, schema = SCHEMAS[type], about, default: otherwise }: Param<unknown>): Schema {
  if (!schema) throw new Error(`a parameter of type "${type}" needs a schema`);
  const value = otherwise === undefined ? undefined : asDefault(schema, otherwise);
  return { ...schema, description: about, ...(value !== undefined && { default: value }) };
}

const asDefault = (schema: Schema, text: string): unknown =>
  schema.type === 'boolean' ? text === 'true' : schema.type === 'integer' ? Number(text) : text;

export { asFlag, asList, asText };

/** Whether a parameter was omitted, or is null or empty. */
export const absent = (raw: unknown): boolean => raw === undefined || raw === null || raw === '';

/** A text; undefined when omitted or null. A repeated query parameter counts by its last value. */
export const text = (about: string): Param<string | undefined> => ({
  type: 'string',
  required: false,
  about,
  read: (raw) => (raw === undefined || raw === null ? undefined : asText(raw)),
});

/** A boolean; undefined when omitted, so that an update leaves it unchanged. */
export const optionalFlag = (about: string): Param<boolean | undefined> => ({
  type: 'bool',
  required: false,
  about,
  read: (raw) => (absent(raw) ? undefined : asFlag(raw)),
});

/** A boolean; false when omitted, unless `otherwise` differs. */
export const flag = (about: string, otherwise = false): Param<boolean> => ({
  type: 'bool',
  required: false,
  about,
  default: String(otherwise),
  read: (raw) => (absent(raw) ? otherwise : asFlag(raw)),
});

/** Maximum of GraphQL's Int. */
const MAX_INT = 2 ** 31 - 1;

/** A whole number from `min` (0) to `max`; undefined when omitted. @throws CatalogError VALIDATION "Invalid integer" */
export const int = (about: string, min = 0, max = MAX_INT): Param<number | undefined> => ({
  type: 'int',
  schema: { type: 'integer', minimum: min },
  required: false,
  about,
  read(raw, name) {
    if (absent(raw)) return undefined;
    const value = typeof raw === 'number' ? raw : /^\s*[+-]?\d+\s*$/.test(asText(raw)) ? Number(raw) : Number.NaN;
    if (!Number.isInteger(value)) throw invalidField(name, 'Invalid integer');
    if (value > max) throw invalidField(name, `Must be at most ${max}`);
    if (value < min) throw invalidField(name, min === 0 ? 'Must be a natural number' : `Must be at least ${min}`);
    return value;
  },
});

/** A list of texts: JSON list, comma-separated text, one value, or a repeated parameter; undefined when omitted. */
export const list = (about: string): Param<string[] | undefined> => ({
  type: 'list of strings',
  required: false,
  about,
  read: (raw) => (raw === undefined || raw === null ? undefined : asList(raw)),
});

/** A file of a multipart request; undefined when omitted. By the contract, a text instead of a file is ignored. */
export const file = (about: string): Param<{ token: string; name: string } | undefined> => ({
  type: FILE,
  required: false,
  about,
  read: (raw) =>
    raw instanceof UploadedFile && raw.token !== null ? { token: raw.token, name: raw.filename } : undefined,
});

/** Makes a parameter required and not empty. @throws CatalogError VALIDATION "Missing value" */
export const required = <T>(param: Param<T | undefined>): Param<T> => ({
  ...param,
  required: true,
  read(raw, name) {
    const value = raw === '' ? undefined : param.read(raw, name);
    if (value === undefined) throw invalidField(name, 'Missing value');
    return value;
  },
});

/** Makes a parameter required; an empty text is valid and matches nothing. @throws CatalogError VALIDATION "Missing value" */
export const present = <T>(param: Param<T | undefined>): Param<T> => ({
  ...param,
  required: true,
  read(raw, name) {
    const value = param.read(raw, name);
    if (value === undefined) throw invalidField(name, 'Missing value');
    return value;
  },
});

/** A required id. An empty one has the error text of the reference. @throws CatalogError VALIDATION */
export const objectId = (param: Param<string | undefined>, object: string): Param<string> => ({
  ...present(param),
  read(raw, name) {
    if (raw === '') throw invalid([{ path: [], message: missingId(object) }]);
    return present(param).read(raw, name);
  },
});
const missingId = (object: string): string => `Missing id, can not get ${object} object`;

/** Marks a parameter as required, checked by the catalog: after permissions, and together with all other problems. */
export const needed = <T>(param: Param<T>): Param<T> => ({ ...param, required: true });

/** A required text, checked as in `needed`. Defaults to an empty text, which the catalog refuses. */
export const neededText = (about: string): Param<string> => ({
  ...needed(text(about)),
  read: (raw) => (raw === undefined || raw === null ? '' : asText(raw)),
});

/** Marks a parameter as deprecated: still accepted, and marked in help and docs. */
export const deprecated = <T>(param: Param<T>): Param<T> => ({ ...param, deprecated: true });

/**
 * A parameter of later versions that changes the stored data. It is refused, because ignoring it would do harm. An empty value, or false,
 * has no effect and is accepted.
 * @throws CatalogError VALIDATION "Not supported: `why`"
 */
export const notOffered = (why: string): Param<undefined> => ({
  type: 'anything',
  schema: {},
  required: false,
  about: `Refused: ${why}.`,
  read(raw, name) {
    const isEmpty = absent(raw) || raw === false || (Array.isArray(raw) && raw.length === 0);
    if (!isEmpty && !/^(false|\[\])$/i.test(asText(raw))) throw invalidField(name, `Not supported: ${why}`);
    return undefined;
  },
});

/**
 * Reads all parameters and reports all problems at once. Undeclared names remain in `raw`; `files` matches those of them that accept a
 * file.
 */
export function readParams(
  params: Record<string, Param<unknown>>,
  raw: Readonly<Record<string, unknown>>,
  files?: RegExp,
): Record<string, unknown> {
  const problems: Problem[] = [];
  const read: Record<string, unknown> = {};
  for (const [name, param] of Object.entries(params)) {
    try {
      read[name] = param.read(Object.hasOwn(raw, name) ? raw[name] : undefined, name);
    } catch (thrown) {
      problems.push(...((thrown as { problems?: Problem[] }).problems ?? []));
    }
  }
  for (const name of Object.keys(raw)) {
    if (raw[name] instanceof UploadedFile && params[name]?.type !== FILE && !files?.test(name))
      problems.push({ path: [name], message: 'This parameter does not accept files' });
  }
  if (problems.length > 0) throw invalid(problems);
  return read;
}
