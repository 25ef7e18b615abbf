/** The wire's resource view dictionaries → the graph's inputs. */
import { invalid } from '../../../src/kernel/errors.ts';
import { jsonIn } from '../../shared/wire/readers.ts';
import type { Raw } from '../define.ts';
import { asText, type Param } from '../params.ts';
import { either, OBJECT, TEXT } from '../schema.ts';

const problem = (path: string[], message: string): Error => invalid([{ path, message }]);
const isObject = (value: unknown): value is Raw => typeof value === 'object' && value !== null && !Array.isArray(value);

/** JSON text, or (a kindness) what it would say; null when left out or empty. @throws CatalogError VALIDATION */
export const json = (about: string): Param<unknown> => ({
  type: 'JSON string',
  schema: either(TEXT, OBJECT),
  required: false,
  about,
  read(raw, name) {
    if (raw === undefined || raw === null || raw === '') return null;
    if (typeof raw !== 'string') return raw;
    try {
      return jsonIn(raw);
    } catch {
      throw problem([name], 'Must be JSON');
    }
  },
});

/** The server chooses the id. As recorded, under the name that stands for all that is not expected. */
export const noId: Param<undefined> = {
  type: 'string',
  required: false,
  about: 'Must be omitted: the server sets it.',
  read(raw) {
    if (raw !== undefined && raw !== null && raw !== '')
      throw problem(['__extras'], 'The input field __extras was not expected.');
    return undefined;
  },
};

/** A dictionary. @throws CatalogError VALIDATION where it is missing or something else */
export const dictionary = (about: string): Param<Raw> => ({
  type: 'dictionary',
  required: true,
  about,
  read(raw, name) {
    if (raw === undefined || raw === null || raw === '') throw problem([name], 'Missing value');
    if (!isObject(raw)) throw problem([name], 'Must be a dictionary');
    return raw;
  },
});

/** A dictionary that may be left out. */
export const dictionaryOrNone = (about: string): Param<Raw | undefined> => ({
  ...dictionary(about),
  required: false,
  read: (raw, name) =>
    raw === undefined || raw === null || raw === '' ? undefined : dictionary(about).read(raw, name),
});

const COMMON = new Set(['id', 'resource_id', 'package_id', 'title', 'description', 'view_type', 'config']);

/** Keys that not all views have. */
export const viewFields = (raw: Raw): Record<string, unknown> =>
  Object.fromEntries(Object.entries(raw).filter(([key]) => !COMMON.has(key)));

/** A key of a dictionary as text; undefined where it is not there. */
export const textAt = (raw: Raw | undefined, key: string): string | undefined =>
  raw === undefined || raw[key] === undefined || raw[key] === null || raw[key] === '' ? undefined : asText(raw[key]);

/** The id that a dictionary must have. @throws CatalogError VALIDATION */
export function idIn(raw: Raw, name: string): string {
  const id = textAt(raw, 'id');
  if (id === undefined) throw problem([name], 'Missing id');
  return id;
}

/** The id or name of a package dictionary. @throws CatalogError VALIDATION, in the recorded words */
export function datasetIn(raw: Raw): string {
  const id = textAt(raw, 'id') ?? textAt(raw, 'name');
  if (id === undefined) throw problem([], 'Missing id, can not get Package object');
  return id;
}

/** Ids of the resources of a package dictionary; undefined where it lists none. @throws CatalogError VALIDATION */
export function resourcesIn(raw: Raw): string[] | undefined {
  if (raw.resources === undefined || raw.resources === null) return undefined;
  if (!Array.isArray(raw.resources) || !raw.resources.every(isObject))
    throw problem(['package'], 'Its resources must be a list of dictionaries');
  return raw.resources.map((resource) => idIn(resource, 'package'));
}
