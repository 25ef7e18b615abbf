/** Which writes of datasets streams of activities tell of: what everybody may know, where something changed. */
import type { DatasetParts, DatasetRow } from './project.ts';

/** A dataset as a write leaves it. */
type Written = { readonly row: DatasetRow } & {
  readonly [List in 'resources' | 'tags' | 'extras' | 'groups']: readonly DatasetParts[List][number][];
};

/** What public datasets are like, and that a public one was deleted. */
export function isTold(written: Written, existing: DatasetParts | null, revisionId: string): boolean {
  return isKnown(existing?.dataset ?? null, written.row) && (!existing || differs(written, existing, revisionId));
}

/** Whether everybody may know of a change, by who could see the dataset before and can see it now. */
export const isKnown = (before: Visibility | null, after: Visibility): boolean =>
  isPublic(after) || (before !== null && isPublic(before) && after.state === 'deleted' && !after.private);

type Visibility = Pick<DatasetRow, 'state' | 'private'>;

/** What the log says of a draft that everybody sees from now on: to them it is new. */
export const published = (row: DatasetRow, existing: DatasetParts | null): { published?: true } =>
  existing?.dataset.state === 'draft' && row.state === 'active' ? { published: true } : {};

/** Whether everybody may read a dataset. */
export const isPublic = ({ state, private: hidden }: Visibility): boolean => state === 'active' && !hidden;

/** Whether the dataset or what hangs on it has changed. */
function differs({ row, resources, tags, extras, groups }: Written, before: DatasetParts, revisionId: string): boolean {
  return (
    row.revisionId === revisionId ||
    resources.some((resource) => resource.revisionId === revisionId) ||
    resources.length !== before.resources.length ||
    !sameSet(tags, before.tags, ({ id }) => id) ||
    !sameSet(groups, before.groups, ({ id }) => id) ||
    !sameSet(extras, before.extras, ({ key, value }) => JSON.stringify([key, value]))
  );
}

function sameSet<T>(now: readonly T[], before: readonly T[], keyOf: (item: T) => string): boolean {
  const known = new Set(before.map(keyOf));
  return now.length === before.length && now.every((item) => known.has(keyOf(item)));
}
