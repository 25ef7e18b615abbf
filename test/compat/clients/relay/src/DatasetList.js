// Queries of an application written with Relay: pages of datasets, the fields of a card, and one object refetched by its id.
const { graphql } = require('relay-runtime');

module.exports = {
  query: graphql`
    query DatasetListQuery($count: Int, $cursor: String, $last: Int, $before: String) {
      ...DatasetList_query @arguments(count: $count, cursor: $cursor, last: $last, before: $before)
    }
  `,
  list: graphql`
    fragment DatasetList_query on Query
    @argumentDefinitions(
      count: { type: "Int" }
      cursor: { type: "String" }
      last: { type: "Int" }
      before: { type: "String" }
    )
    @refetchable(queryName: "DatasetListPaginationQuery") {
      datasets(first: $count, after: $cursor, last: $last, before: $before) @connection(key: "DatasetList_datasets") {
        edges {
          node {
            ...DatasetList_dataset
          }
        }
      }
    }
  `,
  card: graphql`
    fragment DatasetList_dataset on Dataset @refetchable(queryName: "DatasetListDatasetQuery") {
      name
      title
      organization {
        title
      }
      tags {
        name
      }
      resources {
        ...DatasetList_resource
      }
    }
  `,
  resource: graphql`
    fragment DatasetList_resource on Resource @refetchable(queryName: "DatasetListResourceQuery") {
      name
      format
      url
    }
  `,
  search: graphql`
    query DatasetListSearchQuery($text: String!, $count: Int!, $cursor: String) {
      search(query: $text, first: $count, after: $cursor) @connection(key: "DatasetList_search") {
        edges {
          node {
            ...DatasetList_dataset
          }
        }
      }
    }
  `,
  change: graphql`
    mutation DatasetListPatchMutation($input: UpdateDatasetInput!) {
      updateDataset(input: $input) {
        dataset {
          ...DatasetList_dataset
        }
        errors {
          code
          message
        }
      }
    }
  `,
  create: graphql`
    mutation DatasetListCreateMutation($input: CreateDatasetInput!, $connections: [ID!]!) {
      createDataset(input: $input) {
        dataset @appendNode(connections: $connections, edgeTypeName: "DatasetEdge") {
          ...DatasetList_dataset
        }
      }
    }
  `,
  purge: graphql`
    mutation DatasetListPurgeMutation($input: PurgeDatasetInput!, $connections: [ID!]!) {
      purgeDataset(input: $input) {
        purgedId @deleteEdge(connections: $connections)
      }
    }
  `,
};
