/** Readers of wire values (ruling 9). A reader knows the wire's form of a value, never its meaning. */
import { invalid, type Problem } from '../../src/kernel/errors.ts';
import { UploadedFile } from '../shared/multipart.ts';
import { asFlag, asList, asText } from '../shared/wire/readers.ts';
import { either, FLAG, listOf, NUMBER, OBJECT, ref, type Schema, TEXT } from './schema.ts';

/** How one parameter is read, and what the help says of it. `read` gets undefined when the parameter was left out. */
export interface Param<T> {
  /** In words, for the help. */
  readonly type: string;
  /** What clients should send, for openapi.json; what the type says when left out. Readers take more: ruling 9's forms. */
  readonly schema?: Schema;
  readonly required: boolean;
  readonly about: string;
  readonly deprecated?: boolean;
  /** What is taken when the parameter is left out, for the help; undefined where leaving it out means no value. */
  readonly default?: string;
  read(raw: unknown, name: string): T;
}

/** Type of a parameter that takes a file. */
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

/** The schema of a parameter with its meaning and default. @throws Error for a type that has none */
export function schemaOf({ type, schema = SCHEMAS[type], about, default: otherwise }: Param<unknown>): Schema {
  if (!schema) throw new Error(`a parameter of type "${type}" needs a schema`);
  const value = otherwise === undefined ? undefined : asDefault(schema, otherwise);
  return { ...schema, description: about, ...(value !== undefined && { default: value }) };
}

const asDefault = (schema: Schema, text: string): unknown =>
  schema.type === 'boolean' ? text === 'true' : schema.type === 'integer' ? Number(text) : text;

export { asFlag, asList, asText };

const absent = (raw: unknown): boolean => raw === undefined || raw === null || raw === '';
const problem = (name: string, message: string): Error => invalid([{ path: [name], message }]);

/** A text; undefined when left out or null. Of a repeated query parameter the last one counts. */
export const text = (about: string): Param<string | undefined> => ({
  type: 'string',
  required: false,
  about,
  read: (raw) => (raw === undefined || raw === null ? undefined : asText(raw)),
});

/** True or false; false when left out, unless `otherwise` says so. */
export const flag = (about: string, otherwise = false): Param<boolean> => ({
  type: 'bool',
  required: false,
  about,
  default: String(otherwise),
  read: (raw) => (absent(raw) ? otherwise : asFlag(raw)),
});

/** What an Int of the graph holds. */
const MAX_INT = 2 ** 31 - 1;

/** A whole number from `min` (0) to `max`; undefined when left out. @throws CatalogError VALIDATION "Invalid integer". */
export const int = (about: string, min = 0, max = MAX_INT): Param<number | undefined> => ({
  type: 'int',
  schema: { type: 'integer', minimum: min },
  required: false,
  about,
  read(raw, name) {
    if (absent(raw)) return undefined;
    const value = typeof raw === 'number' ? raw : /^\s*[+-]?\d+\s*$/.test(asText(raw)) ? Number(raw) : Number.NaN;
    if (!Number.isInteger(value)) throw problem(name, 'Invalid integer');
    if (value > max) throw problem(name, `Must be at most ${max}`);
    if (value < min) throw problem(name, min === 0 ? 'Must be a natural number' : `Must be at least ${min}`);
    return value;
  },
});

/** A list of texts: JSON list, comma-separated text, one value, or a repeated parameter; undefined when left out. */
export const list = (about: string): Param<string[] | undefined> => ({
  type: 'list of strings',
  required: false,
  about,
  read: (raw) => (raw === undefined || raw === null ? undefined : asList(raw)),
});

/** A file of a multipart request; undefined when left out. A text in its place is left aside, as recorded. */
export const file = (about: string): Param<{ token: string; name: string } | undefined> => ({
  type: FILE,
  required: false,
  about,
  read: (raw) =>
    raw instanceof UploadedFile && raw.token !== null ? { token: raw.token, name: raw.filename } : undefined,
});

/** The parameter must be there and not be empty. @throws CatalogError VALIDATION "Missing value". */
export const required = <T>(param: Param<T | undefined>): Param<T> => ({
  ...param,
  required: true,
  read(raw, name) {
    const value = raw === '' ? undefined : param.read(raw, name);
    if (value === undefined) throw problem(name, 'Missing value');
    return value;
  },
});

/** The parameter must be there; an empty text is one that fits nothing. @throws CatalogError VALIDATION "Missing value". */
export const present = <T>(param: Param<T | undefined>): Param<T> => ({
  ...param,
  required: true,
  read(raw, name) {
    const value = param.read(raw, name);
    if (value === undefined) throw problem(name, 'Missing value');
    return value;
  },
});

/** An id that must be there; an empty one is refused in the words that clients of the reference know. @throws CatalogError VALIDATION */
export const objectId = (param: Param<string | undefined>, object: string): Param<string> => ({
  ...present(param),
  read(raw, name) {
    if (raw === '') throw invalid([{ path: [], message: missingId(object) }]);
    return present(param).read(raw, name);
  },
});
const missingId = (object: string): string => `Missing id, can not get ${object} object`;

/** The parameter must be there. Whether it is, the catalog says: after permissions, and with whatever else is wrong. */
export const needed = <T>(param: Param<T>): Param<T> => ({ ...param, required: true });

/** A text that must be there, as `needed` has it. Left out it is an empty text, which the catalog refuses. */
export const asked = (about: string): Param<string> => ({
  ...needed(text(about)),
  read: (raw) => (raw === undefined || raw === null ? '' : asText(raw)),
});

/** Still read, no longer recommended; help and docs say so. */
export const deprecated = <T>(param: Param<T>): Param<T> => ({ ...param, deprecated: true });

/**
 * A parameter of later versions that would change what is stored: refused, since to ignore it would do harm. An empty
 * value, or false, asks for nothing and passes. @throws CatalogError VALIDATION "Not supported: `why`."
 */
export const notOffered = (why: string): Param<undefined> => ({
  type: 'anything',
  schema: {},
  required: false,
  about: `Refused: ${why}.`,
  read(raw, name) {
    const isEmpty = absent(raw) || raw === false || (Array.isArray(raw) && raw.length === 0);
    if (!isEmpty && !/^(false|\[\])$/i.test(asText(raw))) throw problem(name, `Not supported: ${why}`);
    return undefined;
  },
});

/** Reads all parameters and reports all that cannot be read at once. Names not declared are left to `raw`; `files` fits those of them that take a file. */
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
