/** Makes the draft of a group from the input and the stored row. Pure. */

import type { GroupRecord } from './group.store.ts';
import type { ExtraInput, GroupInput, ParentInput, UserInput } from './input.ts';

export type Mode = 'create' | 'replace' | 'patch';

export interface GroupLists {
  /** Null: unchanged. */
  readonly extras: readonly ExtraInput[] | null;
  readonly users: readonly UserInput[] | null;
  readonly parents: readonly ParentInput[] | null;
  /** Ids or names of the group's datasets; null: unchanged. */
  readonly datasets: readonly string[] | null;
}

/** The row after the write, except revision and version. Omitted texts stay; the type never changes; null clears a text. */
export function draftRow(
  input: GroupInput,
  blank: GroupRecord,
  existing: GroupRecord | null,
  mayChangeState: boolean,
): GroupRecord {
  const before = existing ?? blank;
  const word = (requested: string | null | undefined, stored: string): string => requested || stored;
  const text = (requested: string | null | undefined, stored: string): string =>
    requested === undefined ? stored : (requested ?? '');
  return {
    ...before,
    name: text(input.name, before.name),
    title: text(input.title, before.title),
    description: text(input.description, before.description),
    imageUrl: text(input.imageUrl, before.imageUrl),
    type: existing || before.isOrganization ? before.type : word(input.type, before.type),
    approvalStatus: word(input.approvalStatus, before.approvalStatus),
    state: mayChangeState ? word(input.state, before.state) : before.state,
  };
}

/** The lists after the write: a patch keeps omitted lists; otherwise they become empty. Organizations keep their datasets. */
export function draftLists(input: GroupInput, mode: Mode, isOrganization: boolean): GroupLists {
  const list = <T>(requested: readonly T[] | null | undefined): readonly T[] | null =>
    requested === undefined && mode === 'patch' ? null : (requested ?? []);
  return {
    extras: list(input.extras),
    users: list(input.users),
    parents: list(input.parents),
    datasets: isOrganization && mode !== 'create' ? null : (list(input.datasets)?.map((dataset) => dataset.id) ?? null),
  };
}

/** Extras (null: unchanged) with `setExtras` merged into them. */
export function withSetExtras(
  extras: GroupLists['extras'],
  { setExtras }: GroupInput,
  before: readonly ExtraInput[],
): GroupLists['extras'] {
  if (!setExtras?.length) return extras;
  const keys = new Set(setExtras.map(({ key }) => key));
  const others = (extras ?? before).filter(({ key }) => !keys.has(key));
  return [...others, ...setExtras.flatMap(({ key, value }) => (value == null ? [] : [{ key, value }]))];
}

const COLUMNS = ['name', 'title', 'description', 'imageUrl', 'type', 'approvalStatus', 'state'] as const;
/** Columns of a group that datasets' documents embed. For an organization they embed its revision, so any change counts. */
const REPEATED = ['name', 'title', 'description', 'imageUrl', 'state'] as const;

/** Whether any of the group's own fields differ. */
export const rowDiffers = (before: GroupRecord, after: GroupRecord): boolean =>
  COLUMNS.some((column) => before[column] !== after[column]);

/** Whether datasets' documents must be rewritten. */
export const documentsDiffer = (before: GroupRecord, after: GroupRecord): boolean =>
  after.isOrganization ? rowDiffers(before, after) : REPEATED.some((column) => before[column] !== after[column]);
