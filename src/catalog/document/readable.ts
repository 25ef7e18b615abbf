/** mayReadDataset (dataset.policy.ts) as an SQL condition, for lists and counts, which must not show more than a single read. */
import type { Actor } from '../../kernel/call.ts';

/**
 * True for rows that the reader may read. `d` is an alias of dataset or dataset_document; `first` is the number of the
 * first of four parameters, the values of readerOf. Unowned drafts are readable by their creator only, under any
 * settings.
 */
export const readable = (d: string, first: number): string =>
  `((${d}.state = 'active' AND NOT ${d}.private) OR ${readableByRight(d, first)})`;

/** The same without public rows: true for the rows that stay readable to the reader when they are hidden. */
export const readableByRight = (d: string, first: number): string => `($${first}::boolean
  OR (${d}.state IN ('active', 'deleted') AND ${d}.owner_organization_id = ANY ($${first + 2}::text[]))
  OR ${d}.owner_organization_id = ANY ($${first + 3}::text[])
  OR (${d}.owner_organization_id IS NULL AND ${d}.creator_id = $${first + 1}::text AND ${d}.state <> 'deleted'))`;

/** Values for `readable`: sysadmin or not, the user's id, groups where the user is a member, groups where the user edits. */
export type Reader = readonly [boolean, string | null, string[], string[]];

/** Facts that decide who may read a hidden dataset. */
export interface HiddenFacts {
  readonly state: string;
  readonly ownerId: string | null;
  readonly creatorId: string | null;
}

/** `readableByRight` in the process, for datasets that are not public. */
export function hiddenTest([isSysadmin, userId, memberOf, editorOf]: Reader): (facts: HiddenFacts) => boolean {
  if (isSysadmin) return () => true;
  const [asMember, asEditor] = [new Set(memberOf), new Set(editorOf)];
  return ({ state, ownerId, creatorId }) =>
    ownerId === null
      ? userId !== null && creatorId === userId && state !== 'deleted'
      : asEditor.has(ownerId) || (asMember.has(ownerId) && (state === 'active' || state === 'deleted'));
}

/** The reader of a call. */
export function readerOf({ sysadmin, userId, capacities }: Actor): Reader {
  const edited = [...capacities].filter(([, capacity]) => capacity !== 'member').map(([id]) => id);
  return [sysadmin, userId, [...capacities.keys()], edited];
}
