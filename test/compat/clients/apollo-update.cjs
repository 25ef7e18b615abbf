// Reads a dataset with one query, changes it by mutation, and prints what the watched query shows before and after, and the requests.
const { ApolloClient, gql, HttpLink, InMemoryCache } = require('@apollo/client');

const READ = gql`query Read($name: String!) { dataset(name: $name) { id name title } }`;
const CHANGE = gql`mutation Change($input: UpdateDatasetInput!) {
  updateDataset(input: $input) { dataset { id title } errors { code message } }
}`;

async function main() {
  const [, , uri, authorization, name] = process.argv;
  let requests = 0;
  const counting = (...args) => {
    requests += 1;
    return fetch(...args);
  };
  const link = new HttpLink({ uri, headers: { authorization }, fetch: counting });
  const client = new ApolloClient({ cache: new InMemoryCache(), link });
  const titles = [];
  let onChange;
  const changed = new Promise((resolve) => (onChange = resolve));
  const watching = client.watchQuery({ query: READ, variables: { name } }).subscribe(({ data, loading }) => {
    if (loading || !data?.dataset) return;
    titles.push(data.dataset.title);
    if (titles.length === 2) onChange();
  });
  const { data } = await client.query({ query: READ, variables: { name } });
  await client.mutate({
    mutation: CHANGE,
    variables: { input: { dataset: data.dataset.id, title: 'Changed through Apollo' } },
  });
  await changed;
  watching.unsubscribe();
  const keys = Object.keys(client.cache.extract()).filter((key) => key.startsWith('Dataset:'));
  console.log(JSON.stringify({ titles, requests, objects: keys.length }));
}
main().catch((failure) => {
  console.error(failure);
  process.exit(1);
});
