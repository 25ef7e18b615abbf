/** Facets for people: values with what they are called. */
import { findLicense } from '../../catalog/license/license.service.ts';
import type { Call } from '../../kernel/call.ts';
import type { FacetCount } from '../postgres/facets.store.ts';
import { groupTitles } from './titles.store.ts';

export interface FacetItem {
  readonly name: string;
  readonly displayName: string;
  readonly count: number;
}

export interface FacetRecord {
  readonly field: string;
  readonly items: FacetItem[];
}

/** Values of each field with their display names. */
export function nameFacets(
  call: Call,
  names: readonly string[],
  counts: readonly FacetCount[][],
): Promise<FacetRecord[]> {
  return Promise.all(
    names.map(async (field, index) => {
      const values = counts[index]!;
      const titleOf = await titlesOf(call, field, values);
      return { field, items: values.map(({ value, count }) => ({ name: value, displayName: titleOf(value), count })) };
    }),
  );
}

async function titlesOf(call: Call, field: string, values: readonly FacetCount[]): Promise<(value: string) => string> {
  if (field === 'license_id') return (id) => findLicense(id)?.title || id;
  if ((field !== 'organization' && field !== 'groups') || values.length === 0) return (value) => value;
  const titles = await groupTitles(
    call.sql,
    values.map(({ value }) => value),
  );
  return (name) => titles.get(name) ?? name;
}
