/** Results of the DataStore's actions besides data: repeated parameters, and links to other pages. */
import type { Raw } from '../define.ts';

const PATH = '/api/3/action/datastore_search';
const DEFAULT_LIMIT = 100;

const given = (value: unknown): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);

/** The sent parameters among `names`, unchanged; unknown ones under `__extras`. */
export function repeated(raw: Raw, names: readonly string[], silent: readonly string[] = []): Record<string, unknown> {
  const known = new Set([...names, ...silent]);
  const extras = Object.entries(raw).filter(([name]) => !known.has(name));
  return {
    ...Object.fromEntries(names.filter((name) => given(raw[name])).map((name) => [name, raw[name]])),
    ...(extras.length > 0 && { __extras: Object.fromEntries(extras) }),
  };
}

/** Parameters that show how a search was interpreted, in their parsed forms. */
export function searched(raw: Raw, read: Raw): Record<string, unknown> {
  const names = ['filters', 'q', 'full_text', 'plain', 'language', 'limit', 'offset', 'distinct', 'records_format'];
  const values = names.filter((name) => given(raw[name])).map((name) => [name, read[name] ?? raw[name]]);
  return { ...Object.fromEntries(values), ...(given(raw.sort) && { sort: raw.sort }) };
}

/** Links to the first page, the next, and the previous one if any. For a POST, the client repeats its parameters. */
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

/** Fields in the wire format. Omits what the data dictionary does not contain. */
export const fieldDicts = (fields: readonly { id: string; type: string; info?: unknown }[]) =>
  fields.map(({ id, type, info }) => ({ id, type, ...(info != null && { info }) }));

/** Type names known to the earliest clients. */
export const kindOf = (type: string): string =>
  type === 'numeric' || type === 'int4' ? 'number' : type.startsWith('timestamp') ? 'date' : 'text';
