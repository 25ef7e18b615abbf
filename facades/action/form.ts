/** Decodes form fields. Forms contain text only, so lists and dictionaries are sent as JSON text, or flattened as `extras__0__key`. */
import { CatalogError, invalidField } from '../../src/kernel/errors.ts';
import { jsonIn } from '../../src/records/form/readers.ts';
import { UploadedFile } from '../shared/multipart.ts';
import type { Params, Raw } from './define.ts';

const MAX_DIGITS = 4;
/** List name, index, and key of the item. */
const FLAT = /^(\w+?)__(\d+)__(\w+)$/;

/** True when the parameter accepts dictionaries, the only values that plain form text cannot express. */
const isNested = (params: Params, name: string): boolean =>
  Object.hasOwn(params, name) && params[name]!.type.includes('dictionar');

/** True when form text may be the JSON of the value. */
const mayBeJson = (params: Params, name: string): boolean =>
  isNested(params, name) || (Object.hasOwn(params, name) && params[name]!.type.startsWith('list'));

/** Converts form fields to the structure of a JSON body. Leaves files in place. @throws CatalogError for an index above 9999 */
export function unfoldForm(params: Params, fields: Raw): Raw {
  const unfolded: Record<string, unknown> = Object.create(null);
  const lists = new Map<string, Map<number, Map<string, unknown>>>();
  for (const [name, value] of Object.entries(fields)) {
    const [, list = '', index = '', key = ''] = FLAT.exec(name) ?? [];
    if (value instanceof UploadedFile || !isNested(params, list) || Object.hasOwn(fields, list)) {
      unfolded[name] = mayBeJson(params, name) ? parsed(value) : value;
      continue;
    }
    if (index.length > MAX_DIGITS) throw invalidField(name, 'A list index must have at most four digits');
    const items = lists.get(list) ?? new Map<number, Map<string, unknown>>();
    const item = items.get(Number(index)) ?? new Map<string, unknown>();
    lists.set(list, items.set(Number(index), item.set(key, value)));
  }
  for (const [list, items] of lists)
    unfolded[list] = [...items].sort(([a], [b]) => a - b).map(([, item]) => Object.fromEntries(item));
  return unfolded;
}

/** The parsed JSON text; any other text unchanged, for its reader to refuse. @throws CatalogError VALIDATION for too many values */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return jsonIn(value);
  } catch (thrown) {
    if (thrown instanceof CatalogError) throw thrown;
    return value;
  }
}
