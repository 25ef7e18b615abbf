/** Schemas of the legacy interfaces' dictionaries. */

import { capacity, groupCore, userCore } from '../group/components.ts';
import { ANYTHING, about, listOf, NUMBER, OBJECT, object, orNull, ref, TEXT } from '../schema.ts';
import { ID, NAME, STATE } from '../texts.ts';

export const legacyDataset = object(
  {
    id: ID,
    name: NAME,
    title: TEXT,
    state: STATE,
    license: orNull(about('Title of the license.')),
    notes_rendered: about('The description as HTML.'),
    ratings_average: orNull({ type: 'number' }),
    ratings_count: NUMBER,
    ckan_url: about('URL of the page.'),
    catalog_url: about('The same.'),
    tags: about('Names of free tags.', listOf(TEXT)),
    groups: about('Ids.', listOf(TEXT)),
    extras: { type: 'object', additionalProperties: TEXT },
    resources: listOf(OBJECT),
    relationships: listOf(ref('Relationship')),
  },
  { license_url: TEXT },
);

export const legacyGroup = object({
  ...groupCore,
  extras: { type: 'object', additionalProperties: TEXT },
  users: listOf(object({ ...userCore, capacity })),
  packages: about('Ids of the first 1,000 datasets.', listOf(TEXT)),
  groups: listOf(OBJECT),
  tags: listOf(ANYTHING),
});
