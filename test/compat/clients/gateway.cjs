// A gateway of Apollo Federation over two subgraphs: the catalog, and stars of datasets in this process. Prints its address when it listens.
const { ApolloGateway, IntrospectAndCompose, RemoteGraphQLDataSource } = require('@apollo/gateway');
const { ApolloServer } = require('@apollo/server');
const { startStandaloneServer } = require('@apollo/server/standalone');
const { buildSubgraphSchema } = require('@apollo/subgraph');
const { parse } = require('graphql');

// It has pages and nodes of its own, and knows datasets by the UUID of the other APIs. A subgraph with `node` must know a type of the
// others' nodes: here it is Dataset, whose id contains the UUID.
const typeDefs = parse(`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])
  type Query { top(first: Int!): StarredDatasets! node(id: ID!): Node @shareable }
  interface Node { id: ID! }
  type Star implements Node @key(fields: "id") { id: ID! dataset: Dataset! }
  type StarredDatasets { nodes: [Dataset!]! pageInfo: PageInfo! }
  type PageInfo @shareable { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }
  type Dataset implements Node @key(fields: "databaseId") @key(fields: "id") { id: ID! databaseId: String! stars: Int! }
  type License @key(fields: "code") { code: String! uses: Int! }
`);

async function main() {
  const [, , catalog, ...ids] = process.argv;
  const starsOf = (id) => ids.indexOf(id) + 1;
  const byGlobalId = (id) => {
    const [type, databaseId] = Buffer.from(id, 'base64url').toString().split(':');
    return type === 'Dataset' ? { __typename: type, databaseId } : null;
  };
  const resolvers = {
    Query: {
      top: (_root, { first }) => ({
        nodes: ids.slice(0, first).map((databaseId) => ({ databaseId })),
        pageInfo: { hasNextPage: first < ids.length, hasPreviousPage: false },
      }),
      node: (_root, { id }) => (id.startsWith('star-') ? { __typename: 'Star', id } : byGlobalId(id)),
    },
    Star: { dataset: ({ id }) => ({ databaseId: ids[Number(id.slice('star-'.length))] }) },
    Dataset: {
      __resolveReference: ({ id, databaseId }) => (databaseId ? { databaseId } : byGlobalId(id)),
      id: ({ databaseId }) => Buffer.from(`Dataset:${databaseId}`).toString('base64url'),
      stars: ({ databaseId }) => starsOf(databaseId),
    },
    License: { __resolveReference: ({ code }) => ({ code }), uses: ({ code }) => code.length },
  };
  const stars = new ApolloServer({ schema: buildSubgraphSchema({ typeDefs, resolvers }) });
  const { url } = await startStandaloneServer(stars, { listen: { port: 0, host: '127.0.0.1' } });
  const gateway = new ApolloGateway({
    supergraphSdl: new IntrospectAndCompose({
      subgraphs: [
        { name: 'catalog', url: catalog },
        { name: 'stars', url },
      ],
    }),
    buildService: ({ url: at }) =>
      new RemoteGraphQLDataSource({
        url: at,
        willSendRequest: ({ request, context }) => {
          if (at === catalog && context.authorization) request.http.headers.set('authorization', context.authorization);
        },
      }),
  });
  const server = new ApolloServer({ gateway });
  const listening = await startStandaloneServer(server, {
    listen: { port: 0, host: '127.0.0.1' },
    context: async ({ req }) => ({ authorization: req.headers.authorization }),
  });
  console.log(listening.url);
}

main().catch((failure) => {
  console.error(failure);
  process.exit(1);
});
