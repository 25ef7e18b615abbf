import { type CatalogError, invalid, type Problem } from './errors.ts';

/** Maximum nesting of lists and objects in one input. */
export const MAX_DEPTH = 64;
/** Maximum number of values in one input, counting containers and members: the check must not block the event loop. */
export const MAX_VALUES = 100_000;
/** Maximum number of paths in the error. */
const MAX_PROBLEMS = 10;

/** State of one walk. */
interface Walk {
  /** The path of the current value. */
  readonly path: (string | number)[];
  readonly problems: Problem[];
  readonly max: number;
  /** Remaining number of values. */
  left: number;
}

/**
 * Refuses values that PostgreSQL cannot store as text or JSON: NUL characters, lone surrogates, nesting beyond 64
 * levels, and more than `max` values (default 100,000). Omits a leading `input` in paths. @throws CatalogError
 * VALIDATION naming up to ten paths.
 */
export function checkText(value: unknown, max = MAX_VALUES): void {
  const walk: Walk = { path: [], problems: [], max, left: max };
  check(walk, value);
  if (walk.problems.length > 0) throw invalid(walk.problems);
}

function check(walk: Walk, value: unknown): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) add(walk, 'NUL characters (U+0000) are not allowed');
    else if (!value.isWellFormed()) add(walk, 'Lone surrogates are not allowed: the text must be valid Unicode');
  } else if (typeof value === 'object' && value !== null) {
    if (walk.path.length >= MAX_DEPTH) add(walk, `Nested deeper than ${MAX_DEPTH} levels`);
    else if (Array.isArray(value)) checkList(walk, value);
    else checkObject(walk, value as Record<string, unknown>);
  }
}

function checkList(walk: Walk, list: readonly unknown[]): void {
  take(walk, list.length);
  for (let index = 0; index < list.length && walk.problems.length < MAX_PROBLEMS; index++) {
    walk.path.push(index);
    check(walk, list[index]);
    walk.path.pop();
  }
}

function checkObject(walk: Walk, object: Record<string, unknown>): void {
  const keys = Object.keys(object);
  take(walk, keys.length);
  for (const key of keys) {
    if (walk.problems.length >= MAX_PROBLEMS) return;
    if (key.includes('\0') || !key.isWellFormed()) {
      add(walk, 'A key contains characters that are not allowed');
      continue;
    }
    walk.path.push(key);
    check(walk, object[key]);
    walk.path.pop();
  }
}

/** The error for more than `max` values. */
export const tooManyValues = (max: number): CatalogError =>
  invalid([
    { path: [], message: `The input has more than ${max} values (items and keys). Send fewer values at a time` },
  ]);

/** Counts the members of a container before visiting them. */
function take(walk: Walk, values: number): void {
  walk.left -= values;
  if (walk.left < 0) throw tooManyValues(walk.max);
}

function add({ path, problems }: Walk, message: string): void {
  problems.push({ path: path.slice(path[0] === 'input' ? 1 : 0), message });
}

/** Number of characters (code points), or some number above `max`: longer texts are not taken apart. */
export const lengthOf = (text: string, max: number): number => (text.length > 2 * max ? text.length : [...text].length);

/** Compares by code points, as PostgreSQL's collation "C" does; JavaScript's own `<` compares UTF-16 units. */
export const compareText = (a: string, b: string): number =>
  a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));

const TRUE = new Set(['true', 'yes', 'on', 'y', 't', '1']);
const FALSE = new Set(['false', 'no', 'off', 'n', 'f', '0']);

/** The boolean (ruling 9) of a word (ignoring case), a number or a boolean; undefined for other values. */
export function truthOf(value: unknown): boolean | undefined {
  if (!['string', 'number', 'boolean'].includes(typeof value)) return undefined;
  const word = String(value).toLowerCase();
  return TRUE.has(word) || (FALSE.has(word) ? false : undefined);
}

/** A text in quotes, as search queries write it. */
export const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** The column of a field: its name in snake case. */
export const columnOf = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * The text in one line: line breaks and control characters become spaces, so that users' texts cannot start a header of
 * a mail or imitate its lines.
 */
export const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
