// Pages through all datasets with Relay's runtime and its store. Arguments: address, key. Prints what the store holds.
const {
  ConnectionHandler,
  createOperationDescriptor,
  Environment,
  fetchQuery,
  getSingularSelector,
  Network,
  RecordSource,
  Store,
  commitMutation,
} = require('relay-runtime');

const [address, key] = process.argv.slice(2);
const artifact = (name) => require(`./src/__generated__/${name}.graphql.js`);
const PAGE = 100;

async function send({ text }, variables) {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/graphql-response+json',
    authorization: key,
  };
  const answer = await fetch(address, { method: 'POST', headers, body: JSON.stringify({ query: text, variables }) });
  return answer.json();
}

const environment = new Environment({ network: Network.create(send), store: new Store(new RecordSource()) });
environment.retain(createOperationDescriptor(artifact('DatasetListQuery'), { count: PAGE }));
const listOf = () => {
  const operation = createOperationDescriptor(artifact('DatasetListQuery'), { count: PAGE });
  const pointer = environment.lookup(operation.fragment).data;
  return environment.lookup(getSingularSelector(artifact('DatasetList_query'), pointer)).data.datasets;
};

const isSame = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** Names of all datasets, in a store of its own, by the variables of usePaginationFragment's loadPrevious. */
async function readBackward() {
  const own = new Environment({ network: Network.create(send), store: new Store(new RecordSource()) });
  const start = createOperationDescriptor(artifact('DatasetListQuery'), { last: PAGE });
  own.retain(start);
  const listed = () => {
    const pointer = own.lookup(start.fragment).data;
    return own.lookup(getSingularSelector(artifact('DatasetList_query'), pointer)).data.datasets;
  };
  await fetchQuery(own, artifact('DatasetListQuery'), { last: PAGE }).toPromise();
  const { backward, forward } = artifact('DatasetList_query').metadata.refetch.connection;
  while (listed().pageInfo.hasPreviousPage) {
    const variables = {
      [backward.cursor]: listed().pageInfo.startCursor,
      [backward.count]: PAGE,
      [forward.cursor]: null,
      [forward.count]: null,
    };
    await fetchQuery(own, artifact('DatasetListPaginationQuery'), variables).toPromise();
  }
  return listed().edges.map(
    ({ node }) => own.lookup(getSingularSelector(artifact('DatasetList_dataset'), node)).data.name,
  );
}

async function main() {
  await fetchQuery(environment, artifact('DatasetListQuery'), { count: PAGE }).toPromise();
  let list = listOf();
  let pages = 1;
  while (list.pageInfo.hasNextPage) {
    const variables = { count: PAGE, cursor: list.pageInfo.endCursor };
    await fetchQuery(environment, artifact('DatasetListPaginationQuery'), variables).toPromise();
    list = listOf();
    pages += 1;
  }
  const backward = await readBackward();
  const cardOf = (node) => environment.lookup(getSingularSelector(artifact('DatasetList_dataset'), node)).data;
  const names = list.edges.map(({ node }) => cardOf(node).name);
  const again = await fetchQuery(environment, artifact('DatasetListDatasetQuery'), {
    id: list.edges[0].node.__id,
  }).toPromise();
  const write = (mutation, variables) =>
    new Promise((resolve, reject) =>
      commitMutation(environment, { mutation: artifact(mutation), variables, onCompleted: resolve, onError: reject }),
    );
  const id = list.edges[0].node.__id;
  await write('DatasetListPatchMutation', { input: { dataset: id, title: 'Changed through Relay' } });
  const renamed = cardOf(list.edges[0].node).title;
  const connections = [ConnectionHandler.getConnectionID('client:root', 'DatasetList_datasets')];
  await write('DatasetListCreateMutation', { input: { name: 'made-by-relay' }, connections });
  const added = listOf().edges.at(-1).node;
  const made = cardOf(added).name;
  await write('DatasetListPurgeMutation', { input: { dataset: added.__id }, connections });
  const purged = listOf().edges.every(({ node }) => node.__id !== added.__id);
  console.log(
    JSON.stringify({
      pages,
      names,
      backward: isSame(backward, names),
      isThere: again.node !== null,
      renamed,
      made,
      purged,
    }),
  );
}
main().catch((failure) => {
  console.error(failure);
  process.exit(1);
});
