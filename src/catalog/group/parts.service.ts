/** Writes a group's extras, users, parents and datasets. */
import type { ChangeRecord } from '../../changes/changes.sql.ts';
import type { Call } from '../../kernel/call.ts';
import { fileDatasets, unfileDatasets } from '../document/document.service.ts';
import { datasetsOfGroup } from '../document/document.store.ts';
import type { GroupRecord } from './group.store.ts';
import type { RequestedLists } from './references.service.ts';
import { writeList } from './write.sql.ts';

const FILED_AS = 'public';

/** Writes the differences. `changed` is true if there were any; `changes` are the datasets' entries for the change log. */
export async function writeLists(
  call: Call,
  group: GroupRecord,
  requested: RequestedLists,
  isNew: boolean,
  revisionId: string,
): Promise<{ changed: boolean; changes: ChangeRecord[] }> {
  const users =
    isNew && call.actor.userId !== null
      ? new Map([...(requested.users ?? []), [call.actor.userId, 'admin']])
      : requested.users;
  let changed = false;
  for (const [list, pairs] of [
    ['extras', requested.extras],
    ['users', users],
    ['parents', requested.parents],
  ] as const) {
    if (pairs === null || (isNew && pairs.size === 0)) continue;
    changed = (await writeList(call.sql, list, group.id, pairs, revisionId)) || changed;
  }
  const changes = requested.datasets ? await setDatasets(call, group, requested.datasets, isNew, revisionId) : [];
  return { changed: changed || changes.length > 0, changes };
}

async function setDatasets(
  call: Call,
  group: GroupRecord,
  datasetIds: readonly string[],
  isNew: boolean,
  revisionId: string,
): Promise<ChangeRecord[]> {
  const before = new Set(isNew ? [] : await datasetsOfGroup(call.db, group.id));
  const after = new Set(datasetIds);
  const removed = [...before].filter((id) => !after.has(id));
  const added = [...after].filter((id) => !before.has(id));
  if (removed.length > 0) await unfileDatasets(call, group.id, removed);
  if (added.length > 0) await fileDatasets(call, group, added, FILED_AS, revisionId);
  return [
    ...removed.map((id) => datasetChange(id, { takenOutOf: group.name })),
    ...added.map((id) => datasetChange(id, { filedUnder: group.name })),
  ];
}

/** A dataset's change-log entry for joining or leaving a group. */
export const datasetChange = (id: string, detail: Record<string, unknown>): ChangeRecord => ({
  objectType: 'dataset',
  objectId: id,
  action: 'updated',
  detail,
});
