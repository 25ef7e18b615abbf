/** Converts resource view dictionaries to the graph's inputs. */
import { invalid } from '../../../src/kernel/errors.ts';
import { isObject } from '../../../src/kernel/json.ts';
import { jsonIn } from '../../../src/records/form/readers.ts';
import type { Raw } from '../define.ts';
import { absent, asText, type Param } from '../params.ts';
import { either, OBJECT, TEXT } from '../schema.ts';

const problem = (path: string[], message: string): Error => invalid([{ path, message }]);

/** JSON text, or (as an extension) its parsed value; null when omitted or empty. @throws CatalogError VALIDATION */
export const json = (about: string): Param<unknown> => ({
  type: 'JSON string',
  schema: either(TEXT, OBJECT),
  required: false,
  about,
  read(raw, name) {
    if (absent(raw)) return null;
    if (typeof raw !== 'string') return raw;
    try {
      return jsonIn(raw);
    } catch {
      throw problem([name], 'Must be JSON');
    }
  },
});

/** The server generates the id. By the contract, the error uses the key of all unexpected parameters. */
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

/** A dictionary. @throws CatalogError VALIDATION when missing or of another type */
export const dictionary = (about: string): Param<Raw> => ({
  type: 'dictionary',
  required: true,
  about,
  read(raw, name) {
    if (absent(raw)) throw problem([name], 'Missing value');
    if (!isObject(raw)) throw problem([name], 'Must be a dictionary');
    return raw;
  },
});

/** An optional dictionary. */
export const dictionaryOrNone = (about: string): Param<Raw | undefined> => ({
  ...dictionary(about),
  required: false,
  read: (raw, name) => (absent(raw) ? undefined : dictionary(about).read(raw, name)),
});

const COMMON = new Set(['id', 'resource_id', 'package_id', 'title', 'description', 'view_type', 'config']);

/** Keys specific to the view's type. */
export const viewFields = (raw: Raw): Record<string, unknown> =>
  Object.fromEntries(Object.entries(raw).filter(([key]) => !COMMON.has(key)));

/** A key of a dictionary as text; undefined when missing. */
export const textAt = (raw: Raw | undefined, key: string): string | undefined =>
  raw === undefined || raw[key] === undefined || raw[key] === null || raw[key] === '' ? undefined : asText(raw[key]);

/** The required id of a dictionary. @throws CatalogError VALIDATION */
export function idIn(raw: Raw, name: string): string {
  const id = textAt(raw, 'id');
  if (id === undefined) throw problem([name], 'Missing id');
  return id;
}

/** Id or name in a package dictionary. @throws CatalogError VALIDATION, with the contract's texts */
export function datasetIn(raw: Raw): string {
  const id = textAt(raw, 'id') ?? textAt(raw, 'name');
  if (id === undefined) throw problem([], 'Missing id, can not get Package object');
  return id;
}

/** Ids of the resources in a package dictionary; undefined when it lists none. @throws CatalogError VALIDATION */
export function resourcesIn(raw: Raw): string[] | undefined {
  if (raw.resources === undefined || raw.resources === null) return undefined;
  if (!Array.isArray(raw.resources) || !raw.resources.every(isObject))
    throw problem(['package'], '`resources` must be a list of dictionaries');
  return raw.resources.map((resource) => idIn(resource, 'package'));
}
