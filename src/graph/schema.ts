import { makeExecutableSchema } from '@graphql-tools/schema';
import { resolvers } from './resolvers.ts';
import { scalars } from './scalars.ts';
import { typeDefs } from './type-defs.ts';

/** Creates the executable schema. @throws Error for a field with arguments but no resolver, or a resolver without a field */
export const createSchema = () =>
  makeExecutableSchema({
    typeDefs: [...typeDefs.values()],
    resolvers: [scalars, ...resolvers],
    resolverValidationOptions: { requireResolversForArgs: 'error', requireResolversToMatchSchema: 'error' },
  });

export const schema = createSchema();
