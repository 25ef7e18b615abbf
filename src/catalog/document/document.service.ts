/** What other features change in the datasets' read model, each in one or two set-based statements. Call these inside the transaction. */

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

/** After a group's or organization's own fields or state changed: what documents embed of it is written anew. */
export async function refreshGroupInDocuments(
  call: Call,
  group: { id: string; isOrganization: boolean },
): Promise<void> {
  if (group.isOrganization) await refreshOrganization(call.sql, group.id);
  else await refreshGroups(call.sql, await datasetsOfGroup(call.db, group.id), siteUrlOf(call));
  await indexGroup(call, group);
}

/** Files datasets under a group (or changes the capacity of those there). Unknown ids are left out. Answers the ids filed. */
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

/** Takes datasets out of a group; null takes out all. Answers the ids that were in it. */
export async function unfileDatasets(call: Call, groupId: string, datasetIds: string[] | null): Promise<string[]> {
  const ids = await deleteDatasetGroups(call, groupId, datasetIds);
  await refreshGroups(call.sql, ids, siteUrlOf(call));
  await indexDatasets(call, ids);
  return ids;
}

/** Leaves everything an organization owns without an owner, before the organization is purged. Answers the dataset ids. */
export async function releaseDatasets(call: Call, organizationId: string, revisionId: string): Promise<string[]> {
  const ids = await releaseOwned(call.sql, organizationId, revisionId);
  await indexDatasets(call, ids);
  return ids;
}

/** Takes tags off every dataset. */
export async function removeTagsFromDocuments(call: Call, tagIds: string[]): Promise<void> {
  const ids = await dropTags(call.db, tagIds);
  await refreshTags(call.sql, ids);
  await indexDatasets(call, ids);
}

/** After relationships of these datasets changed: their documents show them. */
export const refreshRelationshipsInDocuments = (call: Call, datasetIds: string[]): Promise<void> =>
  refreshRelationships(call.sql, datasetIds);

/** The same where a revision of these datasets changed their relationships: each keeps its copy. */
export const linkDocuments = (call: Call, datasetIds: readonly string[], revisionId: string): Promise<void> =>
  linkOwn(call.sql, datasetIds, revisionId, call.now);

/** Says of a resource whether its table is in the DataStore, in its dataset's document too. Does nothing where it says so already; false where there is no such resource. */
export async function markTable({ db, sql }: Call, resourceId: string, active: boolean): Promise<boolean> {
  const datasetId = await datasetOfResource(db, resourceId);
  if (datasetId === null) return false;
  await lockRow(sql, 'dataset', datasetId); // first, as all writers do
  await writeTableActive(sql, resourceId, active);
  return (await datasetOfResource(db, resourceId)) !== null;
}
