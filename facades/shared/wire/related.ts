/** Converts related items to the wire format. */
import type { ActionRelatedDictFragment, CreateRelatedItemInput } from '../../../src/generated/operations.ts';
import { asFlag, asText, type Raw } from '../../../src/records/form/readers.ts';
import { wireTime } from '../../../src/records/form/time.ts';

/** A related item dictionary; `featured` is 0 or 1. */
export const relatedDict = ({ version: _version, ...item }: ActionRelatedDictFragment & { version?: number }) => ({
  ...item,
  featured: item.featured ? 1 : 0,
  created: wireTime(item.created),
});

/** The result for a single item: `__extras` repeats view_count, as older clients expect. */
export const shownRelatedDict = (item: ActionRelatedDictFragment & { version?: number }) => ({
  ...relatedDict(item),
  __extras: { view_count: item.view_count },
});

const TEXTS = {
  id: 'databaseId',
  dataset_id: 'datasetId',
  description: 'description',
  url: 'url',
  image_url: 'imageUrl',
};

/** Input fields of a new item. Omitted required texts become empty, so that the catalog refuses them. */
export function relatedFields(raw: Raw): CreateRelatedItemInput {
  const given = Object.entries(TEXTS).filter(([key]) => raw[key] != null && raw[key] !== '');
  return {
    title: asText(raw.title ?? ''),
    type: asText(raw.type ?? ''),
    ...Object.fromEntries(given.map(([key, name]) => [name, asText(raw[key])])),
    ...(raw.featured != null && { featured: asFlag(raw.featured) }),
  };
}
