/**
 * Selective changes of a document: match, filter and merge, with paths such as `resources__19cfa__name`. A step into a list is an
 * index (negative: from the end) or the first five or more characters of an item's id. Pure.
 * Semantics: CKAN 2.10 logic/action/update.py package_revise and navl/dictization_functions.py.
 */
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../../kernel/json.ts';

type Dict = Readonly<Record<string, unknown>>;
export interface PathValue {
  readonly path: string;
  readonly value?: unknown;
}

/** A change that cannot be applied. The message is for the caller. */
export class Misfit extends Error {}

const stepsOf = (path: string): string[] => path.split('__');
const INDEX = /^-?\d{1,4}$/;

/** Index of the item that a step names. @throws Misfit for no item, or more than one */
export function indexOf(list: readonly unknown[], step: string): number {
  if (INDEX.test(step)) {
    const index = Number(step) < 0 ? list.length + Number(step) : Number(step);
    if (index >= 0 && index < list.length) return index;
    throw new Misfit(`No item ${step}`);
  }
  if (step.length < 5) throw new Misfit(`${step}: must be an index, or at least 5 characters of an id`);
  const found = list.flatMap((item, index) =>
    isObject(item) && typeof item.id === 'string' && item.id.startsWith(step) ? [index] : [],
  );
  if (found.length === 1) return found[0]!;
  throw new Misfit(
    found.length === 0 ? `No item with an id that starts with ${step}` : `Several ids start with ${step}`,
  );
}

/** Paths at which a document differs from the expected one; empty when it matches. */
export function unmatched(document: Dict, match: Dict, paths: readonly PathValue[]): string[] {
  return [...differing(document, match, []), ...paths.flatMap(({ path, value }) => unmatchedAt(document, path, value))];
}

function unmatchedAt(document: Dict, path: string, expected: unknown): string[] {
  try {
    let value: unknown = document;
    for (const step of stepsOf(path)) {
      if (Array.isArray(value)) value = value[indexOf(value, step)];
      else if (isObject(value) && Object.hasOwn(value, step)) value = value[step];
      else return [path];
    }
    return differing(value, expected, [path]);
  } catch (thrown) {
    if (thrown instanceof Misfit) return [path];
    throw thrown;
  }
}

/** Lists may be longer than the expected one, and objects may have more keys. */
function differing(value: unknown, expected: unknown, at: readonly (string | number)[]): string[] {
  if (isObject(expected)) {
    if (!isObject(value)) return [at.join('__')];
    return Object.entries(expected).flatMap(([key, item]) =>
      Object.hasOwn(value, key) ? differing(value[key], item, [...at, key]) : [[...at, key].join('__')],
    );
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(value)) return [at.join('__')];
    return expected.flatMap((item, index) =>
      index < value.length ? differing(value[index], item, [...at, index]) : [[...at, index].join('__')],
    );
  }
  return sameScalar(value, expected) ? [] : [at.join('__')];
}

/** Numbers and booleans may be text, because forms and flattened keys only carry text. */
const sameScalar = (value: unknown, expected: unknown): boolean =>
  isDeepStrictEqual(value, expected) ||
  (typeof expected === 'string' && ['number', 'boolean'].includes(typeof value) && String(value) === expected) ||
  (typeof value === 'string' && ['number', 'boolean'].includes(typeof expected) && String(expected) === value);

interface Pattern {
  readonly keep: boolean;
  readonly steps: readonly string[];
}

/** Patterns such as `+title`, `-resources__1`, `-*`. @throws Misfit for an invalid text */
export const patternsOf = (texts: readonly string[]): Pattern[] =>
  texts.map((text) => {
    if (!/^[+-]./.test(text)) throw new Misfit(`${JSON.stringify(text)}: a pattern must start with + or -`);
    return { keep: text.startsWith('+'), steps: stepsOf(text.slice(1)) };
  });

/** A value after filtering: at each key the first matching pattern decides; unmatched keys stay. */
export function filtered(value: unknown, patterns: readonly Pattern[]): unknown {
  if (patterns.length === 0) return value;
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => {
      const left = filteredItem(
        item,
        below(patterns, (step) => step === '*' || isIndexOf(value, step, index)),
      );
      return left === GONE ? [] : [left];
    });
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => {
      const left = filteredItem(
        item,
        below(patterns, (step) => step === '*' || step === key),
      );
      return left === GONE ? [] : [[key, left]];
    }),
  );
}

const GONE = Symbol('gone');
const EVERYTHING: Pattern = { keep: false, steps: ['*'] };

/** Patterns that continue below a key, up to the first that ends there. */
const below = (patterns: readonly Pattern[], fits: (step: string) => boolean): Pattern[] =>
  patterns.filter(({ steps }) => fits(steps[0]!)).map(({ keep, steps }) => ({ keep, steps: steps.slice(1) }));

function filteredItem(item: unknown, patterns: readonly Pattern[]): unknown {
  const end = patterns.findIndex(({ steps }) => steps.length === 0);
  const inner = end < 0 ? patterns : patterns.slice(0, end);
  if (end < 0 || patterns[end]!.keep) return filtered(item, inner);
  return inner.some(({ keep }) => keep) ? filtered(item, [...inner, EVERYTHING]) : GONE;
}

function isIndexOf(list: readonly unknown[], step: string, index: number): boolean {
  try {
    return indexOf(list, step) === index;
  } catch {
    return false;
  }
}

/**
 * A value with another merged into it: objects by key, lists by index, all else replaced. @throws Misfit for an object
 * in place of a list
 */
export function merged(value: unknown, update: unknown): unknown {
  if (Array.isArray(value) && isObject(update)) throw new Misfit('Must be a list');
  if (Array.isArray(value) && Array.isArray(update)) {
    const items = update.map((item, index) => (index < value.length ? merged(value[index], item) : item));
    return [...items, ...value.slice(items.length)];
  }
  if (!isObject(value) || !isObject(update)) return update;
  const keys = new Map(Object.entries(value));
  for (const [key, item] of Object.entries(update)) keys.set(key, keys.has(key) ? merged(keys.get(key), item) : item);
  return Object.fromEntries(keys);
}

/** A value with another merged in at a path; the last step `extend` adds items to a list. @throws Misfit */
export function mergedAt(value: unknown, path: string, update: unknown): unknown {
  return at(value, stepsOf(path), update);
}

function at(value: unknown, [step, ...rest]: readonly string[], update: unknown): unknown {
  if (step === undefined) return merged(value, update);
  if (Array.isArray(value)) {
    if (step === 'extend' && rest.length === 0) {
      if (!Array.isArray(update)) throw new Misfit('Must be a list');
      return [...value, ...update];
    }
    const index = indexOf(value, step);
    return value.with(index, at(value[index], rest, update));
  }
  if (!isObject(value)) throw new Misfit(`No value that contains ${step}`);
  const there = Object.hasOwn(value, step);
  if (!there && rest.length > 0) throw new Misfit(`No value ${step}`);
  return Object.fromEntries([
    ...Object.entries(value).filter(([key]) => key !== step),
    [step, there ? at(value[step], rest, update) : update],
  ]);
}
