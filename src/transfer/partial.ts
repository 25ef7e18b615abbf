/** Writes the good part of a record: a resource or parent that is refused is left out, or stays as it is here, and is named. */
import { CatalogError, invalid, type Problem } from '../kernel/errors.ts';
import type { Dictionary } from './perform.ts';
import { isDictionary } from './records.ts';

/** Lists whose items may be left out: what the graph calls them → what records call them. */
const LISTS: Readonly<Record<string, 'resources' | 'groups'>> = { resources: 'resources', parents: 'groups' };

/** Remarks of one record. */
const MAX_REMARKS = 100;
/** Characters of a name in a remark. */
const MAX_LABEL = 200;
/** Tries of one record: each finds the problems of one stage of checks. */
const MAX_TRIES = 5;

interface Item {
  readonly place: number;
  readonly value: unknown;
  readonly isStored: boolean;
}

export interface Partial<T> {
  readonly result: T;
  /** One line for each item that did not go in. */
  readonly remarks: readonly string[];
}

/**
 * Writes a record by `write`. Where all that is refused are single resources, or single parents of a group, it is written again
 * without these. A resource that `stored` has under the same id stays as it is there: a bad link deletes nothing.
 * `nameOf` is what records call a field of the graph.
 * @throws what `write` throws for anything else, with all problems
 */
export async function writeGoodPart<T>(
  record: Dictionary,
  stored: Dictionary | null,
  write: (record: Dictionary) => Promise<T>,
  nameOf: (field: string) => string,
): Promise<Partial<T>> {
  const lists = new Map(
    Object.values(LISTS).flatMap((name) => {
      const list = record[name];
      return Array.isArray(list)
        ? [[name, list.map((value: unknown, place): Item => ({ place, value, isStored: false }))] as const]
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
      const bad = badItems(thrown, nameOf);
      if (bad === null || tries === MAX_TRIES) throw joined(thrown, refused);
      for (const [name, faults] of bad) {
        const items = lists.get(name) ?? [];
        if ([...faults.keys()].some((at) => items[at]?.isStored ?? true)) throw joined(thrown, refused);
        for (const [at, messages] of faults) {
          const { place, value } = items[at]!;
          const kept = name === 'resources' ? storedResource(stored, value) : null;
          if (kept !== null) items[at] = { place, value: kept, isStored: true };
          remarks.push(remarkOf(name, place, value, messages, kept !== null));
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

/** Messages of each bad item of each list; null where anything else is wrong. An id that is taken is no fault of one item. */
function badItems(
  thrown: unknown,
  nameOf: (field: string) => string,
): Map<'resources' | 'groups', Map<number, string[]>> | null {
  if (!(thrown instanceof CatalogError) || thrown.kind !== 'VALIDATION' || thrown.problems.length === 0) return null;
  const found = new Map<'resources' | 'groups', Map<number, string[]>>();
  for (const { path, message } of thrown.problems) {
    const [list, at, ...rest] = path;
    const name = typeof list === 'string' && Object.hasOwn(LISTS, list) ? LISTS[list]! : null;
    if (name === null || typeof at !== 'number' || rest[0] === 'id' || rest[0] === 'databaseId') return null;
    const faults = found.get(name) ?? new Map<number, string[]>();
    const field = rest.map((step) => (typeof step === 'number' ? step : nameOf(step))).join('.');
    faults.set(at, [...(faults.get(at) ?? []), field ? `${field}: ${message}` : message]);
    found.set(name, faults);
  }
  return found;
}

/** All problems that were found, also those of earlier tries. */
const joined = (thrown: unknown, earlier: readonly Problem[]): unknown =>
  earlier.length > 0 && thrown instanceof CatalogError && thrown.kind === 'VALIDATION'
    ? invalid([...earlier, ...thrown.problems])
    : thrown;

function storedResource(stored: Dictionary | null, given: unknown): Dictionary | null {
  const list = Array.isArray(stored?.resources) ? stored.resources.filter(isDictionary) : [];
  return isDictionary(given) && given.id ? (list.find(({ id }) => id === given.id) ?? null) : null;
}

function remarkOf(
  list: 'resources' | 'groups',
  place: number,
  value: unknown,
  messages: readonly string[],
  isKept: boolean,
): string {
  const { name, id } = isDictionary(value) ? value : { name: null, id: null };
  const label = [name, id]
    .filter((text) => typeof text === 'string' && text !== '')
    .join(', ')
    .slice(0, MAX_LABEL);
  const what = `${list === 'resources' ? 'resource' : 'parent'} ${place + 1}${label ? ` (${label})` : ''}`;
  return `${what} ${isKept ? 'was not changed' : 'was omitted'}: ${messages.join('; ')}`;
}
