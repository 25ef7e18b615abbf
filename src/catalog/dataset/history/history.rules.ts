/** Compares two copies of a dataset. Pure. */
import { isDeepStrictEqual } from 'node:util';
import type { DatasetBody, ResourceBody } from '../../document/record.ts';

/** One difference. Keys are those of documents. */
export interface FieldChange {
  readonly field: string;
  /** The resource of the field; null for the dataset's own fields. */
  readonly resourceId: string | null;
  /** Null when the field was missing, or was removed. */
  readonly before: unknown;
  readonly after: unknown;
}

/** Not compared: bookkeeping, derived fields, and fields that other datasets influence. */
const NOT_COMPARED = new Set([
  'revision_id',
  'metadata_modified',
  'num_resources',
  'num_tags',
  'organization',
  'license_title',
  'license_url',
  'isopen',
  'relationships_as_subject',
  'relationships_as_object',
  'resources',
]);
const NOT_COMPARED_OF_RESOURCES = new Set(['revision_id', 'package_id', 'position', 'datastore_active']);

/** Fields by name, then resources: removed, added, changed (by field), and last their order. */
export function compareCopies(before: DatasetBody, after: DatasetBody): FieldChange[] {
  const was = new Map(before.resources.map((resource) => [resource.id, resource]));
  const is = new Map(after.resources.map((resource) => [resource.id, resource]));
  const removed = before.resources.filter(({ id }) => !is.has(id));
  const added = after.resources.filter(({ id }) => !was.has(id));
  const remaining = after.resources.filter(({ id }) => was.has(id));
  return [
    ...differences(before, after, NOT_COMPARED, null),
    ...removed.map((resource) => whole(resource.id, resource, null)),
    ...added.map((resource) => whole(resource.id, null, resource)),
    ...remaining.flatMap((resource) =>
      differences(was.get(resource.id)!, resource, NOT_COMPARED_OF_RESOURCES, resource.id),
    ),
    ...order(
      before.resources.filter(({ id }) => is.has(id)).map(({ id }) => id),
      remaining.map(({ id }) => id),
    ),
  ];
}

function differences(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  except: ReadonlySet<string>,
  resourceId: string | null,
): FieldChange[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((key) => !except.has(key) && !isDeepStrictEqual(before[key] ?? null, after[key] ?? null))
    .sort()
    .map((field) => ({ field, resourceId, before: before[field] ?? null, after: after[field] ?? null }));
}

const whole = (resourceId: string, before: ResourceBody | null, after: ResourceBody | null): FieldChange => ({
  field: 'resources',
  resourceId,
  before,
  after,
});

const order = (before: readonly string[], after: readonly string[]): FieldChange[] =>
  isDeepStrictEqual(before, after) ? [] : [{ field: 'resources', resourceId: null, before, after }];
