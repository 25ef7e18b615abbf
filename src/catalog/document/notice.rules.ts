/** Decides whether a dataset write appears in activity streams. Only public changes do. */
import type { DatasetParts, DatasetRow } from './project.ts';

/** A dataset after a write. */
type Written = { readonly row: DatasetRow } & {
  readonly [List in 'resources' | 'tags' | 'extras' | 'groups']: readonly DatasetParts[List][number][];
};

/** True for changes of public datasets, and for the deletion of a public dataset. */
export function isInStreams(written: Written, existing: DatasetParts | null, revisionId: string): boolean {
  return isKnown(existing?.dataset ?? null, written.row) && (!existing || differs(written, existing, revisionId));
}

/** Whether a change is public, from the dataset's visibility before and after it. */
export const isKnown = (before: Visibility | null, after: Visibility): boolean =>
  isPublic(after) || (before !== null && isPublic(before) && after.state === 'deleted' && !after.private);

type Visibility = Pick<DatasetRow, 'state' | 'private'>;

/** The log detail of a draft that becomes public. For readers it is a new dataset. */
export const published = (row: DatasetRow, existing: DatasetParts | null): { published?: true } =>
  existing?.dataset.state === 'draft' && row.state === 'active' ? { published: true } : {};

/** Whether everyone may read a dataset. */
export const isPublic = ({ state, private: hidden }: Visibility): boolean => state === 'active' && !hidden;

/** Whether the dataset or one of its parts has changed. */
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
