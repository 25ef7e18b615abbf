/** What the DataStore's actions answer besides data: repeated parameters, and links to other pages. */
import type { Raw } from '../define.ts';

const PATH = '/api/3/action/datastore_search';
const DEFAULT_LIMIT = 100;

const given = (value: unknown): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);

/** The parameters among `names` that were given, as they came; those that nobody knows under `__extras`. */
export function repeated(raw: Raw, names: readonly string[], silent: readonly string[] = []): Record<string, unknown> {
  const known = new Set([...names, ...silent]);
  const extras = Object.entries(raw).filter(([name]) => !known.has(name));
  return {
    ...Object.fromEntries(names.filter((name) => given(raw[name])).map((name) => [name, raw[name]])),
    ...(extras.length > 0 && { __extras: Object.fromEntries(extras) }),
  };
}

/** Parameters that say how a search was read, in the forms they were read in. */
export function searched(raw: Raw, read: Raw): Record<string, unknown> {
  const names = ['filters', 'q', 'full_text', 'plain', 'language', 'limit', 'offset', 'distinct', 'records_format'];
  const values = names.filter((name) => given(raw[name])).map((name) => [name, read[name] ?? raw[name]]);
  return { ...Object.fromEntries(values), ...(given(raw.sort) && { sort: raw.sort }) };
}

/** Links to the first page, the next, and the one before where there is one. Parameters of a POST are its sender's to repeat. */
export function links(
  query: Raw | null | undefined,
  page: { limit?: number | undefined; offset?: number | undefined },
) {
  const address = (offset: number | null): string => {
    const parts = new URLSearchParams();
    for (const [name, value] of Object.entries(query ?? {}))
      if (name !== 'offset') for (const item of [value].flat()) parts.append(name, String(item));
    if (offset !== null) parts.append('offset', String(offset));
    const text = parts.toString();
    return text === '' ? PATH : `${PATH}?${text}`;
  };
  const { offset = 0, limit = DEFAULT_LIMIT } = page;
  return {
    start: address(null),
    next: address(offset + limit),
    ...(offset > 0 && limit > 0 && { prev: address(Math.max(offset - limit, 0)) }),
  };
}

/** Fields as clients know them: what the data dictionary does not say is left out. */
export const fieldDicts = (fields: readonly { id: string; type: string; info?: unknown }[]) =>
  fields.map(({ id, type, info }) => ({ id, type, ...(info != null && { info }) }));

/** Kinds of values as the first clients know them. */
export const kindOf = (type: string): string =>
  type === 'numeric' || type === 'int4' ? 'number' : type.startsWith('timestamp') ? 'date' : 'text';
