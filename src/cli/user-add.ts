import { CommandUserAddDocument } from '../generated/operations.ts';
import { type Catalog, operator, withCatalog } from './catalog.ts';
import type { Command } from './command.ts';
import { readArgs } from './options.ts';

/** A user to create. The API key is generated when omitted. */
export interface NewUser {
  readonly name: string;
  readonly sysadmin?: boolean;
  readonly apiKey?: string;
  readonly email?: string;
  readonly password?: string;
}

/** `catalog user add`: prints only the new user's API key on standard output. */
export const command: Command = async (args, context) => {
  const user = readUser(args);
  const added = await withCatalog(context, (catalog) => addUser(catalog, user));
  console.error(`User ${added.name} was created. API key:`);
  console.log(added.apiKey);
};

/** Creates a user through the graph, as the operator. @throws CatalogError VALIDATION, for example when the name is taken */
export async function addUser({ app }: Catalog, input: NewUser): Promise<{ name: string; apiKey: string | null }> {
  const { createUser } = await app.run(CommandUserAddDocument, { input }, app.callAs(operator));
  if (!createUser.user) throw new Error('the user was neither created nor refused');
  return createUser.user;
}

function readUser(args: readonly string[]): NewUser {
  const { values, words } = readArgs('user add', args);
  const { sysadmin = false, 'api-key': apiKey, email, password } = values;
  return {
    name: words[0]!,
    sysadmin,
    ...(apiKey && { apiKey }),
    ...(email && { email }),
    ...(password && { password }),
  };
}
