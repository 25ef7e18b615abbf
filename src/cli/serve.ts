/** `catalog serve`, and what `npm start` runs: settings → databases → app → listen, until a signal says stop. */
import type { AddressInfo } from 'node:net';
import { describeLevel } from '../kernel/settings.action.ts';
import { startFollower } from '../search/solr/follower.ts';
import { type Catalog, openCatalog } from './catalog.ts';
import { type Command, type CommandContext, UsageError } from './command.ts';
import { addUser } from './user-add.ts';
import { passwordLink } from './user-link.ts';

export const command: Command = (_args, context) => serve(context);

/** How long running requests may take once the program is told to stop, in ms. */
const PATIENCE = 25_000;

/** Serves until SIGTERM or SIGINT; then finishes running requests and closes everything. A second signal does not wait. */
export async function serve(context: CommandContext): Promise<void> {
  const stop = stopSignal();
  const catalog = await openCatalog(context);
  const follower = followerOf(catalog, context);
  const worker = catalog.settings['catalog.jobs.workers'] > 0 ? await catalog.app.startWorker() : null;
  const deliverer = catalog.settings['catalog.webhooks.senders'] > 0 ? await catalog.app.startDeliverer() : null;
  try {
    await listen(catalog);
    await welcome(catalog);
    const signal = await stop;
    context.log.info({ signal }, 'stopping');
    setTimeout(() => catalog.app.server.closeAllConnections(), PATIENCE).unref();
  } finally {
    await Promise.all([worker?.stop(), deliverer?.stop()]);
    await follower?.stop();
    await catalog.close();
  }
}

function followerOf({ settings, database }: Catalog, { log }: CommandContext) {
  const solrUrl = settings['catalog.search.solr_url'];
  return solrUrl === null ? null : startFollower({ databaseUrl: database.url, solrUrl, log });
}

const stopSignal = () =>
  new Promise<NodeJS.Signals>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, resolve);
  });

function listen({ app: { server }, settings }: Catalog): Promise<void> {
  const { 'catalog.port': port, 'catalog.host': host } = settings;
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new UsageError(`Port ${port} is in use. Choose another: PORT=${port + 1} npm start`)
          : error.code === 'EACCES'
            ? new UsageError(`Port ${port} may not be opened by this user. Choose one above 1023.`)
            : error,
      ),
    );
    server.listen(port, host, resolve);
  });
}

async function welcome(catalog: Catalog): Promise<void> {
  const { port } = catalog.app.server.address() as AddressInfo;
  const site =
    catalog.settings['catalog.port'] === 0 ? `http://localhost:${port}` : catalog.settings['catalog.site_url'];
  console.log(`${catalog.settings['catalog.site_title']} is at ${site}`);
  console.log(`  Action API  ${site}/api/3/action/status_show`);
  console.log(`              ${describeLevel(catalog.settings)}`);
  console.log(`  GraphQL     ${site}/graphql`);
  const first = await firstAdministrator(catalog);
  if (first !== null) console.log(`\n${first}`);
}

/** Makes the administrator of an empty catalog, and says how to get in; null where there are users already. */
export async function firstAdministrator(catalog: Catalog): Promise<string | null> {
  if (!(await isEmpty(catalog))) return null;
  const { name, apiKey } = await addUser(catalog, { name: 'admin', sysadmin: true });
  const { url, expiresAt } = await passwordLink(catalog, name);
  return `The catalog is empty. Its first administrator, shown this once:
  name      ${name}
  API key   ${apiKey}
  password  to be chosen here, once, until ${new Date(expiresAt).toISOString()} (another link: catalog user link ${name}):
            ${url}`;
}

async function isEmpty({ database }: Catalog): Promise<boolean> {
  const [row] = await database.sql.rows<{ found: boolean }>({
    name: 'any_user',
    text: 'SELECT EXISTS (SELECT FROM user_account) AS found',
  });
  return !row?.found;
}
