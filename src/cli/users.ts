/** `catalog user list|show|change|delete|restore|key` and `catalog sysadmin list|grant|revoke`: accounts, through the graph. */
import {
  CommandUserChangeDocument,
  CommandUserDeleteDocument,
  CommandUserKeyDocument,
  CommandUserListDocument,
  CommandUserShowDocument,
  type UpdateUserInput,
} from '../generated/operations.ts';
import { operator, withCatalog } from './catalog.ts';
import { type Command, type CommandContext, UsageError } from './command.ts';
import { confirm } from './confirm.ts';
import { isoOf, upTo } from './every.ts';
import { limitOf, readArgs } from './options.ts';
import { printObject, printRows } from './print.ts';

interface Listing {
  readonly where: { readonly text?: string | null; readonly sysadmin?: boolean; readonly deleted?: boolean };
  readonly limit: number;
  readonly json: boolean | undefined;
}

async function printUsers(context: CommandContext, { where, limit, json }: Listing): Promise<void> {
  const found = await withCatalog(context, ({ app }) =>
    upTo(
      limit,
      async (page) => (await app.run(CommandUserListDocument, { where, ...page }, app.callAs(operator))).users,
    ),
  );
  const rows = found.map(({ name, fullName, email, state, sysadmin, createdAt }) => ({
    name,
    fullName,
    email,
    state: state.toLowerCase(),
    sysadmin,
    createdAt: isoOf(createdAt),
  }));
  printRows(rows, json, 'No user.');
}

export const list: Command = async (args, context) => {
  const { values } = readArgs('user list', args);
  const { text = null, sysadmin, deleted } = values;
  const where = { text, ...(sysadmin && { sysadmin }), ...(deleted && { deleted }) };
  await printUsers(context, { where, limit: limitOf(values.limit), json: values.json });
};

export const sysadmins: Command = async (args, context) => {
  const { values } = readArgs('sysadmin list', args);
  await printUsers(context, { where: { sysadmin: true }, limit: limitOf(values.limit), json: values.json });
};

export const show: Command = async (args, context) => {
  const { values, words } = readArgs('user show', args);
  const { user } = await withCatalog(context, ({ app }) =>
    app.run(CommandUserShowDocument, { name: words[0]! }, app.callAs(operator)),
  );
  const { state, createdAt, ...rest } = user;
  printObject({ ...rest, state: state.toLowerCase(), createdAt: isoOf(createdAt) }, values.json);
};

/** Changes a user, as the operator. @throws CatalogError NOT_FOUND, VALIDATION */
async function changeUser(context: CommandContext, input: UpdateUserInput) {
  const { updateUser } = await withCatalog(context, ({ app }) =>
    app.run(CommandUserChangeDocument, { input }, app.callAs(operator)),
  );
  if (!updateUser.user) throw new Error('the user was neither changed nor refused');
  return updateUser.user;
}

export const change: Command = async (args, context) => {
  const { values, words } = readArgs('user change', args);
  const { json, 'full-name': fullName, ...rest } = values;
  const input = { user: words[0]!, ...rest, ...(fullName !== undefined && { fullName }) };
  if (Object.keys(input).length === 1) throw new UsageError('catalog user change: give at least one value to change.');
  const { state, ...user } = await changeUser(context, input);
  printObject({ ...user, state: state.toLowerCase() }, json);
};

export const remove: Command = async (args, context) => {
  const { values, words } = readArgs('user delete', args);
  const name = words[0]!;
  await confirm(`This deletes the user ${name} and ends all memberships.`, name, values.yes);
  await withCatalog(context, ({ app }) =>
    app.run(CommandUserDeleteDocument, { input: { user: name } }, app.callAs(operator)),
  );
  console.log(`User ${name} was deleted. To undo it, run: catalog user restore ${name}`);
};

export const restore: Command = async (args, context) => {
  const [user = ''] = readArgs('user restore', args).words;
  await changeUser(context, { user, state: 'active' });
  console.log(`User ${user} is active. Memberships are not restored.`);
};

export const key: Command = async (args, context) => {
  const { values, words } = readArgs('user key', args);
  const name = words[0]!;
  await confirm(`This replaces the API key of ${name}. Programs with the old one are refused.`, name, values.yes);
  const { generateApiKey } = await withCatalog(context, ({ app }) =>
    app.run(CommandUserKeyDocument, { input: { user: name } }, app.callAs(operator)),
  );
  console.error(`New API key of ${name}:`);
  console.log(generateApiKey.user?.apiKey);
};

export const grant: Command = async (args, context) => {
  const [user = ''] = readArgs('sysadmin grant', args).words;
  await changeUser(context, { user, sysadmin: true });
  console.log(`${user} is a system administrator.`);
};

export const revoke: Command = async (args, context) => {
  const [user = ''] = readArgs('sysadmin revoke', args).words;
  await changeUser(context, { user, sysadmin: false });
  console.log(`${user} is not a system administrator.`);
};
