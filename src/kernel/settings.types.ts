/** Types of settings: how each is parsed from text, YAML or JSON, and the expected form for errors. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import { isAddress } from '../infra/postgres/hosts.ts';
import { isObject } from './json.ts';
import { truthOf } from './text.ts';

/** A declaration of a setting in settings.ts. `T` is the type of its value. */
export interface Setting<T> {
  readonly type: 'text' | 'url' | 'int' | 'bytes' | 'bool' | 'list' | 'enum' | 'path' | 'schemas';
  /** The value without one in file and environment; may depend on other settings. */
  readonly default: T | ((others: Readonly<Record<string, unknown>>) => T);
  /** One or two sentences for docs/settings.md. */
  readonly description: string;
  /** May be null (empty in the environment, null in the file). */
  readonly nullable?: boolean;
  /** Is parsed and checked without any effect yet; its description says "No effect yet". Configuring it logs a warning. */
  readonly isIdle?: boolean;
  /** Can change at run time (config_option_update). */
  readonly live?: boolean;
  /** Paths: relative ones in the file start at the installation's home, in the environment at the working directory. */
  readonly isPath?: boolean;
  /** Never printed. Passwords inside URLs are hidden without this. */
  readonly secret?: boolean;
  /** A second, common environment variable; the one derived from the setting's name overrides it. */
  readonly alias?: string;
  /** Minimum and maximum of a number, or of a text's length. */
  readonly min?: number;
  readonly max?: number;
  /** The only values of an enum, or of a list, which is then not empty. */
  readonly options?: readonly string[];
  /** Pattern of a text, or of each item of a list, and its description. */
  readonly pattern?: readonly [RegExp, string];
  /** Of a URL, or of each item of a list of URLs. */
  readonly protocols?: readonly string[];
  /** The text of a computed default in the documentation. */
  readonly defaultText?: string;
}

/** For URLs: the protocols of the web. */
export const WEB = { protocols: ['http', 'https'] };

type More<T> = Partial<Setting<T>>;
type Default<T> = Setting<T>['default'];

export const text = (fallback: Default<string>, description: string, more: More<string> = {}): Setting<string> => ({
  type: 'text',
  default: fallback,
  description,
  ...more,
});
export const textOrNull = (description: string, more: More<string | null> = {}): Setting<string | null> => ({
  type: 'text',
  default: null,
  nullable: true,
  description,
  ...more,
});
export const url = (fallback: Default<string>, description: string, more: More<string> = {}): Setting<string> => ({
  type: 'url',
  ...WEB,
  default: fallback,
  description,
  ...more,
});
export const urlOrNull = (description: string, more: More<string | null> = {}): Setting<string | null> => ({
  type: 'url',
  ...WEB,
  default: null,
  nullable: true,
  description,
  ...more,
});
/** For URLs: the protocols of a database. */
export const POSTGRES = { protocols: ['postgres', 'postgresql'] };

export const int = (
  fallback: number,
  min: number,
  max: number,
  description: string,
  more: More<number> = {},
): Setting<number> => ({ type: 'int', default: fallback, min, max, description, ...more });
export const bytes = (fallback: number, min: number, description: string): Setting<number> => ({
  type: 'bytes',
  default: fallback,
  min,
  max: Number.MAX_SAFE_INTEGER,
  description,
  defaultText: writeBytes(fallback),
});
export const bool = (fallback: Default<boolean>, description: string, more: More<boolean> = {}): Setting<boolean> => ({
  type: 'bool',
  default: fallback,
  description,
  ...more,
});
export const list = (
  fallback: readonly string[],
  description: string,
  more: More<readonly string[]> = {},
): Setting<readonly string[]> => ({ type: 'list', default: fallback, description, ...more });
/** The default is relative to the installation's home. */
export const path = (fallback: string, description: string): Setting<string> => ({
  type: 'path',
  default: fallback,
  description,
});
export const oneOf = <const O extends string>(
  options: readonly O[],
  fallback: Default<O>,
  description: string,
  more: More<O> = {},
): Setting<O> => ({
  type: 'enum',
  options,
  default: fallback,
  description,
  ...more,
});
/** Name → JSON Schema, either inline or as the path of a file. */
export const schemas = (description: string): Setting<Readonly<Record<string, object>>> => ({
  type: 'schemas',
  default: Object.freeze({}),
  description,
});

/** Thrown by parsers; the message completes "must be …". */
export class Expected extends Error {}

/** Parses a setting's value from the file or the environment. Relative paths start at `folder`. @throws Expected */
export function readValue(setting: Setting<unknown>, raw: unknown, folder: string): unknown {
  if (setting.nullable && (raw === null || raw === '')) return null;
  switch (setting.type) {
    case 'text':
      return readText(setting, raw);
    case 'url':
      return readUrl(setting, raw);
    case 'int':
      return inRange(setting, typeof raw === 'number' ? raw : readDigits(raw));
    case 'bytes':
      return inRange(setting, typeof raw === 'number' ? raw : readBytes(raw));
    case 'bool':
      return readBool(raw);
    case 'list':
      return readWords(setting, raw);
    case 'path':
      return resolve(folder, readText({ ...setting, min: 1 }, raw));
    case 'schemas':
      return readSchemas(raw, folder);
    case 'enum':
      // YAML reads `2.4` as a number.
      if (setting.options?.includes(String(raw)) && typeof raw !== 'object') return String(raw);
      throw new Expected(`one of ${setting.options?.join(', ')}`);
  }
}

function readWords(setting: Setting<unknown>, raw: unknown): readonly string[] {
  const { options } = setting;
  const words = readList(setting, raw);
  if (options && (words.length === 0 || !words.every((word) => options.includes(word))))
    throw new Expected(`a list of some of ${options.join(', ')}`);
  return [...new Set(words)];
}

function readText({ min = 0, max = 10_000, pattern }: Setting<unknown>, raw: unknown): string {
  const value = typeof raw === 'number' || typeof raw === 'boolean' ? String(raw) : raw;
  if (typeof value !== 'string') throw new Expected('a text');
  if (value.length < min || value.length > max) throw new Expected(`a text of ${min} to ${max} characters`);
  if (pattern && !pattern[0].test(value)) throw new Expected(pattern[1]);
  return value;
}

/** How a URL must start. The usual fault of a URL with `@` is its password. */
const starts = (protocols: readonly string[], raw: unknown): string =>
  protocols.map((it) => `${it}://`).join(' or ') +
  (String(raw).includes('@') ? ', with special characters of the password percent-encoded' : '');

function readUrl({ protocols = [] }: Setting<unknown>, raw: unknown): string {
  if (typeof raw === 'string' && isUrl(protocols, raw)) return raw.replace(/\/+$/, '');
  throw new Expected(`a URL that starts with ${starts(protocols, raw)}`);
}

function isUrl(protocols: readonly string[], text: string): boolean {
  if (protocols === POSTGRES.protocols) return isAddress(text);
  if (!URL.canParse(text)) return false;
  const { protocol, hash } = new URL(text);
  return protocols.includes(protocol.slice(0, -1)) && !hash;
}

const readDigits = (raw: unknown): number =>
  typeof raw === 'string' && /^-?\d{1,15}$/.test(raw) ? Number(raw) : Number.NaN;

const UNITS: Record<string, number> = { '': 1, kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30, kb: 1e3, mb: 1e6, gb: 1e9 };

function readBytes(raw: unknown): number {
  const [, digits, unit = ''] = (typeof raw === 'string' && /^(\d{1,15})\s*([kmg]i?b)?$/i.exec(raw)) || [];
  return digits === undefined ? Number.NaN : Number(digits) * (UNITS[unit.toLowerCase()] ?? Number.NaN);
}

/** A size in the form of the documentation: `10 MiB`. */
function writeBytes(size: number): string {
  const [unit, factor] = Object.entries({ GiB: 2 ** 30, MiB: 2 ** 20, KiB: 2 ** 10 }).find(
    ([, f]) => size % f === 0,
  ) ?? ['bytes', 1];
  return `${size / factor} ${unit}`;
}

function inRange({ type, min = 0, max = 0 }: Setting<unknown>, value: number): number {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  if (type === 'bytes') throw new Expected(`a size of at least ${min} bytes, such as 10485760 or 10 MiB`);
  throw new Expected(`an integer from ${min} to ${max}`);
}

function readBool(raw: unknown): boolean {
  const stated = truthOf(raw);
  if (stated === undefined) throw new Expected('true or false');
  return stated;
}

function readList({ pattern, protocols }: Setting<unknown>, raw: unknown): readonly string[] {
  const items = typeof raw === 'string' ? raw.split(/[\s,]+/).filter(Boolean) : (raw ?? []);
  if (!Array.isArray(items) || !items.every((item) => typeof item === 'string'))
    throw new Expected('a list of words, or words separated by spaces or commas');
  if (pattern && !items.every((item) => pattern[0].test(item))) throw new Expected(pattern[1]);
  if (protocols && !items.every((item) => isUrl(protocols, item)))
    throw new Expected(`a list of URLs that start with ${starts(protocols, raw)}`);
  return Object.freeze([...items]);
}

function readSchemas(raw: unknown, folder: string): Readonly<Record<string, object>> {
  const expected = new Expected('an object of dataset type → JSON Schema or path of a schema file');
  const parsed = typeof raw === 'string' ? parseOr(expected, raw || '{}') : (raw ?? {});
  if (!isObject(parsed)) throw expected;
  return Object.freeze(
    Object.fromEntries(
      Object.entries(parsed).map(([name, value]) => {
        if (!/^[a-z0-9][a-z0-9_-]*$/.test(name))
          throw new Expected(
            `an object whose keys have lowercase letters, digits, - and _ only (not ${JSON.stringify(name)})`,
          );
        return [
          name,
          typeof value === 'string'
            ? readSchemaFile(resolve(folder, value))
            : isObject(value)
              ? value
              : refuse(expected),
        ];
      }),
    ),
  );
}

function readSchemaFile(file: string): object {
  const expected = new Expected(`a readable JSON Schema in ${file}`);
  try {
    const schema: unknown = parse(readFileSync(file, 'utf8'));
    return isObject(schema) ? schema : refuse(expected);
  } catch {
    throw expected;
  }
}

function parseOr(error: Error, json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw error;
  }
}

const refuse = (error: Error): never => {
  throw error;
};
