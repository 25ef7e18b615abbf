/** Facet counts with display names. */
import { findLicense } from '../../catalog/license/license.service.ts';
import type { Call } from '../../kernel/call.ts';
import { type Problem, refuse } from '../../kernel/errors.ts';
import type { FacetCount, FacetPage, FacetWish } from '../engine.ts';
import { checkFacets } from '../query/budget.ts';
import type { ExactField } from '../query/fields.ts';
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

/** Facets to count. @throws CatalogError VALIDATION for a field that cannot be counted */
export function facetWishes(
  call: Call,
  { fields, limit, minCount }: { fields: readonly string[]; limit?: number | null; minCount?: number | null },
): { names: string[]; facets: FacetWish[] } {
  const counted = countedFields(fields);
  const max = limit ?? call.settings['search.facets.limit'];
  const facets = counted.map(({ field }) => ({
    field,
    limit: max < 0 ? null : max,
    least: Math.max(0, minCount ?? 1),
  }));
  return { names: counted.map(({ name }) => name), facets };
}

/** Fields whose values can be counted. @throws CatalogError VALIDATION, SEARCH */
export function countedFields(fields: readonly string[]): { name: string; field: ExactField }[] {
  const problems: Problem[] = [];
  const counted = facetFieldsOf(fields, problems);
  refuse(problems);
  checkFacets(counted.map(({ field }) => field));
  return counted;
}

/** Values of each field with their display names. */
export function nameFacets(call: Call, names: readonly string[], pages: readonly FacetPage[]): Promise<FacetRecord[]> {
  return Promise.all(
    names.map(async (field, index) => ({ field, items: await namedValues(call, field, pages[index]!.values) })),
  );
}

export async function namedValues(call: Call, field: string, values: readonly FacetCount[]): Promise<FacetItem[]> {
  const titleOf = await titlesOf(call, field, values);
  return values.map((one) => ({ name: one.value, displayName: titleOf(one), count: one.count }));
}

async function titlesOf(
  call: Call,
  field: string,
  values: readonly FacetCount[],
): Promise<(one: FacetCount) => string> {
  if (field === 'license_id') return ({ value }) => findLicense(value)?.title || value;
  if (field !== 'organization' && field !== 'groups') return ({ value }) => value;
  const unknown = values.flatMap(({ value, title }) => (title === undefined ? [value] : []));
  const titles = unknown.length > 0 ? await groupTitles(call.db, unknown) : new Map<string, string>();
  return ({ value, title }) => title ?? titles.get(value) ?? value;
}
