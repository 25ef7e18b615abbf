/** The typed queries of the suite `core`. */

const DATASET = `
  id databaseId name title notes url label author authorEmail maintainer maintainerEmail licenseId isOpen
  type state private ownerOrganizationId creatorId createdAt modifiedAt revisionId version resourceCount fields
  license { title url }
  organization: embeddedOrganization { databaseId name title description imageUrl createdAt }
  resources {
    id databaseId datasetId url name description format hash mimetype mimetypeInner resourceType urlType cacheUrl webstoreUrl size
    created lastModified cacheLastUpdated webstoreLastUpdated position revisionId extras
  }
  tags { databaseId name displayName vocabularyId }
  extras { key value }
  groups { databaseId name title displayName description imageUrl }
`;

/** Every field of a dataset, except the stored document, which repeats all of them. */
export const FULL_DATASET = `query BenchDataset($name: String!) { dataset(name: $name) { ${DATASET} } }`;

/** A page of datasets with the fields of a list. */
export const PAGE = `query BenchPage($after: String) {
  datasets(first: 20, after: $after) {
    pageInfo { hasNextPage endCursor }
    nodes {
      id name title notes licenseId isOpen modifiedAt resourceCount
      organization: embeddedOrganization { name title } tags { name displayName } groups { name title } resources { id name format url }
    }
  }
}`;
