// Pages through all datasets with urql, by GET where it may. Arguments: address. Prints the names.
const { cacheExchange, Client, fetchExchange, gql } = require('@urql/core');

const QUERY = gql`
  query Datasets($first: Int!, $after: String) {
    datasets(first: $first, after: $after) {
      nodes { id name title resources { id url format } }
      pageInfo { hasNextPage endCursor }
    }
  }
`;

async function main() {
  const fetchOptions = { headers: { 'apollo-require-preflight': 'urql' } };
  const client = new Client({
    url: process.argv[2],
    exchanges: [cacheExchange, fetchExchange],
    preferGetMethod: 'force',
    fetchOptions,
  });
  const names = [];
  let pages = 0;
  let after = null;
  do {
    const { data, error } = await client.query(QUERY, { first: 100, after }).toPromise();
    if (error) throw error;
    names.push(...data.datasets.nodes.map(({ name }) => name));
    after = data.datasets.pageInfo.hasNextPage ? data.datasets.pageInfo.endCursor : null;
    pages += 1;
  } while (after !== null);
  console.log(JSON.stringify({ pages, names }));
}
main().catch((failure) => {
  console.error(failure);
  process.exit(1);
});
