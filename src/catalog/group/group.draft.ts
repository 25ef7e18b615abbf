/** Input and what is stored → the group as it shall be. Pure. */

import type { GroupRecord } from './group.store.ts';
import type { ExtraInput, GroupInput, ParentInput, UserInput } from './input.ts';

export type Mode = 'create' | 'replace' | 'patch';

export interface GroupLists {
  /** Null: as they are. */
  readonly extras: readonly ExtraInput[] | null;
  readonly users: readonly UserInput[] | null;
  readonly parents: readonly ParentInput[] | null;
  /** Ids or names of datasets to be filed under it; null: as they are. */
  readonly datasets: readonly string[] | null;
}

/** The row as it shall be, but for revision and version. Texts left out stay; the type stays for good; null clears a text. */
export function draftRow(
  input: GroupInput,
  blank: GroupRecord,
  existing: GroupRecord | null,
  mayChangeState: boolean,
): GroupRecord {
  const before = existing ?? blank;
  const word = (given: string | null | undefined, kept: string): string => given || kept;
  const text = (given: string | null | undefined, kept: string): string => (given === undefined ? kept : (given ?? ''));
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

/** The lists as they shall be: a patch keeps those left out; otherwise they become empty. Organizations keep their datasets once made. */
export function draftLists(input: GroupInput, mode: Mode, isOrganization: boolean): GroupLists {
  const list = <T>(given: readonly T[] | null | undefined): readonly T[] | null =>
    given === undefined && mode === 'patch' ? null : (given ?? []);
  return {
    extras: list(input.extras),
    users: list(input.users),
    parents: list(input.parents),
    datasets:
      isOrganization && mode !== 'create' ? null : (list(input.datasets)?.map((dataset) => dataset.databaseId) ?? null),
  };
}

/** Extras (null: as they are) with those that are set one by one. */
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
/** Columns that datasets' documents repeat of a group. Of an organization they repeat its revision, so any change counts. */
const REPEATED = ['name', 'title', 'description', 'imageUrl', 'state'] as const;

/** Whether any of the group's own fields differ. */
export const rowDiffers = (before: GroupRecord, after: GroupRecord): boolean =>
  COLUMNS.some((column) => before[column] !== after[column]);

/** Whether datasets' documents have to be written anew. */
export const documentsDiffer = (before: GroupRecord, after: GroupRecord): boolean =>
  after.isOrganization ? rowDiffers(before, after) : REPEATED.some((column) => before[column] !== after[column]);
