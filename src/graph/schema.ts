import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { projectRoot } from '../kernel/root.ts';
import { resolvers } from './resolvers.ts';
import { scalars } from './scalars.ts';

const folder = join(projectRoot, 'schema');

/** The SDL, one text per file of schema/, by name. */
export const typeDefs = readdirSync(folder)
  .filter((file) => file.endsWith('.graphql'))
  .sort()
  .map((file) => readFileSync(join(folder, file), 'utf8'));

/** The executable schema. A field with arguments and no resolver, or a resolver without a field, stops the start. */
export const schema = makeExecutableSchema({
  typeDefs,
  resolvers: [scalars, ...resolvers],
  resolverValidationOptions: { requireResolversForArgs: 'error', requireResolversToMatchSchema: 'error' },
});
