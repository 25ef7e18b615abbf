/** Facets for people: values with what they are called. */
import { findLicense } from '../../catalog/license/license.service.ts';
import type { Call } from '../../kernel/call.ts';
import { type Problem, refuse } from '../../kernel/errors.ts';
import type { FacetCount, FacetWish } from '../engine.ts';
import { facetFieldsOf } from './search.rules.ts';
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

/** What to count. @throws CatalogError VALIDATION for a field that cannot be counted */
export function facetWishes(
  call: Call,
  { fields, limit, minCount }: { fields: readonly string[]; limit?: number | null; minCount?: number | null },
): { names: string[]; facets: FacetWish[] } {
  const problems: Problem[] = [];
  const counted = facetFieldsOf(fields, problems);
  refuse(problems);
  const most = limit ?? call.settings['search.facets.limit'];
  const facets = counted.map(({ field }) => ({
    field,
    limit: most < 0 ? null : most,
    least: Math.max(0, minCount ?? 1),
  }));
  return { names: counted.map(({ name }) => name), facets };
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
