import { makeExecutableSchema } from '@graphql-tools/schema';
import { resolvers } from './resolvers.ts';
import { scalars } from './scalars.ts';
import { typeDefs } from './type-defs.ts';

/** Makes the executable schema. A field with arguments and no resolver, or a resolver without a field, stops the start. */
export const createSchema = () =>
  makeExecutableSchema({
    typeDefs: [...typeDefs.values()],
    resolvers: [scalars, ...resolvers],
    resolverValidationOptions: { requireResolversForArgs: 'error', requireResolversToMatchSchema: 'error' },
  });

export const schema = createSchema();
