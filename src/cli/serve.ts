/** `catalog serve` and `npm start`: settings → databases → app → listen, until a signal. */
import type { AddressInfo } from 'node:net';
import { isAnyUser } from '../accounts/user/user.store.ts';
import { inLock } from '../infra/postgres/advisory-lock.ts';
import { idleSettings, type Settings } from '../kernel/config.ts';
import { describeLevel } from '../kernel/settings.action.ts';
import { startFollower } from '../search/solr/follower.ts';
import { type Catalog, openCatalog } from './catalog.ts';
import { type Command, type CommandContext, UsageError } from './command.ts';
import { commandLine } from './command-line.ts';
import { addUser } from './user-add.ts';
import { passwordLink } from './user-link.ts';

export const command: Command = (_args, context) => serve(context);

/** Serves until SIGTERM or SIGINT, then finishes running requests and closes everything. A second signal exits at once. */
export async function serve(context: CommandContext): Promise<void> {
  const stop = stopSignal();
  const catalog = await openCatalog(context, { isServer: true });
  for (const setting of idleSettings(catalog.settings)) context.log.warn({ setting }, 'this setting has no effect yet');
  const follower = followerOf(catalog, context);
  const worker = catalog.settings['catalog.jobs.workers'] > 0 ? await catalog.app.startWorker() : null;
  const dispatcher = catalog.settings['catalog.webhooks.senders'] > 0 ? await catalog.app.startDispatcher() : null;
  const counting = catalog.app.startCounting();
  try {
    await listen(catalog);
    await welcome(catalog, context);
    const signal = await stop;
    context.log.info({ signal }, 'stopping');
    const timeout = catalog.settings['catalog.shutdown_timeout'] * 1_000;
    setTimeout(() => catalog.app.server.closeAllConnections(), timeout).unref();
  } finally {
    await Promise.all([catalog.app.stopServing(), worker?.stop(), dispatcher?.stop(), counting.stop()]);
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
          ? new UsageError(`Port ${port} is in use. Choose another port: PORT=${port + 1} npm start`)
          : error.code === 'EACCES'
            ? new UsageError(`Port ${port} requires more privileges. Choose a port above 1023.`)
            : error,
      ),
    );
    server.listen(port, host, resolve);
  });
}

async function welcome(catalog: Catalog, { settings }: CommandContext): Promise<void> {
  const { port } = catalog.app.server.address() as AddressInfo;
  const site = settings['catalog.port'] === 0 ? `http://localhost:${port}` : settings['catalog.site_url'];
  console.log(`${settings['catalog.site_title']} is at ${site}`);
  console.log(`  Action API  ${site}/api/3/action/status_show`);
  console.log(`              ${describeLevel(catalog.settings)}`);
  console.log(`  GraphQL     ${site}/graphql`);
  const first = await firstAdministrator(catalog, settings);
  if (first !== null) console.log(`\n${first}`);
}

/**
 * Creates the administrator of an empty catalog and prints how to log in; null when users exist. Of several processes that start
 * concurrently, one creates it. `settings` are those of this process: the printed command uses them to reach the same catalog.
 */
export async function firstAdministrator(
  catalog: Catalog,
  settings: Settings = catalog.settings,
): Promise<string | null> {
  if (!(await isEmpty(catalog))) return null;
  return inLock(catalog.database.url, 'first administrator', () => makeFirst(catalog, settings));
}

async function makeFirst(catalog: Catalog, settings: Settings): Promise<string | null> {
  if (!(await isEmpty(catalog))) return null;
  const { name, apiKey } = await addUser(catalog, { name: 'admin', sysadmin: true });
  const { url, expiresAt } = await passwordLink(catalog, name);
  const { command, secret } = commandLine(settings, ['user', 'link', name]);
  const needed = secret.length > 0 ? ` (with ${secret.join(', ')} set as for the server)` : '';
  return `The catalog is empty. A first administrator was created. The key is shown only once:
  name      ${name}
  API key   ${apiKey}
  new link  ${command}${needed}
  password  choose it at this one-time link, until ${new Date(expiresAt).toISOString()}:
            ${url}`;
}

async function isEmpty({ database }: Catalog): Promise<boolean> {
  return !(await isAnyUser(database.db));
}
