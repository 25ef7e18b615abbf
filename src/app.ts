/** Composition root: the only file that imports every feature. */
import type http from 'node:http';
import type { Logger } from 'pino';
import { describing } from '../facades/rdf/describe.ts';
import { loadTables } from '../facades/rdf/templates.ts';
import { networks } from '../facades/shared/address.ts';
import { createSessions } from '../facades/shared/session.ts';
import { argonThreads } from './accounts/password/argon.ts';
import { openBlobs } from './blobs/open.ts';
import { sweepFiles } from './catalog/file/ticket.service.ts';
import { refreshOptions } from './catalog/site/option.service.ts';
import { startIndexing, startShaping } from './datastore/indexes/loop.ts';
import { ownTables } from './datastore/tables/counts.sql.ts';
import { dropDiscarded } from './datastore/tables/sweep.service.ts';
import { createLiveFeed, type LiveFeed } from './feed/follower.ts';
import { createGate } from './graph/admission/admission.ts';
import { createDocuments } from './graph/execution/documents.ts';
import { loadPlugins } from './graph/plugins/load.ts';
import { createRunner, type RunOperation } from './graph/run.ts';
import { createPublicSchema, createSchema, publicSchema, schema } from './graph/schema.ts';
import { createGraphServer } from './graph/server.ts';
import { createSubscriptions } from './graph/subscriptions/subscriptions.ts';
import { traceFields } from './graph/traced.ts';
import { harvestJob } from './harvest/harvest.job.ts';
import { HARVEST } from './harvest/harvest.service.ts';
import { createCallers } from './http/authenticate.ts';
import type { FacadeOptions } from './http/facades.ts';
import { createHealth } from './http/health.ts';
import { createMonitoring, hasMetrics } from './http/monitoring.ts';
import { createChecks } from './http/readiness.ts';
import { createRequestLog } from './http/request-log.ts';
import { createHttpServer } from './http/server.ts';
import { createBackground } from './infra/concurrency/background.ts';
import { createSecretBox } from './infra/crypto/secret-box.ts';
import { createAreas } from './infra/log/areas.ts';
import { openDatastore } from './infra/postgres/datastore.ts';
import type { Database } from './infra/postgres/db.ts';
import { listen } from './infra/postgres/listen.ts';
import { openReplicas } from './infra/postgres/replicas.ts';
import { type Loop, startLoop, startNotifiedLoop } from './infra/worker/loop.ts';
import { jobKinds } from './jobs/handlers.ts';
import { startWorker, type Worker } from './jobs/worker.ts';
import { type Actor, anonymous, type Call, withSpan } from './kernel/call.ts';
import { liveSettings } from './kernel/live.ts';
import { noMeter } from './kernel/meter.ts';
import { type Origin, spanOfRequest } from './kernel/request.ts';
import type { Settings } from './kernel/settings.ts';
import { version } from './kernel/version.ts';
import { type Checker, startChecker } from './links/checker.ts';
import { createMail } from './mail/smtp.ts';
import { newestMigration } from './migrate/migrate.ts';
import { createMeter } from './monitor/meter.ts';
import { createMetrics } from './monitor/metrics.ts';
import { createRequestCounts } from './monitor/requests.ts';
import { createBeating } from './operations/beat.service.ts';
import { createRecorder } from './operations/recorder.ts';
import { startScoring } from './quality/score.loop.ts';
import { scorePending } from './quality/score.service.ts';
import { createLimiter } from './rate/limiter.ts';
import { solrAt } from './search/solr/client.ts';
import { catchUp } from './statistics/fold.service.ts';
import { createTracer } from './tracing/tracer.ts';
import { createCounter, noCounter } from './usage/counter.ts';
import { flush, keepUp, catchUp as sumUses } from './usage/fold.service.ts';
import { type Dispatcher, startDispatcher } from './webhooks/dispatcher.ts';

export interface AppOptions {
  readonly settings: Settings;
  readonly database: Database;
  /** The site secret: seals API keys, hashes and signs. */
  readonly secret: Buffer;
  readonly log: Logger;
  /** Whether queries may read from replicas. Commands read from the primary. */
  readonly usesReplicas?: boolean;
  /** Called with the text of every DataStore statement. */
  readonly onDatastoreStatement?: (text: string) => void;
}

export interface App {
  readonly server: http.Server;
  /** Serves `/livez`, `/readyz` and `/metrics` on catalog.monitoring.port. Null without that port. */
  readonly monitoringServer: http.Server | null;
  readonly run: RunOperation;
  /** A call outside any request: commands and tests. */
  callAs(actor: Actor): Call;
  /** Starts the job worker; servers do, commands do not. Stop the returned worker. */
  startWorker(): Promise<Worker>;
  /** Starts delivering webhooks, in the same way. */
  startDispatcher(): Promise<Dispatcher>;
  /** Starts checking links of resources, in the same way. */
  startChecker(): Promise<Checker>;
  /** Starts counting writes for the statistics, in the same way. Without it, readers of statistics count them. */
  startCounting(): Loop;
  /** Starts recording this process and its requests for operators, in the same way. */
  startRecording(): Loop;
  /** Starts summing uses, in the same way. */
  startSummingUsage(): Loop;
  /** Starts making and dropping automatic indexes of tables, in the same way. Null without a DataStore. */
  startIndexing(): Loop | null;
  /** Starts scoring changed datasets, in the same way. */
  startScoring(): Loop;
  /** Scores the datasets that changed. Returns the number of scores. */
  score(): Promise<number>;
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
/** ms between two heartbeats of a process. */
const BEAT_INTERVAL = 5_000;
/** ms between two flushes of counted uses. A crash loses at most the uses of that time. */
const FLUSH_INTERVAL = 1_000;
/** ms between two sums of stored uses. */
const FOLD_INTERVAL = 10_000;
/** ms for which a deleted resource's table remains. */
const DROP_DELAY = 5 * 1000;

export async function createApp(options: AppOptions): Promise<App> {
  const { database, log } = options;
  const settings = liveSettings(options.settings);
  const roles = settings['catalog.roles'];
  const tables = await loadTables(settings['catalog.extra_template_paths']);
  const parts = await openParts({ ...options, settings });
  const { callAs, areaLog } = parts;
  const loops = await startLoops(parts, options);
  const run = createRunner(parts.tracer ? traceFields(createSchema()) : schema);
  const serving = await createServing({ ...options, settings }, parts, { tables, run });
  const stopServing = () => serving.stop();
  const describe = describing({ siteUrl: settings['catalog.site_url'], tables });
  const as = (what: string) => () => callAs({ ...anonymous(what), sysadmin: true });
  const retrying = (what: string) => reporting(areaLog('background'), what);
  return {
    server: serving.server,
    monitoringServer: serving.monitoring.server,
    run,
    callAs,
    startWorker: () =>
      startWorker({
        kinds: {
          ...(roles.includes('jobs') && jobKinds),
          ...(roles.includes('harvest') && { [HARVEST]: harvestJob({ run, callAs, databaseUrl: database.url }) }),
        },
        workers: settings['catalog.jobs.workers'],
        maxPerHost: settings['catalog.jobs.per_host'],
        databaseUrl: database.url,
        callNow: as('job'),
        keepDays: settings['catalog.jobs.keep_days'],
        log: areaLog('jobs'),
        meter: parts.meter,
        tracer: parts.tracer,
      }),
    startDispatcher: () =>
      startDispatcher({
        senders: settings['catalog.webhooks.senders'],
        databaseUrl: database.url,
        callNow: as('webhooks'),
        log: areaLog('webhooks'),
        tracer: parts.tracer,
      }),
    startChecker: () => startChecker({ databaseUrl: database.url, callNow: as('link checks'), log: areaLog('links') }),
    startCounting: () =>
      startLoop({
        look: () => catchUp(callAs(anonymous('statistics')), Number.POSITIVE_INFINITY),
        interval: COUNT_INTERVAL,
        ...retrying('counting for the statistics'),
      }),
    startRecording() {
      const { beat } = createBeating(parts.recorder, version);
      return startLoop({
        look: () => beat(callAs(anonymous('operations'))),
        interval: BEAT_INTERVAL,
        ...retrying('recording requests'),
      });
    },
    startSummingUsage: () =>
      startLoop({
        look: () => keepUp(callAs(anonymous('usage'))),
        interval: FOLD_INTERVAL,
        ...retrying('summing the usage'),
      }),
    startIndexing: () =>
      parts.datastore && startIndexing(as('automatic indexes'), retrying('making indexes of tables')),
    startScoring: () => startScoring(as('quality'), describe, retrying('scoring the quality of datasets')),
    score: () => scorePending(as('quality')(), describe),
    stopServing,
    settle: parts.background.settle,
    close() {
      void loops.sweeper.stop(); // not awaited: the next process does what is left undone
      const shared = serving.limiter?.close();
      return stopServing()
        .then(() => serving.graph.stop())
        .then(() => shared)
        .then(() => parts.background.settle())
        .then(() => loops.flushing.stop())
        .then(() => loops.shaping.stop())
        .then(() => flush(parts.usage, database.sql).catch(lostUses(log)))
        .then(parts.notices.stop)
        .then(() => loops.dropping?.stop())
        .then(() => parts.datastore?.close())
        .then(() => parts.replicas?.close())
        .then(serving.closeMonitoring)
        .then(serving.checks.close)
        .then(parts.argon.close)
        .then(() => parts.tracer?.close())
        .finally(() => parts.blobs.close());
    },
  };
}

type Parts = Awaited<ReturnType<typeof openParts>>;

/** Opens the parts of a call, and the notifications that update them. */
async function openParts({ settings, database, secret, log, onDatastoreStatement, usesReplicas }: AppOptions) {
  const areaLog = createAreas(log, settings['catalog.log_areas']);
  const secretBox = createSecretBox(secret);
  const argon = argonThreads();
  const blobs = await openBlobs(settings, (failure) => areaLog('files').error({ err: failure }, 'file storage failed'));
  const datastore = openDatastore(settings, ownTables, onDatastoreStatement);
  const background = createBackground(areaLog('background'));
  const counts = hasMetrics(settings) ? { meter: createMeter(), requests: createRequestCounts() } : null;
  const meter = counts?.meter ?? noMeter;
  const tracer = createTracer({ settings, meter, log: areaLog('background') });
  const mail = createMail({ settings, log: areaLog('mail'), meter });
  const usage = settings['catalog.usage.enabled'] ? createCounter() : noCounter;
  const replicas = usesReplicas ? openReplicas(settings, database.url, areaLog('database')) : null;
  // A literal: V8 copies an object by `...` in ten times as long, and every request makes a call.
  const callAs = (actor: Actor, origin?: Origin): Call => {
    const call = {
      actor,
      request: { now: new Date(), origin },
      db: parts.db,
      sql: parts.sql,
      stores: parts.stores,
      secrets: parts.secrets,
      process: parts.process,
      settings: parts.settings,
    };
    return withSpan(call, spanOfRequest(origin));
  };
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
    process: { feed, mail, background, log, meter, usage, sumUses, countWrites: catchUp, replicas },
    settings,
  };
  const heard = () => {
    replicas?.wrote(); // in another process, too
    return feed.heard();
  };
  const notices = await listen(
    database.url,
    { site_option: () => refreshOptions(callAs(anonymous('site options'))), change: heard },
    (failure) => areaLog('database').error({ err: failure }, 'listening to database notifications failed'),
  );
  const recorder = createRecorder([
    ...(counts ? [counts.requests.observe] : []),
    ...(settings['catalog.log_requests'] ? [createRequestLog(areaLog('http'))] : []),
  ]);
  return {
    areaLog,
    callAs,
    recorder,
    counts,
    meter,
    tracer,
    secretBox,
    argon,
    blobs,
    datastore,
    background,
    feed,
    notices,
    usage,
    replicas,
  };
}

const lostUses = (log: Logger) => (failure: unknown) => log.error({ err: failure }, 'the last counted uses are lost');

/** Logs the first failure of a row, and the recovery. */
const reporting = (log: Logger, what: string) => ({
  onFailure(failure: unknown, count: number) {
    if (count === 1) log.warn({ err: failure }, `${what} failed; retrying`);
  },
  onRecovery: () => log.info(`${what} works again`),
});

/** Sweeps of this process. */
async function startLoops({ callAs, datastore, usage, areaLog }: Parts, { database }: AppOptions) {
  const log = areaLog('background');
  const flushing = startLoop({
    look: () => flush(usage, database.sql),
    interval: FLUSH_INTERVAL,
    ...reporting(log, 'storing counted uses'),
  });
  const shaping = startShaping(() => callAs(anonymous('reads of tables')), reporting(log, 'storing reads of tables'));
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
  return { sweeper, dropping, flushing, shaping };
}

/** Creates the server and the services that answer requests. */
async function createServing(
  { settings, database }: AppOptions,
  { areaLog, callAs, secretBox, blobs, datastore, feed, recorder, counts, meter, tracer, replicas }: Parts,
  served: Pick<FacadeOptions, 'tables' | 'run'>,
) {
  const log = areaLog('http');
  const isExempt = networks(settings['catalog.rate.exempt'], 'catalog.rate.exempt');
  const limiter = createLimiter({ settings, database, log, meter, isExempt });
  const sessions = createSessions({ siteUrl: settings['catalog.site_url'], sign: secretBox.sign });
  const callers = createCallers({ settings, callAs, sessions, limiter });
  const documents = createDocuments(publicSchema);
  const gate = createGate(publicSchema, settings);
  const subscriptions = createSubscriptions({ schema: publicSchema, documents, gate, log: areaLog('graphql') });
  const plugins = await loadPlugins(settings['catalog.graphql.plugins']);
  const own = plugins.length > 0 || tracer ? createPublicSchema() : publicSchema; // plugins and traces instrument a schema of their own
  const graph = await createGraphServer({
    schema: tracer ? traceFields(own) : own,
    settings,
    log: areaLog('graphql'),
    meter,
    documents,
    gate,
    subscriptions,
    plugins,
  });
  const solrUrls = settings['catalog.search.solr_url'];
  const checks = createChecks({
    settings,
    databaseUrl: database.url,
    migration: newestMigration(),
    blobs,
    hasDatastore: datastore !== null,
    search: solrUrls.length === 0 ? null : () => solrAt(solrUrls).query({ query: '*:*', limit: 0 }),
  });
  const health = createHealth(checks.checks, log);
  const metrics =
    counts &&
    createMetrics({
      ...counts,
      ...{ databaseUrl: database.url, log, parts: health.parts },
      running: () => recorder.running,
      streams: () => feed.open,
      connections: () => connectionsOf(server),
      pools: { catalog: database.pool, ...replicas?.pools, ...datastore?.pools },
      replicas: () => replicas?.states() ?? [],
    });
  const monitoring = createMonitoring({ settings, health, metrics, log });
  const parts = { settings, log, callers, sessions, graph, subscriptions, blobs, datastore, recorder, tracer };
  const { server, close } = createHttpServer({ ...parts, ...served, monitoring: monitoring.endpoints });
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    health.stop();
    feed.stop();
    stopped ??= close().then(() => {});
    return stopped;
  };
  const closeMonitoring = async () => {
    monitoring.server?.close();
    monitoring.server?.closeAllConnections();
    await metrics?.close();
  };
  return { server, monitoring, closeMonitoring, graph, limiter, checks, stop };
}

const connectionsOf = (server: http.Server): Promise<number> =>
  new Promise((resolve) => server.getConnections((_failure, count) => resolve(count ?? 0)));
