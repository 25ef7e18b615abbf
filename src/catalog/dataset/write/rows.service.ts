/** Rows of one dataset write: computes the new rows and sends all statements together. */
import { movePast, recordRevision } from '../../../changes/changes.service.ts';
import type { Sql } from '../../../infra/postgres/db.ts';
import type { Call } from '../../../kernel/call.ts';
import { newId } from '../../../kernel/ids.ts';
import { isInStreams, isKnown, isPublic, published } from '../../document/notice.rules.ts';
import type { DatasetParts, DatasetRow, GroupRow, ResourceRow } from '../../document/project.ts';
import { type FoundTags, tagIdsFor } from '../../tag/tag.service.ts';
import type { DatasetDraft } from './dataset.draft.ts';
import { deleteResources, writeDatasetRow, writeExtras, writeGroups, writeResources, writeTags } from './write.sql.ts';

/** The written rows, except relationships, document and revision. */
export interface Rows {
  readonly row: DatasetRow;
  /** All resources. Unchanged ones carry an older revision. */
  readonly resources: readonly ResourceRow[];
  readonly tags: DatasetParts['tags'];
  readonly extras: DatasetParts['extras'];
  readonly groups: readonly GroupRow[];
}

/** The dataset's tags, each once, in input order; creates missing tags. */
export async function tagsOf(
  call: Call,
  { tags }: DatasetDraft,
  existing: DatasetParts | null,
  found: FoundTags['ids'],
): Promise<Rows['tags']> {
  if (tags === null) return existing?.tags ?? [];
  const ids = await tagIdsFor(call, tags, found);
  return [...new Map(ids.map((tagId, index) => [tagId, { id: tagId, ...tags[index]! }])).values()];
}

/** The dataset's extras; extras without a value are removed. */
export function extrasOf({ extras }: DatasetDraft, existing: DatasetParts | null): Rows['extras'] {
  if (extras === null) return existing?.extras ?? [];
  return extras.filter((extra): extra is { key: string; value: string } => typeof extra.value === 'string');
}

/** Updates the tables to these rows. Sends the statements together and skips unchanged rows. */
export async function writeRows(
  sql: Sql,
  rows: Rows,
  existing: DatasetParts | null,
  revisionId: string,
): Promise<void> {
  const { row, resources, tags, extras, groups } = rows;
  const remaining = new Set(resources.map(({ id }) => id));
  const removed = (existing?.resources ?? []).map(({ id }) => id).filter((id) => !remaining.has(id));
  const touches = (now: readonly unknown[], before: readonly unknown[] = []) =>
    now !== before && now.length + before.length > 0;
  await Promise.all([
    writeDatasetRow(sql, row, existing === null),
    deleteResources(sql, row.id, removed),
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

/** Records the revision of this write and its changes, with an activity if streams show it. */
export async function recordWrite(
  call: Call,
  rows: Rows,
  existing: DatasetParts | null,
  revisionId: string,
  message?: string | null,
): Promise<void> {
  const { row, groups } = rows;
  // A deleted public dataset keeps its last public name: other changes of the same write were never public.
  const { name, title } = existing && row.state === 'deleted' ? existing.dataset : row;
  const why = message || `REST API: ${existing ? 'Update' : 'Create'} object ${name}`;
  const action = existing ? changeOf(existing.dataset.state, row.state) : ('created' as const);
  const detail = { name, title, version: row.version, ...published(row, existing) };
  const isVisible = isKnown(existing?.dataset ?? null, row);
  const activityId = isInStreams(rows, existing, revisionId) ? newId() : undefined;
  const streams = activityId === undefined ? [] : streamsOf(rows, existing);
  const change = { objectType: 'dataset' as const, objectId: row.id, action, detail, activityId, streams };
  const concerned = groupsConcerned(row, groups, existing);
  await recordRevision(call, revisionId, why, [{ ...change, isPublic: isVisible }], concerned);
  if (existing && isPublic(row) && (concerned.length > 0 || !isPublic(existing.dataset)))
    await movePast(call, [row.id]);
}

/** Groups and the owner of a dataset that everyone could see; for a deleted one, those before the deletion. */
function streamsOf({ row, groups }: Rows, existing: DatasetParts | null): string[] {
  const isDeleted = row.state === 'deleted' && existing !== null;
  const owner = isDeleted ? existing.dataset.ownerOrganizationId : row.ownerOrganizationId;
  return [...(owner === null ? [] : [owner]), ...(isDeleted ? existing.groups : groups).map(({ id }) => id)];
}

/** Groups and owners that the dataset joined or left. */
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
