/** Changes of the datasets' read model by other features, each in one or two set-based statements. Call these inside the transaction. */

import { lockRow } from '../../infra/postgres/row-lock.sql.ts';
import type { Call } from '../../kernel/call.ts';
import { indexDatasets, indexGroup } from '../../search/index/index.service.ts';
import {
  insertDatasetGroups,
  linkOwn,
  refreshGroups,
  refreshOrganization,
  refreshRelationships,
  refreshTags,
  releaseOwned,
  writeTableActive,
} from './document.sql.ts';
import { datasetOfResource, datasetsOfGroup, deleteDatasetGroups, dropTags } from './document.store.ts';

const siteUrlOf = (call: Call): string => call.settings['catalog.site_url'];

/** Updates the documents that embed a group or organization, after its own fields or state changed. */
export async function refreshGroupInDocuments(
  call: Call,
  group: { id: string; isOrganization: boolean },
): Promise<void> {
  if (group.isOrganization) await refreshOrganization(call.sql, group.id);
  else await refreshGroups(call.sql, await datasetsOfGroup(call.db, group.id), siteUrlOf(call));
  await indexGroup(call, group);
}

/** Adds datasets to a group, or changes the capacity of existing entries. Ignores unknown ids. Returns the ids added or changed. */
export async function fileDatasets(
  call: Call,
  group: { id: string },
  datasetIds: string[],
  capacity: string,
  revisionId: string,
): Promise<string[]> {
  const ids = await insertDatasetGroups(call.sql, group.id, datasetIds, capacity, revisionId);
  await refreshGroups(call.sql, ids, siteUrlOf(call));
  await indexDatasets(call, ids);
  return ids;
}

/** Removes datasets from a group; null removes all. Returns the ids that were in it. */
export async function unfileDatasets(call: Call, groupId: string, datasetIds: string[] | null): Promise<string[]> {
  const ids = await deleteDatasetGroups(call, groupId, datasetIds);
  await refreshGroups(call.sql, ids, siteUrlOf(call));
  await indexDatasets(call, ids);
  return ids;
}

/** Removes the owner of everything an organization owns, before the organization is purged. Returns the dataset ids. */
export async function releaseDatasets(call: Call, organizationId: string, revisionId: string): Promise<string[]> {
  const ids = await releaseOwned(call.sql, organizationId, revisionId);
  await indexDatasets(call, ids);
  return ids;
}

/** Removes tags from every dataset. */
export async function removeTagsFromDocuments(call: Call, tagIds: string[]): Promise<void> {
  const ids = await dropTags(call.db, tagIds);
  await refreshTags(call.sql, ids);
  await indexDatasets(call, ids);
}

/** Refreshes the documents of these datasets after their relationships changed. */
export const refreshRelationshipsInDocuments = (call: Call, datasetIds: string[]): Promise<void> =>
  refreshRelationships(call.sql, datasetIds);

/** The same for a revision that changed the relationships; stores a copy of each dataset. */
export const linkDocuments = (call: Call, datasetIds: readonly string[], revisionId: string): Promise<void> =>
  linkOwn(call.sql, datasetIds, revisionId, call.request.now);

/**
 * Stores in a resource and its dataset's document whether its table is in the DataStore. Skips unchanged values; false
 * for an unknown resource.
 */
export async function markTable({ db, sql }: Call, resourceId: string, active: boolean): Promise<boolean> {
  const datasetId = await datasetOfResource(db, resourceId);
  if (datasetId === null) return false;
  await lockRow(sql, 'dataset', datasetId); // first, as all writers do
  await writeTableActive(sql, resourceId, active);
  return (await datasetOfResource(db, resourceId)) !== null;
}
