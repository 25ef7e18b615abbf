/**
 * The same queries for the catalog and for PostGraphile 5: all columns of a dataset and its related rows, and a list of 50 with the fields
 * of a page. Fields that only the catalog computes (titles of licenses, display names) are omitted from both.
 */

const RESOURCE = `url name description format hash mimetype mimetypeInner resourceType urlType cacheUrl webstoreUrl size
    created lastModified cacheLastUpdated webstoreLastUpdated position revisionId`;
const DATASET = `name title notes url label author authorEmail maintainer maintainerEmail licenseId type state private
  ownerOrganizationId creatorId createdAt modifiedAt revisionId version fields`;
const GROUP = 'name title description imageUrl';

export const OURS = {
  dataset: `query ($name: String!) { dataset(name: $name) {
  databaseId ${DATASET}
  organization: embeddedOrganization { databaseId ${GROUP} createdAt }
  resources { databaseId datasetId ${RESOURCE} extras }
  tags { databaseId name vocabularyId }
  extras { key value }
  groups { databaseId ${GROUP} }
} }`,
  list: `query { datasets(first: 50) { nodes {
  databaseId name title notes licenseId modifiedAt
  organization: embeddedOrganization { databaseId name title }
  resources { databaseId name format url size }
  tags { databaseId name }
} } }`,
};

export const PEER = {
  dataset: `query ($name: String!) { dataset: datasetByName(name: $name) {
  databaseId: rowId ${DATASET}
  organization: groupAccountByOwnerOrganizationId { databaseId: rowId ${GROUP} createdAt }
  resources: resourcesByDatasetId(condition: {state: "active"}, orderBy: POSITION_ASC) {
    nodes { databaseId: rowId datasetId ${RESOURCE} extras }
  }
  tags: datasetTagsByDatasetId { nodes { one: tagByTagId { databaseId: rowId name vocabularyId } } }
  extras: datasetExtrasByDatasetId(orderBy: KEY_ASC) { nodes { key value } }
  groups: datasetGroupsByDatasetId { nodes { one: groupAccountByGroupId { databaseId: rowId ${GROUP} } } }
} }`,
  list: `query { datasets: allDatasets(
  first: 50, condition: {state: "active", private: false}, orderBy: [MODIFIED_AT_DESC, ROW_ID_ASC]
) { nodes {
  databaseId: rowId name title notes licenseId modifiedAt
  organization: groupAccountByOwnerOrganizationId { databaseId: rowId name title }
  resources: resourcesByDatasetId(condition: {state: "active"}, orderBy: POSITION_ASC) {
    nodes { databaseId: rowId name format url size }
  }
  tags: datasetTagsByDatasetId { nodes { one: tagByTagId { databaseId: rowId name } } }
} } }`,
};
