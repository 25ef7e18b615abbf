/** `catalog serve` and `npm start`: settings → databases → app → listen, until a signal. */
import cluster from 'node:cluster';
import type { AddressInfo, ListenOptions, Server } from 'node:net';
import { isAnyUser } from '../accounts/user/user.store.ts';
import { inLock } from '../infra/postgres/advisory-lock.ts';
import { idleSettings } from '../kernel/config.ts';
import { describeLevel } from '../kernel/settings.action.ts';
import type { Settings } from '../kernel/settings.ts';
import { startFollower } from '../search/solr/follower.ts';
import { type Catalog, openCatalog } from './catalog.ts';
import { type Command, type CommandContext, UsageError } from './command.ts';
import { commandLine } from './command-line.ts';
import { numberOf, readArgs } from './options.ts';
import { onStopSignal } from './stoppable.ts';
import { addUser } from './user-add.ts';
import { passwordLink } from './user-link.ts';
import { MAX_WORKERS, superviseWorkers } from './workers.ts';

export const command: Command = (args, context) => {
  const workers = numberOf('workers', readArgs('serve', args).values.workers, 1, MAX_WORKERS) ?? 1;
  return workers === 1 || cluster.isWorker ? serve(context) : superviseWorkers(workers, context);
};

/** Serves until SIGTERM or SIGINT, then finishes running requests and closes everything. Another signal, a second later, exits at once. */
export async function serve(context: CommandContext): Promise<void> {
  const stop = stopSignal();
  const catalog = await openCatalog(context, { isServer: true });
  for (const setting of idleSettings(catalog.settings)) context.log.warn({ setting }, 'this setting has no effect yet');
  const background = await startBackground(catalog, context);
  try {
    if (catalog.settings['catalog.roles'].includes('web')) {
      await listenForRequests(catalog);
      if (isFirst()) await welcome(catalog, context);
    } else console.log(`Doing the work of ${catalog.settings['catalog.roles'].join(', ')}`);
    await listenForMonitoring(catalog);
    const signal = await stop;
    context.log.info({ signal }, 'stopping');
    const timeout = catalog.settings['catalog.shutdown_timeout'] * 1_000;
    setTimeout(() => catalog.app.server.closeAllConnections(), timeout).unref();
  } finally {
    await Promise.all([catalog.app.stopServing(), ...background.map((it) => it.stop())]);
    await catalog.close();
  }
}

/** Of several worker processes, the first one prints the welcome. */
const isFirst = (): boolean => !cluster.isWorker || cluster.worker?.id === 1;

/** Starts the work of this process's roles beside requests. */
async function startBackground(catalog: Catalog, context: CommandContext): Promise<{ stop(): Promise<unknown> }[]> {
  const { app, settings } = catalog;
  const has = (role: string) => settings['catalog.roles'].includes(role);
  const started = [
    app.startRecording(),
    (has('jobs') || has('harvest')) && settings['catalog.jobs.workers'] > 0 && (await app.startWorker()),
    has('webhooks') && settings['catalog.webhooks.senders'] > 0 && (await app.startDispatcher()),
    ...(has('jobs')
      ? [
          await app.startChecker(),
          app.startCounting(),
          app.startSummingUsage(),
          app.startScoring(),
          app.startIndexing(),
          followerOf(catalog, context),
        ]
      : []),
  ];
  return started.filter((it) => it !== false && it !== null);
}

function followerOf({ settings, database }: Catalog, { log }: CommandContext) {
  const solrUrls = settings['catalog.search.solr_url'];
  return solrUrls.length === 0 ? null : startFollower({ databaseUrl: database.url, solrUrls, log });
}

/** A worker process leaves the decision to end at once to its parent. */
const stopSignal = () =>
  new Promise<NodeJS.Signals>((resolve) => void onStopSignal(resolve, () => cluster.isWorker || process.exit(1)));

function listenForRequests({ app: { server }, settings }: Catalog): Promise<void> {
  const { 'catalog.port': port, 'catalog.host': host } = settings;
  return listen(server, { port, host }, `PORT=${port + 1} npm start`);
}

/** Not shared by the worker processes of a machine: each has its own numbers. */
async function listenForMonitoring({ app: { monitoringServer }, settings }: Catalog): Promise<void> {
  const { 'catalog.monitoring.port': port, 'catalog.monitoring.host': host } = settings;
  const other = `CATALOG__MONITORING__PORT=${port + 1} npm start`;
  if (monitoringServer) await listen(monitoringServer, { port, host, exclusive: true }, other);
}

/** `other` is a command that uses another port. */
function listen(server: Server, options: ListenOptions & { port: number }, other: string): Promise<void> {
  const { port } = options;
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new UsageError(`Port ${port} is in use. Choose another port: ${other}`)
          : error.code === 'EACCES'
            ? new UsageError(`Port ${port} requires more privileges. Choose a port above 1023.`)
            : error,
      ),
    );
    server.listen(options, resolve);
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
