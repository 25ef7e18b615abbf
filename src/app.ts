/** Composition root: the only file that knows everybody. */

import { randomUUID } from 'node:crypto';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import express from 'express';
import type { Logger } from 'pino';
import { actions } from '../facades/action/actions/index.ts';
import { offeredActions } from '../facades/action/define.ts';
import { dumpRouter } from '../facades/action/dump.ts';
import { actionsInProcess } from '../facades/action/in-process.ts';
import { dumpPaths } from '../facades/action/openapi/dump.ts';
import { createOpenapi } from '../facades/action/openapi/handler.ts';
import { actionRouter, hotAction, nothingInApi } from '../facades/action/router.ts';
import { createFeedHandler, isFeed } from '../facades/feed/router.ts';
import { filePaths } from '../facades/files/openapi.ts';
import { fileRouter } from '../facades/files/router.ts';
import { createGraphqlHandler, isGraphql } from '../facades/graphql/handler.ts';
import { createSockets } from '../facades/graphql/sockets.ts';
import { importPaths } from '../facades/import/openapi.ts';
import { importRouter } from '../facades/import/router.ts';
import { legacyRouter } from '../facades/legacy/router.ts';
import { rdfRouter } from '../facades/rdf/router.ts';
import { loadTables } from '../facades/rdf/templates.ts';
import { addressReader, networks } from '../facades/shared/address.ts';
import { bodyLimits } from '../facades/shared/bodies.ts';
import { closeServer } from '../facades/shared/closing.ts';
import { CORS } from '../facades/shared/http.ts';
import { createSessions, isSafe } from '../facades/shared/session.ts';
import { answerPlainly, wantsWebSocket } from '../facades/shared/upgrade.ts';
import { createDocs } from '../facades/web/docs.ts';
import { createGraphiql } from '../facades/web/graphiql.ts';
import { siteRouter } from '../facades/web/site/router.ts';
import { identify } from './accounts/identity/identity.service.ts';
import { argonThreads } from './accounts/password/argon.ts';
import { openBlobs } from './blobs/open.ts';
import { startSweeper } from './blobs/sweeper.ts';
import { refreshOptions } from './catalog/site/option.service.ts';
import { ownTables } from './datastore/counts.sql.ts';
import { startDropping } from './datastore/dropping.ts';
import { mayDump, tableDump } from './datastore/dump.service.ts';
import { dropDiscarded } from './datastore/sweep.service.ts';
import { createLiveFeed, type LiveFeed } from './feed/live.ts';
import { createEntrance } from './graph/entrance.ts';
import { createRunner, type RunOperation } from './graph/run.ts';
import { schema } from './graph/schema.ts';
import { createGraphServer } from './graph/server.ts';
import { createSubscriptions } from './graph/subscriptions.ts';
import { harvestJob } from './harvest/harvest.job.ts';
import { HARVEST } from './harvest/harvest.service.ts';
import { jobKinds } from './jobs/handlers.ts';
import { startWorker, type Worker } from './jobs/worker.ts';
import { createBackground } from './kernel/background.ts';
import { type Actor, anonymous, type Call } from './kernel/call.ts';
import type { Settings } from './kernel/config.ts';
import { openDatastore } from './kernel/datastore.ts';
import type { Database } from './kernel/db.ts';
import { listen } from './kernel/listen.ts';
import { liveSettings } from './kernel/live.ts';
import { createVault } from './kernel/vault.ts';
import { version } from './kernel/version.ts';
import { createMail } from './mail/smtp.ts';
import { createLimiter } from './rate/limiter.ts';
import { importLines } from './transfer/lines.ts';
import type { RecordActions } from './transfer/perform.ts';
import { type Deliverer, startDeliverer } from './webhooks/deliverer.ts';

export interface AppOptions {
  readonly settings: Settings;
  readonly database: Database;
  /** The site secret: seals API keys, hashes and signs. */
  readonly secret: Buffer;
  readonly log: Logger;
  /** Told the text of every statement that the DataStore is sent. */
  readonly onDatastoreStatement?: (text: string) => void;
}

export interface App {
  readonly server: http.Server;
  readonly run: RunOperation;
  /** For what brings records in and out: commands and harvests. */
  readonly recordActions: RecordActions;
  /** A call outside any request: commands and tests. */
  callAs(actor: Actor): Call;
  /** Begins to do jobs, until the worker that comes back is stopped: what a server does, and commands do not. */
  startWorker(): Promise<Worker>;
  /** Begins to serve webhooks, in the same way. */
  startDeliverer(): Promise<Deliverer>;
  /** Waits until what goes on after answers is done. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

/** ms that a client may take to send a request: the largest file over a slow line. */
const REQUEST_TIMEOUT = 60 * 60 * 1000;
/** ms that a connection stays open without a request: longer than proxies keep theirs, so that none sends into one that closes. */
const KEEP_ALIVE = 75 * 1000;
/** ms for the head of a request; more than KEEP_ALIVE, or connections would end by it. */
const HEADERS_TIMEOUT = 80 * 1000;
/** ms between two sweeps of files that came in and were left behind. */
const SWEEP_INTERVAL = 10 * 60 * 1000;
/** ms that the table of a resource outlives it. */
const DROP_DELAY = 5 * 1000;

/** Cost of a whole table, however long: it is no operation of the graph. */
const DUMP_COST = 10_000;

const openDump: typeof tableDump = (call, ...asked) => {
  call.charge?.(DUMP_COST);
  return tableDump(call, ...asked);
};

export async function createApp({
  settings: given,
  database,
  secret,
  log,
  onDatastoreStatement,
}: AppOptions): Promise<App> {
  const settings = liveSettings(given);
  const tables = await loadTables(settings['catalog.extra_template_paths']);
  const vault = createVault(secret);
  const argon = argonThreads();
  const blobs = await openBlobs(settings, (failure) => log.error({ err: failure }, 'the store of files failed'));
  const datastore = openDatastore(settings, ownTables, onDatastoreStatement);
  const background = createBackground(log);
  const mail = createMail({ settings, log });
  const stopSweeper = startSweeper({
    blobs,
    interval: SWEEP_INTERVAL,
    onFailure: (failure) => log.error({ err: failure }, 'the sweep of files failed'),
  });
  const run = createRunner(schema);
  const callAs = (actor: Actor): Call => ({
    actor,
    db: database.db,
    sql: database.sql,
    datastore,
    settings,
    vault,
    argon: argon.derive,
    blobs,
    mail,
    feed,
    background,
    log,
    now: new Date(),
  });
  const feed: LiveFeed = createLiveFeed({
    call: () => callAs(anonymous('change feed')),
    tell: () => notices.tell('change'),
    onFailure: (failure) => log.error({ err: failure }, 'the log of changes could not be read'),
  });
  const notices = await listen(
    database.url,
    { site_option: () => refreshOptions(callAs(anonymous('site options'))), change: feed.heard },
    (failure) => log.error({ err: failure }, 'what the database told could not be followed'),
  );
  const stopDropping =
    datastore &&
    (await startDropping({
      url: database.url,
      interval: SWEEP_INTERVAL,
      delay: DROP_DELAY,
      drop: () => dropDiscarded(callAs(anonymous('tables that are gone'))),
      onFailure: (failure) => log.error({ err: failure }, 'tables of resources that are gone could not be dropped'),
    }));
  const keyHeaders = [settings.apikey_header_name.toLowerCase(), 'x-ckan-api-key', 'authorization'];

  const addressOf = addressReader(settings['catalog.trusted_proxies']);
  const limiter = createLimiter({
    settings,
    sql: database.sql,
    log,
    isExempt: networks(settings['catalog.rate.exempt'], 'catalog.rate.exempt'),
  });
  /** The answer to each request, for headers about what its caller may spend. */
  const answers = new WeakMap<IncomingMessage, ServerResponse>();
  /** The call of a request whose operations the caller pays for. */
  const charged = (req: IncomingMessage, call: Call): Call => {
    const res = answers.get(req);
    const charge = limiter?.chargeOf(call.actor, (name, value) => !res?.headersSent && res?.setHeader(name, value));
    return charge ? { ...call, charge } : call;
  };
  const sessions = createSessions({ siteUrl: settings['catalog.site_url'], sign: vault.sign });

  /**
   * Who is asking: by the key, token or session in a header, else by the cookie. A request that changes something and is known
   * by its cookie must show that it comes from our own pages: pages check the token of a form themselves and then say `formChecked`.
   */
  function callFor(req: IncomingMessage, anonymously = false, formChecked = false): Call | Promise<Call> {
    const call = callAs(anonymous(addressOf(req)));
    if (anonymously) return charged(req, call);
    const key = keyOf(req, keyHeaders);
    const secret = key ?? sessions.secretOf(req);
    if (secret === undefined) return charged(req, call);
    return identify(call, secret).then((actor) => {
      if (key === undefined && actor.userId !== null && !formChecked && !isSafe(req)) sessions.checkRequest(req);
      return charged(req, { ...call, actor });
    });
  }

  const recordActions = actionsInProcess(run);
  const offered = offeredActions(actions, (need) =>
    need === 'datastore' ? settings['catalog.plugins'].includes('datastore') : (datastore?.hasReader ?? false),
  );
  const limits = bodyLimits(settings);
  const { router, handle } = actionRouter({
    actions: offered,
    run,
    callFor,
    siteUrl: settings['catalog.site_url'],
    statuses: settings['catalog.action_api.status'],
    limits,
    incoming: blobs,
    onDefect: (thrown, action) => log.error({ err: thrown, action, id: randomUUID() }, 'action failed'),
  });

  const entrance = createEntrance(schema, settings);
  const subscriptions = createSubscriptions({ schema, entrance, log });
  const graph = await createGraphServer({ schema, settings, log, entrance, subscriptions });
  const siteTitle = () => settings['catalog.site_title']; // asked for again by every request: it can change while we run
  const graphiql = createGraphiql(siteTitle);
  const docs = createDocs(siteTitle);
  const openapi = createOpenapi({
    actions: offered,
    title: siteTitle,
    version,
    siteUrl: settings['catalog.site_url'],
    statuses: settings['catalog.action_api.status'],
    keyHeader: settings.apikey_header_name,
    paths: { ...filePaths, ...importPaths, ...(settings['catalog.plugins'].includes('datastore') && dumpPaths) },
  });
  const graphqlCallFor = (req: IncomingMessage, cookies: boolean) =>
    callFor(req, !cookies && keyOf(req, keyHeaders) === undefined);
  const handleGraphql = createGraphqlHandler({
    server: graph,
    subscriptions,
    callFor: graphqlCallFor,
    limits,
    keyHeader: settings.apikey_header_name,
    maxAge: settings['catalog.graphql.max_age'],
    page: graphiql.page,
  });

  const sockets = createSockets({
    server: graph,
    subscriptions,
    callFor: graphqlCallFor,
    keyHeaders,
    siteUrl: settings['catalog.site_url'],
    most: settings['catalog.limits.sockets'],
    mostOfCaller: settings['catalog.limits.streams_per_caller'],
    values: settings['catalog.limits.json_values'],
    onDefect: (thrown) => log.error({ err: thrown, id: randomUUID() }, 'a WebSocket failed'),
  });

  const handleFeed = createFeedHandler({
    run,
    subscriptions,
    callFor,
    onDefect: (thrown) => log.error({ err: thrown, id: randomUUID() }, 'the change feed failed'),
  });

  /** Answers what Express would only slow down; null leaves the request to Express. */
  function answerEarly(req: IncomingMessage, res: ServerResponse): Promise<void> | null {
    const name = hotAction(req.method, req.url);
    if (name !== null) return handle(req, res, name);
    if (isGraphql(req.url)) return handleGraphql(req, res);
    if (isFeed(req.url)) return handleFeed(req, res);
    if (graphiql.owns(req.url)) return graphiql.handle(req, res);
    return docs.owns(req.url) ? docs.handle(req, res) : null;
  }

  const web = express().disable('x-powered-by').set('etag', false);
  web.use((req, res, next) => {
    if (req.method !== 'OPTIONS') return next();
    res.set({
      ...CORS,
      'access-control-allow-headers': `${CORS['access-control-allow-headers']}, ${settings.apikey_header_name}`,
    });
    res.status(200).type('text/html').end();
  });
  web.get('/openapi.json', (req, res, next) => void openapi(req, res).catch(next));
  web.use(router);
  web.use(
    legacyRouter({
      run,
      callFor,
      siteUrl: settings['catalog.site_url'],
      limits,
      onDefect: (thrown, path) => log.error({ err: thrown, path, id: randomUUID() }, 'legacy request failed'),
    }),
  );
  web.use(nothingInApi);
  web.use(
    importRouter({
      callFor,
      bringIn: (call, input, more) =>
        importLines({ actions: recordActions, call: () => ({ ...call, now: new Date() }) }, input, more),
      maxBytes: limits.json_body,
      onDefect: (thrown, line) => {
        const id = randomUUID();
        log.error({ err: thrown, line, id }, 'a record could not be brought in');
        return id;
      },
    }),
  );
  web.use(dumpRouter({ callFor, open: openDump, mayOpen: mayDump }));
  web.use(fileRouter({ run, callFor, open: blobs.open, has: blobs.has }));
  web.use(rdfRouter({ run, callFor, siteUrl: settings['catalog.site_url'], tables }));
  const site = {
    run,
    callFor,
    sessions,
    siteUrl: settings['catalog.site_url'],
    siteTitle,
    registration: settings['catalog.auth.create_user_via_web'],
  };
  web.use(siteRouter(site));
  web.use((failure: unknown, _req: express.Request, res: express.Response, next: express.NextFunction) => {
    if (failure instanceof URIError && !res.headersSent) {
      const page = '<!doctype html><title>Bad request</title><h1>The address is not encoded as addresses are.</h1>';
      return void res.set(CORS).status(400).type('text/html').send(page);
    }
    log.error({ err: failure }, 'request failed');
    if (res.headersSent) return next(failure);
    res
      .set(CORS)
      .status(500)
      .type('text/html')
      .send('<!doctype html><title>Error</title><h1>The server failed. The failure was logged.</h1>');
  });

  const timeouts = { requestTimeout: REQUEST_TIMEOUT, keepAliveTimeout: KEEP_ALIVE, headersTimeout: HEADERS_TIMEOUT };
  const server = http.createServer(timeouts, (req: IncomingMessage, res: ServerResponse) => {
    if (limiter) answers.set(req, res);
    const answered = answerEarly(req, res);
    if (!answered) return void web(req, res);
    answered.catch((failure: unknown) => {
      log.error({ err: failure }, 'request failed');
      res.destroy();
    });
  });
  server.on('upgrade', (req, connection, head) => {
    if (isGraphql(req.url) && wantsWebSocket(req)) sockets.upgrade(req, connection, head);
    else answerPlainly(server, req, connection, head);
  });
  const close = () => {
    stopSweeper();
    const shared = limiter?.close();
    feed.stop();
    return Promise.all([closeServer(server), sockets.close()])
      .then(() => graph.stop())
      .then(() => shared)
      .then(() => background.settle())
      .then(notices.stop)
      .then(() => stopDropping?.())
      .then(() => datastore?.close())
      .then(argon.close)
      .finally(() => blobs.close());
  };
  const worker = () =>
    startWorker({
      kinds: { ...jobKinds, [HARVEST]: harvestJob({ actions: recordActions, callAs, databaseUrl: database.url }) },
      workers: settings['catalog.jobs.workers'],
      databaseUrl: database.url,
      callNow: () => callAs({ ...anonymous('job'), sysadmin: true }),
      keepDays: settings['catalog.jobs.keep_days'],
      log,
    });
  const deliverer = () =>
    startDeliverer({
      senders: settings['catalog.webhooks.senders'],
      databaseUrl: database.url,
      callNow: () => callAs({ ...anonymous('webhooks'), sysadmin: true }),
      log,
    });
  return {
    server,
    run,
    recordActions,
    callAs,
    startWorker: worker,
    startDeliverer: deliverer,
    settle: background.settle,
    close,
  };
}

/** The API key of a request: the first header that has one, in the order of ruling 4. `Bearer` in front is dropped. */
function keyOf(req: IncomingMessage, headers: readonly string[]): string | undefined {
  for (const header of headers) {
    const value = req.headers[header];
    if (typeof value === 'string' && value.trim() !== '') return value.trim().replace(/^Bearer\s+/i, '');
  }
  return undefined;
}
