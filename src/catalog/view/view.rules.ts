/** Rules of views: their fields, and the default views of resources. Pure. */
import type { Problem } from '../../kernel/errors.ts';
import { truthOf } from '../../kernel/text.ts';
import { VIEW_TYPES, type ViewField, type ViewType } from './view-types.ts';

/** The facts that decide whether a view type shows a resource. */
export interface Viewable {
  readonly id: string;
  readonly format: string;
  /** Whether its table is in the DataStore. */
  readonly inDatastore: boolean;
}

/** The enabled types, in the table's order; `plugins` is `catalog.plugins`. */
export const enabledTypes = (plugins: readonly string[]): ViewType[] =>
  [...VIEW_TYPES.values()].filter(({ name }) => plugins.includes(name));

/** The enabled types of default views, in the order of `defaults`: either those that need the DataStore or the others. */
export const defaultTypes = (
  plugins: readonly string[],
  defaults: readonly string[],
  requiresDatastore: boolean,
): ViewType[] =>
  defaults.flatMap((name) => {
    const type = plugins.includes(name) ? VIEW_TYPES.get(name) : undefined;
    return type?.requiresDatastore === requiresDatastore ? [type] : [];
  });

/** True if a view type can show the resource. DataStore content is a table, independent of its format. */
export function shows({ name, formats, requiresDatastore }: ViewType, resource: Viewable): boolean {
  if (requiresDatastore) return resource.inDatastore;
  if (name === 'recline_view' && resource.inDatastore) return true;
  return formats === null || formats.includes(resource.format.toLowerCase());
}

/** Problems of a view type, in the texts that clients know. */
export function checkType(type: string, plugins: readonly string[]): Problem[] {
  if (type === '') return [{ path: ['viewType'], message: 'Missing value' }];
  const known = plugins.includes(type) && VIEW_TYPES.has(type);
  return known ? [] : [{ path: ['viewType'], message: `No plugin found for view_type ${type}` }];
}

export const checkTitle = (title: string): Problem[] =>
  title.trim() === '' ? [{ path: ['title'], message: 'Missing value' }] : [];

/** The normalized fields, without empty ones, and all their problems. */
export function checkFields(type: ViewType, input: unknown): { fields: Record<string, unknown>; problems: Problem[] } {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return { fields: {}, problems: [{ path: ['fields'], message: 'Must be an object' }] };
  const values = new Map(Object.entries(input).filter(([, value]) => value !== null && value !== ''));
  const problems: Problem[] = [];
  const add = (name: string, message: string) => problems.push({ path: ['fields', name], message });
  const valid: [string, unknown][] = [];
  for (const field of type.fields) {
    const value = values.get(field.name);
    if (!values.delete(field.name)) {
      if (field.required) add(field.name, 'Missing value');
      continue;
    }
    const read = READERS[field.kind](value, field);
    if (read === undefined) add(field.name, expected(field));
    else valid.push([field.name, read]);
  }
  for (const name of values.keys()) add(name, `The input field ${name} was not expected.`);
  const fields = Object.fromEntries(valid);
  if (type.filterable && lengthOf(fields.filter_fields) !== lengthOf(fields.filter_values))
    add('filter_values', 'Must have one value for each of filter_fields');
  return { fields, problems };
}

const lengthOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0);

const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);
/** Prefix that browsers read as a scheme, so that the address leaves the page's site. */
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const PASSED_OVER = /[\p{Cc}\s]/gu;

/** The normalized value; undefined for an invalid one. */
const READERS: Readonly<Record<ViewField['kind'], (value: unknown, field: ViewField) => unknown>> = {
  TEXT: (value) => (isScalar(value) ? String(value) : undefined),
  ADDRESS: (value) => {
    const plain = isScalar(value) ? String(value).replace(PASSED_OVER, '') : 'none:';
    return SCHEME.test(plain) && !/^https?:/i.test(plain) ? undefined : String(value);
  },
  COUNT: (value) => (isScalar(value) && /^\d{1,9}$/.test(String(value).trim()) ? Number(value) : undefined),
  FLAG: truthOf,
  CHOICE: (value, { options = [] }) => (options.includes(value as string) ? value : undefined),
  TEXTS: (value) => {
    const items = Array.isArray(value) ? value : [value];
    return items.length <= 1000 && items.every(isScalar) ? items.map(String) : undefined;
  },
};

function expected({ kind, options = [] }: ViewField): string {
  if (kind === 'CHOICE') return `Must be one of ${options.join(', ')}`;
  return {
    TEXT: 'Must be a string',
    ADDRESS: 'Must be an http or https URL, or a URL on this site',
    COUNT: 'Must be a natural number',
    FLAG: 'Must be true or false',
    TEXTS: 'Must be a list of at most 1,000 strings',
  }[kind];
}

/** The complete new order: the listed views, then the others in their old order; and its problems. */
export function newOrder(
  requested: readonly string[],
  there: readonly string[],
): { order: string[]; problems: Problem[] } {
  const known = new Set(there);
  const named = new Set(requested);
  const unknown = requested.find((id) => !known.has(id));
  const problem =
    requested.length > named.size
      ? 'No duplicates allowed in order'
      : unknown !== undefined
        ? `View ${unknown} is not one of this resource`
        : null;
  return {
    order: [...requested, ...there.filter((id) => !named.has(id))],
    problems: problem === null ? [] : [{ path: ['order'], message: problem }],
  };
}
