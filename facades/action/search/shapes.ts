import type { ActionDatasetSearchQuery } from '../../../src/generated/operations.ts';

type Facets = ActionDatasetSearchQuery['datasetSearch']['facets'];

/** `facets`: field → value → count. */
export const facetCounts = (facets: Facets): Record<string, Record<string, number>> =>
  Object.fromEntries(
    facets.map(({ field, items }) => [field, Object.fromEntries(items.map(({ name, count }) => [name, count]))]),
  );

/** `search_facets`: values with display names, in reverse alphabetical order, as clients expect. */
export const searchFacets = (facets: Facets): Record<string, { title: string; items: Facets[number]['items'] }> =>
  Object.fromEntries(
    facets.map(({ field, items }) => [
      field,
      {
        title: field,
        items: [...items].sort((a, b) =>
          a.display_name < b.display_name ? 1 : a.display_name > b.display_name ? -1 : 0,
        ),
      },
    ]),
  );
