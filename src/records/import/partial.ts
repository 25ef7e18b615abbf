/** Writes the valid part of a record: omits a refused resource or parent, or leaves its stored version unchanged, and reports it. */
import { CatalogError, invalid, type Problem } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/json.ts';
import { wireName } from '../form/names.ts';
import type { Dictionary } from '../gateway.ts';

/** Lists whose items may be omitted: name in the graph → name in records. */
const LISTS: Readonly<Record<string, 'resources' | 'groups'>> = { resources: 'resources', parents: 'groups' };

/** Maximum remarks of one record. */
const MAX_REMARKS = 100;
/** Maximum characters of a name in a remark. */
const MAX_LABEL = 200;
/** Maximum attempts per record. Each finds the problems of one stage of checks. */
const MAX_TRIES = 5;

interface Item {
  readonly index: number;
  readonly value: unknown;
  readonly isStored: boolean;
}

export interface Partial<T> {
  readonly result: T;
  /** One line per omitted item. */
  readonly remarks: readonly string[];
}

/**
 * Writes a record by `write`. When only single resources, or single parents of a group, are refused, writes it again without them. A
 * resource stored under the same id stays unchanged, so a bad link deletes nothing.
 * @throws errors of `write` for any other problem, with all problems
 */
export async function writeGoodPart<T>(
  record: Dictionary,
  stored: Dictionary | null,
  write: (record: Dictionary) => Promise<T>,
): Promise<Partial<T>> {
  const lists = new Map(
    Object.values(LISTS).flatMap((name) => {
      const list = record[name];
      return Array.isArray(list)
        ? [[name, list.map((value: unknown, index): Item => ({ index, value, isStored: false }))] as const]
        : [];
    }),
  );
  const remarks: string[] = [];
  const refused: Problem[] = [];
  for (let tries = 1; ; tries += 1) {
    const values = [...lists].map(([name, items]) => [name, items.map(({ value }) => value)] as const);
    try {
      return { result: await write({ ...record, ...Object.fromEntries(values) }), remarks: firstOf(remarks) };
    } catch (thrown) {
      const bad = badItems(thrown);
      if (bad === null || tries === MAX_TRIES) throw joined(thrown, refused);
      for (const [name, faults] of bad) {
        const items = lists.get(name) ?? [];
        if ([...faults.keys()].some((at) => items[at]?.isStored ?? true)) throw joined(thrown, refused);
        for (const [at, messages] of faults) {
          const { index, value } = items[at]!;
          const storedItem = name === 'resources' ? storedResource(stored, value) : null;
          if (storedItem !== null) items[at] = { index, value: storedItem, isStored: true };
          remarks.push(remarkOf(name, index, value, messages, storedItem !== null));
        }
        lists.set(
          name,
          items.filter((item, at) => item.isStored || !faults.has(at)),
        );
      }
      refused.push(...(thrown as CatalogError).problems);
    }
  }
}

const firstOf = (remarks: readonly string[]): readonly string[] =>
  remarks.length <= MAX_REMARKS
    ? remarks
    : [...remarks.slice(0, MAX_REMARKS), `and ${remarks.length - MAX_REMARKS} more`];

/** Messages per bad item of each list; null when anything else is wrong. An id conflict is not a problem of one item. */
function badItems(thrown: unknown): Map<'resources' | 'groups', Map<number, string[]>> | null {
  if (!(thrown instanceof CatalogError) || thrown.kind !== 'VALIDATION' || thrown.problems.length === 0) return null;
  const found = new Map<'resources' | 'groups', Map<number, string[]>>();
  for (const { path, message } of thrown.problems) {
    const [list, at, ...rest] = path;
    const name = typeof list === 'string' && Object.hasOwn(LISTS, list) ? LISTS[list]! : null;
    if (name === null || typeof at !== 'number' || rest[0] === 'id' || rest[0] === 'databaseId') return null;
    const faults = found.get(name) ?? new Map<number, string[]>();
    const field = rest.map((step) => (typeof step === 'number' ? step : wireName(step))).join('.');
    faults.set(at, [...(faults.get(at) ?? []), field ? `${field}: ${message}` : message]);
    found.set(name, faults);
  }
  return found;
}

/** The error with all problems found, including those of earlier attempts. */
const joined = (thrown: unknown, earlier: readonly Problem[]): unknown =>
  earlier.length > 0 && thrown instanceof CatalogError && thrown.kind === 'VALIDATION'
    ? invalid([...earlier, ...thrown.problems])
    : thrown;

function storedResource(stored: Dictionary | null, given: unknown): Dictionary | null {
  const list = Array.isArray(stored?.resources) ? stored.resources.filter(isObject) : [];
  return isObject(given) && given.id ? (list.find(({ id }) => id === given.id) ?? null) : null;
}

function remarkOf(
  list: 'resources' | 'groups',
  index: number,
  value: unknown,
  messages: readonly string[],
  isUnchanged: boolean,
): string {
  const { name, id } = isObject(value) ? value : { name: null, id: null };
  const label = [name, id]
    .filter((text) => typeof text === 'string' && text !== '')
    .join(', ')
    .slice(0, MAX_LABEL);
  const what = `${list === 'resources' ? 'resource' : 'parent'} ${index + 1}${label ? ` (${label})` : ''}`;
  return `${what} ${isUnchanged ? 'was not changed' : 'was omitted'}: ${messages.join('; ')}`;
}
