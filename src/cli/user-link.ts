import { CommandUserLinkDocument } from '../generated/operations.ts';
import { type Catalog, operator, withCatalog } from './catalog.ts';
import type { Command } from './command.ts';
import { readArgs } from './options.ts';

/** A one-time link to choose a password. */
export interface PasswordLink {
  readonly url: string;
  readonly expiresAt: Date | string;
}

/** `catalog user link`: prints only the link on standard output. */
export const command: Command = async (args, context) => {
  const name = readArgs('user link', args).words[0]!;
  const { url, expiresAt } = await withCatalog(context, (catalog) => passwordLink(catalog, name));
  console.error(`${name} can choose a password at this one-time link, until ${new Date(expiresAt).toISOString()}:`);
  console.log(url);
};

/** Creates the link through the graph, as the operator. @throws CatalogError NOT_FOUND */
export async function passwordLink({ app }: Catalog, user: string): Promise<PasswordLink> {
  const { createPasswordLink } = await app.run(CommandUserLinkDocument, { input: { user } }, app.callAs(operator));
  if (!createPasswordLink.link) throw new Error('the link was neither made nor refused');
  return createPasswordLink.link;
}
