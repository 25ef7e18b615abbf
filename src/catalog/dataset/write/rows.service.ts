/** The rows of one dataset's write: what the tables shall hold, and all of it sent at once. */
import { movePast, recordRevision } from '../../../changes/changes.service.ts';
import type { Sql } from '../../../infra/postgres/db.ts';
import type { Call } from '../../../kernel/call.ts';
import { newId } from '../../../kernel/ids.ts';
import { isKnown, isPublic, isTold, published } from '../../document/notice.rules.ts';
import type { DatasetParts, DatasetRow, GroupRow, ResourceRow } from '../../document/project.ts';
import { tagIdsFor } from '../../tag/tag.service.ts';
import type { DatasetDraft } from './dataset.draft.ts';
import { deleteResources, writeDatasetRow, writeExtras, writeGroups, writeResources, writeTags } from './write.sql.ts';

/** What is written besides relationships, document and revision. */
export interface Rows {
  readonly row: DatasetRow;
  /** All of them; those with another revision are as they were. */
  readonly resources: readonly ResourceRow[];
  readonly tags: DatasetParts['tags'];
  readonly extras: DatasetParts['extras'];
  readonly groups: readonly GroupRow[];
}

/** The tags that the dataset shall have, each once, in the order asked; missing ones are made. */
export async function tagsOf(call: Call, { tags }: DatasetDraft, existing: DatasetParts | null): Promise<Rows['tags']> {
  if (tags === null) return existing?.tags ?? [];
  if (tags.length === 0) return [];
  const ids = await tagIdsFor(call, tags);
  return [...new Map(ids.map((tagId, index) => [tagId, { id: tagId, ...tags[index]! }])).values()];
}

/** The extras that the dataset shall have; those without a value are taken away. */
export function extrasOf({ extras }: DatasetDraft, existing: DatasetParts | null): Rows['extras'] {
  if (extras === null) return existing?.extras ?? [];
  return extras.filter((extra): extra is { key: string; value: string } => typeof extra.value === 'string');
}

/** Brings the tables to these rows. The statements go out together; what did not change is not written. */
export async function writeRows(
  sql: Sql,
  rows: Rows,
  existing: DatasetParts | null,
  revisionId: string,
): Promise<void> {
  const { row, resources, tags, extras, groups } = rows;
  const kept = new Set(resources.map(({ id }) => id));
  const gone = (existing?.resources ?? []).map(({ id }) => id).filter((id) => !kept.has(id));
  const touches = (now: readonly unknown[], before: readonly unknown[] = []) =>
    now !== before && now.length + before.length > 0;
  await Promise.all([
    writeDatasetRow(sql, row, existing === null),
    deleteResources(sql, row.id, gone),
    writeResources(
      sql,
      resources.filter((resource) => resource.revisionId === revisionId),
    ),
    touches(tags, existing?.tags) &&
      writeTags(
        sql,
        row.id,
        tags.map(({ id }) => id),
      ),
    touches(extras, existing?.extras) && writeExtras(sql, row.id, extras),
    touches(groups, existing?.groups) &&
      writeGroups(
        sql,
        row.id,
        groups.map(({ id }) => id),
        revisionId,
      ),
  ]);
}

/** The revision of this write, and what it did to the dataset; with an activity where streams tell of it. */
export async function recordWrite(
  call: Call,
  rows: Rows,
  existing: DatasetParts | null,
  revisionId: string,
  message?: string | null,
): Promise<void> {
  const { row, groups } = rows;
  // A public dataset that is deleted is named as everybody knew it: what the same write changes besides was never public.
  const { name, title } = existing && row.state === 'deleted' ? existing.dataset : row;
  const why = message || `REST API: ${existing ? 'Update' : 'Create'} object ${name}`;
  const action = existing ? changeOf(existing.dataset.state, row.state) : ('created' as const);
  const detail = { name, title, version: row.version, ...published(row, existing) };
  const isVisible = isKnown(existing?.dataset ?? null, row);
  const activityId = isTold(rows, existing, revisionId) ? newId() : undefined;
  const streams = activityId === undefined ? [] : streamsOf(rows, existing);
  const change = { objectType: 'dataset' as const, objectId: row.id, action, detail, activityId, streams };
  const concerned = groupsConcerned(row, groups, existing);
  await recordRevision(call, revisionId, why, [{ ...change, isPublic: isVisible }], concerned);
  if (existing && isPublic(row) && (concerned.length > 0 || !isPublic(existing.dataset)))
    await movePast(call, [row.id]);
}

/** Groups and the owner where everybody could see the dataset: of a deleted one, where it was before. */
function streamsOf({ row, groups }: Rows, existing: DatasetParts | null): string[] {
  const isDeleted = row.state === 'deleted' && existing !== null;
  const owner = isDeleted ? existing.dataset.ownerOrganizationId : row.ownerOrganizationId;
  return [...(owner === null ? [] : [owner]), ...(isDeleted ? existing.groups : groups).map(({ id }) => id)];
}

/** Groups and owners that the dataset came to or left. */
function groupsConcerned(row: DatasetRow, groups: Rows['groups'], existing: DatasetParts | null): string[] {
  const owners = [row.ownerOrganizationId, existing?.dataset.ownerOrganizationId ?? null];
  const before = new Set(existing?.groups.map(({ id }) => id));
  const after = new Set(groups.map(({ id }) => id));
  return [
    ...(owners[0] === owners[1] ? [] : owners.filter((id) => id !== null)),
    ...[...after].filter((id) => !before.has(id)),
    ...[...before].filter((id) => !after.has(id)),
  ];
}

function changeOf(before: string, after: string): 'updated' | 'deleted' | 'restored' {
  if (before === after || (before !== 'deleted' && after !== 'deleted')) return 'updated';
  return after === 'deleted' ? 'deleted' : 'restored';
}
