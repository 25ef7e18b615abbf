/** Composition root: the only file that imports every feature. */

import type http from 'node:http';
import type { Logger } from 'pino';
import { loadTables } from '../facades/rdf/templates.ts';
import { networks } from '../facades/shared/address.ts';
import { createSessions } from '../facades/shared/session.ts';
import { argonThreads } from './accounts/password/argon.ts';
import { openBlobs } from './blobs/open.ts';
import { sweepFiles } from './catalog/file/ticket.service.ts';
import { refreshOptions } from './catalog/site/option.service.ts';
import { ownTables } from './datastore/tables/counts.sql.ts';
import { dropDiscarded } from './datastore/tables/sweep.service.ts';
import { createLiveFeed, type LiveFeed } from './feed/follower.ts';
import { createGate } from './graph/admission/admission.ts';
import { createDocuments } from './graph/execution/documents.ts';
import { loadPlugins } from './graph/plugins/load.ts';
import { createRunner, type RunOperation } from './graph/run.ts';
import { createPublicSchema, publicSchema, schema } from './graph/schema.ts';
import { createGraphServer } from './graph/server.ts';
import { createSubscriptions } from './graph/subscriptions/subscriptions.ts';
import { harvestJob } from './harvest/harvest.job.ts';
import { HARVEST } from './harvest/harvest.service.ts';
import { createCallers } from './http/authenticate.ts';
import type { FacadeOptions } from './http/facades.ts';
import { createHealth } from './http/health.ts';
import { createChecks } from './http/readiness.ts';
import { createHttpServer } from './http/server.ts';
import { createBackground } from './infra/concurrency/background.ts';
import { createSecretBox } from './infra/crypto/secret-box.ts';
import { openDatastore } from './infra/postgres/datastore.ts';
import type { Database } from './infra/postgres/db.ts';
import { listen } from './infra/postgres/listen.ts';
import { type Loop, startLoop, startNotifiedLoop } from './infra/worker/loop.ts';
import { jobKinds } from './jobs/handlers.ts';
import { startWorker, type Worker } from './jobs/worker.ts';
import { type Actor, anonymous, type Call } from './kernel/call.ts';
import type { Settings } from './kernel/config.ts';
import { liveSettings } from './kernel/live.ts';
import { createMail } from './mail/smtp.ts';
import { newestMigration } from './migrate/migrate.ts';
import { createLimiter } from './rate/limiter.ts';
import { solrAt } from './search/solr/client.ts';
import { catchUp } from './statistics/fold.service.ts';
import { type Dispatcher, startDispatcher } from './webhooks/dispatcher.ts';

export interface AppOptions {
  readonly settings: Settings;
  readonly database: Database;
  /** The site secret: seals API keys, hashes and signs. */
  readonly secret: Buffer;
  readonly log: Logger;
  /** Called with the text of every DataStore statement. */
  readonly onDatastoreStatement?: (text: string) => void;
}

export interface App {
  readonly server: http.Server;
  readonly run: RunOperation;
  /** A call outside any request: commands and tests. */
  callAs(actor: Actor): Call;
  /** Starts the job worker; servers do, commands do not. Stop the returned worker. */
  startWorker(): Promise<Worker>;
  /** Starts delivering webhooks, in the same way. */
  startDispatcher(): Promise<Dispatcher>;
  /** Starts counting writes for the statistics, in the same way. Without it, readers of statistics count them. */
  startCounting(): Loop;
  /** Stops accepting requests and waits for running ones. It is the first step of `close`, for parts that must be stopped during it. */
  stopServing(): Promise<void>;
  /** Waits for work that continues after responses. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

/** ms between two sweeps of unused uploads. */
const SWEEP_INTERVAL = 10 * 60 * 1000;
/** ms between two looks for writes to count: one look counts the writes of that time together, which costs less. */
const COUNT_INTERVAL = 5_000;
/** ms for which a deleted resource's table remains. */
const DROP_DELAY = 5 * 1000;

export async function createApp(options: AppOptions): Promise<App> {
  const { database, log } = options;
  const settings = liveSettings(options.settings);
  const tables = await loadTables(settings['catalog.extra_template_paths']);
  const parts = await openParts({ ...options, settings });
  const { callAs } = parts;
  const loops = await startLoops(parts, options);
  const run = createRunner(schema);
  const serving = await createServing({ ...options, settings }, parts, { tables, run });
  const stopServing = () => serving.stop();
  const as = (what: string) => () => callAs({ ...anonymous(what), sysadmin: true });
  return {
    server: serving.server,
    run,
    callAs,
    startWorker: () =>
      startWorker({
        kinds: { ...jobKinds, [HARVEST]: harvestJob({ run, callAs, databaseUrl: database.url }) },
        workers: settings['catalog.jobs.workers'],
        maxPerHost: settings['catalog.jobs.per_host'],
        databaseUrl: database.url,
        callNow: as('job'),
        keepDays: settings['catalog.jobs.keep_days'],
        log,
      }),
    startDispatcher: () =>
      startDispatcher({
        senders: settings['catalog.webhooks.senders'],
        databaseUrl: database.url,
        callNow: as('webhooks'),
        log,
      }),
    startCounting: () =>
      startLoop({
        look: () => catchUp(callAs(anonymous('statistics')), Number.POSITIVE_INFINITY),
        interval: COUNT_INTERVAL,
        onFailure(failure, count) {
          if (count === 1) log.warn({ err: failure }, 'counting for the statistics failed; retrying');
        },
        onRecovery: () => log.info('counting for the statistics works again'),
      }),
    stopServing,
    settle: parts.background.settle,
    close() {
      void loops.sweeper.stop(); // not awaited: the next process does what is left undone
      const shared = serving.limiter?.close();
      return stopServing()
        .then(() => serving.graph.stop())
        .then(() => shared)
        .then(() => parts.background.settle())
        .then(parts.notices.stop)
        .then(() => loops.dropping?.stop())
        .then(() => parts.datastore?.close())
        .then(serving.checks.close)
        .then(parts.argon.close)
        .finally(() => parts.blobs.close());
    },
  };
}

type Parts = Awaited<ReturnType<typeof openParts>>;

/** Opens the parts of a call, and the notifications that update them. */
async function openParts({ settings, database, secret, log, onDatastoreStatement }: AppOptions) {
  const secretBox = createSecretBox(secret);
  const argon = argonThreads();
  const blobs = await openBlobs(settings, (failure) => log.error({ err: failure }, 'file storage failed'));
  const datastore = openDatastore(settings, ownTables, onDatastoreStatement);
  const background = createBackground(log);
  const mail = createMail({ settings, log });
  // A literal: V8 copies an object by `...` in ten times as long, and every request makes a call.
  const callAs = (actor: Actor): Call => ({
    actor,
    request: { now: new Date() },
    db: parts.db,
    sql: parts.sql,
    stores: parts.stores,
    secrets: parts.secrets,
    process: parts.process,
    settings: parts.settings,
  });
  const feed: LiveFeed = createLiveFeed({
    call: () => callAs(anonymous('change feed')),
    notify: () => notices.notify('change'),
    onFailure: (failure) => log.error({ err: failure }, 'reading the change log failed'),
  });
  const parts = {
    db: database.db,
    sql: database.sql,
    stores: { datastore, blobs },
    secrets: { secretBox, argon: argon.derive },
    process: { feed, mail, background, log, countWrites: catchUp },
    settings,
  };
  const notices = await listen(
    database.url,
    { site_option: () => refreshOptions(callAs(anonymous('site options'))), change: feed.heard },
    (failure) => log.error({ err: failure }, 'listening to database notifications failed'),
  );
  return { callAs, secretBox, argon, blobs, datastore, background, feed, notices };
}

/** Sweeps of this process. */
async function startLoops({ callAs, datastore }: Parts, { database, log }: AppOptions) {
  const sweeper = startLoop({
    look: () => sweepFiles(callAs(anonymous('sweep of files'))),
    interval: SWEEP_INTERVAL,
    onFailure: (failure) => log.error({ err: failure }, 'file sweep failed'),
  });
  /** Not at once: a reader of a table reaches its end, and tables that are discarded together are dropped by one look. */
  const dropping =
    datastore &&
    (await startNotifiedLoop({
      url: database.url,
      channels: ['discarded_table'],
      interval: SWEEP_INTERVAL,
      delay: DROP_DELAY,
      look: () => dropDiscarded(callAs(anonymous('tables that are gone'))),
      onFailure: (failure) => log.error({ err: failure }, 'dropping tables of deleted resources failed'),
    }));
  return { sweeper, dropping };
}

/** Creates the server and the services that answer requests. */
async function createServing(
  { settings, database, log }: AppOptions,
  { callAs, secretBox, blobs, datastore, feed }: Parts,
  served: Pick<FacadeOptions, 'tables' | 'run'>,
) {
  const isExempt = networks(settings['catalog.rate.exempt'], 'catalog.rate.exempt');
  const limiter = createLimiter({ settings, database, log, isExempt });
  const sessions = createSessions({ siteUrl: settings['catalog.site_url'], sign: secretBox.sign });
  const callers = createCallers({ settings, callAs, sessions, limiter });
  const documents = createDocuments(publicSchema);
  const gate = createGate(publicSchema, settings);
  const subscriptions = createSubscriptions({ schema: publicSchema, documents, gate, log });
  const plugins = await loadPlugins(settings['catalog.graphql.plugins']);
  const graph = await createGraphServer({
    schema: plugins.length > 0 ? createPublicSchema() : publicSchema, // plugins instrument a schema of their own
    settings,
    log,
    documents,
    gate,
    subscriptions,
    plugins,
  });
  const solrUrl = settings['catalog.search.solr_url'];
  const checks = createChecks({
    settings,
    databaseUrl: database.url,
    migration: newestMigration(),
    blobs,
    hasDatastore: datastore !== null,
    search: solrUrl === null ? null : () => solrAt(solrUrl).query({ query: '*:*', limit: 0 }),
  });
  const health = createHealth(checks.checks, log);
  const parts = { settings, log, callers, sessions, graph, subscriptions, blobs, datastore, health };
  const { server, close } = createHttpServer({ ...parts, ...served });
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    health.stop();
    feed.stop();
    stopped ??= close().then(() => {});
    return stopped;
  };
  return { server, graph, limiter, checks, stop };
}
