// A page of another origin with Apollo Client. `run` reads, updates and follows a dataset, and returns the results.
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { createClient } from 'graphql-ws';

// Headers that libraries for errors, traces and caches add to each request.
const headers = {
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  tracestate: 'vendor=value',
  baggage: 'sentry-environment=test',
  'sentry-trace': '0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1',
  'x-csrf-token': 'of another site',
  'x-apollo-operation-name': 'Dashboard',
  'apollo-require-preflight': 'true',
  'idempotency-key': 'one',
  'if-match': '*',
  'if-none-match': '"none"',
  'x-of-tomorrow': '1',
};

const READ = gql`query Read($name: String!) { dataset(name: $name) { id name title version } }`;
const CHANGE = gql`mutation Change($input: UpdateDatasetInput!) {
  updateDataset(input: $input) { dataset { id title version } errors { code message } }
}`;
const END = gql`query End { changesEnd }`;
const FOLLOW = gql`subscription Follow($after: String) { changes(after: $after, types: [DATASET]) { name operation } }`;

window.run = async (address, key, name) => {
  const url = address.replace('http', 'ws');
  const socket = new GraphQLWsLink(createClient({ url, connectionParams: { authorization: key }, retryAttempts: 0 }));
  const http = new HttpLink({ uri: address, headers: { ...headers, authorization: key } });
  const client = new ApolloClient({
    cache: new InMemoryCache(),
    link: ApolloLink.split(({ operationType }) => operationType === 'subscription', socket, http),
    clientAwareness: { name: 'dashboard', version: '1.2.3' },
  });
  const before = (await client.query({ query: READ, variables: { name } })).data.dataset;
  const after = (await client.query({ query: END })).data.changesEnd;
  const followed = new Promise((resolve, reject) => {
    const events = client.subscribe({ query: FOLLOW, variables: { after } });
    events.subscribe({ next: ({ data, error }) => (error ? reject(error) : resolve(data.changes)), error: reject });
  });
  const input = { dataset: before.id, title: 'Changed from another site', expectedVersion: before.version };
  const { data } = await client.mutate({ mutation: CHANGE, variables: { input } });
  const { operation } = await followed;
  const cached = client.readQuery({ query: READ, variables: { name } }).dataset.title;
  return { before: before.title, errors: data.updateDataset.errors, cached, operation };
};

// Browsers must refuse to send the user's cookies to the graph from here.
window.withCookies = (address) =>
  fetch(address, {
    method: 'POST',
    credentials: 'include',
    headers: { 'content-type': 'application/json' },
    body: '{"query":"{ viewer { name } }"}',
  }).then(
    (response) => `status ${response.status}`,
    () => 'refused',
  );
