// Pages through all datasets with Apollo Client and its cache. Arguments: address. Prints what the cache holds.
const { ApolloClient, gql, HttpLink, InMemoryCache } = require('@apollo/client');
const { relayStylePagination } = require('@apollo/client/utilities');

const QUERY = gql`
  query Datasets($first: Int!, $after: String) {
    datasets(first: $first, after: $after) {
      edges { cursor node { id name title resources { id url format } } }
      pageInfo { hasNextPage endCursor }
    }
  }
`;

async function main() {
  const cache = new InMemoryCache({ typePolicies: { Query: { fields: { datasets: relayStylePagination() } } } });
  const client = new ApolloClient({ cache, link: new HttpLink({ uri: process.argv[2] }) });
  const list = client.watchQuery({ query: QUERY, variables: { first: 100 } });
  const watching = list.subscribe(() => {});
  const { data } = (await list.result?.()) ?? (await client.query({ query: QUERY, variables: { first: 100 } }));
  let pages = 1;
  for (let info = data.datasets.pageInfo; info.hasNextPage; pages += 1) {
    const more = await list.fetchMore({ variables: { first: 100, after: info.endCursor } });
    info = more.data.datasets.pageInfo;
  }
  const held = client.readQuery({ query: QUERY, variables: { first: 100 } });
  watching.unsubscribe();
  console.log(JSON.stringify({ pages, names: held.datasets.edges.map(({ node }) => node.name) }));
}
main().catch((failure) => {
  console.error(failure);
  process.exit(1);
});
