import { makeExecutableSchema } from '@graphql-tools/schema';
import { resolvers } from './resolvers.ts';
import { scalars } from './scalars.ts';
import { typeDefs } from './type-defs.ts';

/** The executable schema. A field with arguments and no resolver, or a resolver without a field, stops the start. */
export const schema = makeExecutableSchema({
  typeDefs: [...typeDefs.values()],
  resolvers: [scalars, ...resolvers],
  resolverValidationOptions: { requireResolversForArgs: 'error', requireResolversToMatchSchema: 'error' },
});
