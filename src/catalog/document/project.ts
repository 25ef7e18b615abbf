/** The projector: rows of a dataset → its document. Pure; the only writer that knows the document's shape. */
import { byTextKey, type DatasetTextField } from '../../kernel/dataset-fields.ts';
import { compareText } from '../../kernel/text.ts';
import { wireTime } from '../../kernel/time.ts';
import { imageAddress } from '../file/image.rules.ts';
import { findLicense } from '../license/license.service.ts';
import type { DatasetBody, GroupBody, OrganizationBody, RelationshipBody, ResourceBody, TagBody } from './record.ts';

export interface DatasetRow extends Record<DatasetTextField, string | null> {
  id: string;
  name: string;
  title: string;
  type: string;
  state: string;
  private: boolean;
  ownerOrganizationId: string | null;
  creatorId: string | null;
  createdAt: Date;
  modifiedAt: Date;
  revisionId: string;
  version: number;
  fields: unknown;
}

export interface ResourceRow {
  id: string;
  datasetId: string;
  position: number;
  state: string;
  url: string;
  name: string | null;
  description: string;
  format: string;
  hash: string;
  mimetype: string | null;
  mimetypeInner: string | null;
  resourceType: string | null;
  urlType: string | null;
  cacheUrl: string | null;
  webstoreUrl: string | null;
  size: bigint | null;
  created: string | null;
  lastModified: string | null;
  cacheLastUpdated: string | null;
  webstoreLastUpdated: string | null;
  extras: unknown;
  revisionId: string;
  version: number;
  /** Whether its table is in the DataStore. Only the DataStore changes it. */
  datastoreActive: boolean;
}

export interface GroupRow {
  id: string;
  name: string;
  title: string;
  description: string;
  imageUrl: string;
  type: string;
  isOrganization: boolean;
  approvalStatus: string;
  state: string;
  createdAt: Date;
  revisionId: string;
}

export interface RelationshipRow {
  id: string;
  subjectId: string;
  objectId: string;
  type: string;
  comment: string;
  revisionId: string;
}

export interface DatasetParts {
  dataset: DatasetRow;
  /** By position. */
  resources: ResourceRow[];
  tags: { id: string; name: string; vocabularyId: string | null }[];
  extras: { key: string; value: string }[];
  /** Active groups of the dataset. */
  groups: GroupRow[];
  organization: GroupRow | null;
  asSubject: RelationshipRow[];
  asObject: RelationshipRow[];
}

const byName = (a: { name: string }, b: { name: string }): number => compareText(a.name, b.name);
const byKey = (a: { key: string }, b: { key: string }): number => compareText(a.key, b.key);
const displayName = (group: GroupRow): string => group.title || group.name;
const byDisplayName = (a: GroupRow, b: GroupRow): number => compareText(displayName(a), displayName(b)) || byName(a, b);
const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);

/**
 * The dataset's document, with file and image addresses below `siteUrl`. Sorted: tags by name, extras by key, groups by
 * display name, resources by position, relationships by id.
 */
export function projectDataset(parts: DatasetParts, siteUrl: string): DatasetBody {
  const { dataset } = parts;
  const license = findLicense(dataset.licenseId);
  return {
    ...(dataset.fields as Record<string, unknown>),
    id: dataset.id,
    name: dataset.name,
    title: dataset.title,
    type: dataset.type,
    state: dataset.state,
    private: dataset.private,
    ...byTextKey((_key, field) => dataset[field]),
    license_title: license?.title ?? dataset.licenseId,
    ...(license?.url ? { license_url: license.url } : {}),
    isopen: license?.isOpen ?? false,
    owner_org: dataset.ownerOrganizationId,
    creator_user_id: dataset.creatorId,
    organization: parts.organization?.state === 'active' ? organizationBody(parts.organization) : null,
    metadata_created: wireTime(dataset.createdAt),
    metadata_modified: wireTime(dataset.modifiedAt),
    revision_id: dataset.revisionId,
    num_resources: parts.resources.length,
    num_tags: parts.tags.length,
    resources: parts.resources.map((resource, position) => resourceBody(resource, position, siteUrl)),
    tags: [...parts.tags].sort(byName).map(tagBody),
    extras: [...parts.extras].sort(byKey).map(({ key, value }) => ({ key, value })),
    groups: [...parts.groups].sort(byDisplayName).map((group) => groupBody(group, siteUrl)),
    relationships_as_subject: [...parts.asSubject].sort(byId).map(relationshipBody),
    relationships_as_object: [...parts.asObject].sort(byId).map(relationshipBody),
  };
}

/** A resource as the document stores it. */
export function resourceBody(row: ResourceRow, position: number, siteUrl: string): ResourceBody {
  return {
    ...(row.extras as Record<string, unknown>),
    id: row.id,
    package_id: row.datasetId,
    position,
    state: row.state,
    url: addressOf(row, siteUrl),
    name: row.name,
    description: row.description,
    format: row.format,
    hash: row.hash,
    size: row.size === null ? null : Number(row.size),
    mimetype: row.mimetype,
    mimetype_inner: row.mimetypeInner,
    resource_type: row.resourceType,
    url_type: row.urlType,
    cache_url: row.cacheUrl,
    webstore_url: row.webstoreUrl,
    created: row.created,
    last_modified: row.lastModified,
    cache_last_updated: row.cacheLastUpdated,
    webstore_last_updated: row.webstoreLastUpdated,
    revision_id: row.revisionId,
    datastore_active: row.datastoreActive,
  };
}

/** The stored url of a table-only resource. The contract's clients know this text. */
export const TABLE_ONLY = '_datastore_only_resource';

/** Whether the catalog stores the resource's file, under its name alone. `upload` with a whole address is a file at another catalog. */
export const isStoredFile = ({ url, urlType }: Pick<ResourceRow, 'url' | 'urlType'>): boolean =>
  urlType === 'upload' && url !== '' && !url.includes('/');

/** A file of this catalog is stored by its name; every other one by its whole address. */
const addressOf = ({ id, datasetId, url, urlType }: ResourceRow, siteUrl: string): string =>
  isStoredFile({ url, urlType })
    ? `${siteUrl}/dataset/${datasetId}/resource/${encodeURIComponent(id)}/download/${url}`
    : urlType === 'datastore' && url === TABLE_ONLY
      ? `${siteUrl}/datastore/dump/${encodeURIComponent(id)}`
      : url;

const relationshipBody = (row: RelationshipRow): RelationshipBody => ({
  id: row.id,
  type: row.type,
  comment: row.comment,
  __extras: { subject_package_id: row.subjectId, object_package_id: row.objectId, revision_id: row.revisionId },
});

const tagBody = (tag: DatasetParts['tags'][number]): TagBody => ({
  id: tag.id,
  name: tag.name,
  display_name: tag.name,
  state: 'active',
  vocabulary_id: tag.vocabularyId,
});

const groupBody = (group: GroupRow, siteUrl: string): GroupBody => ({
  id: group.id,
  name: group.name,
  title: group.title,
  display_name: displayName(group),
  description: group.description,
  image_display_url: imageAddress('group', group.imageUrl, siteUrl),
});

/** An organization as documents embed it. These are also a group's own fields. */
export const organizationBody = (group: GroupRow): OrganizationBody => ({
  id: group.id,
  name: group.name,
  title: group.title,
  description: group.description,
  image_url: group.imageUrl,
  created: wireTime(group.createdAt),
  is_organization: group.isOrganization,
  type: group.type,
  state: group.state,
  approval_status: group.approvalStatus,
  revision_id: group.revisionId,
});
