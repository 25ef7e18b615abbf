/** Parameters that this site saves with a view, in `config.query` as the query of a URL. */
import { parse } from 'node:querystring';
import type { View } from './at.ts';
import type { Query } from './table-state.ts';

/** Characters of a saved query. */
export const MAX_QUERY = 4_000;

export function savedQuery(view: View | null): Query {
  const config: unknown = view?.config;
  const query = config && typeof config === 'object' ? (config as Record<string, unknown>).query : undefined;
  return typeof query === 'string' && query.length <= MAX_QUERY ? { ...parse(query) } : {};
}
