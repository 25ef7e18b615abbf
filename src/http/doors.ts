/** The doors: every facade, put together into one server. */
import { randomUUID } from 'node:crypto';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import express from 'express';
import type { Logger } from 'pino';
import { actions } from '../../facades/action/actions/index.ts';
import { offeredActions, styleOf } from '../../facades/action/define.ts';
import { dumpRouter } from '../../facades/action/dump.ts';
import { dumpPaths } from '../../facades/action/openapi/dump.ts';
import { createOpenapi } from '../../facades/action/openapi/handler.ts';
import { actionRouter, hotAction, nothingInApi } from '../../facades/action/router.ts';
import { createFeedHandler, isFeed } from '../../facades/feed/router.ts';
import { filePaths } from '../../facades/files/openapi.ts';
import { fileRouter } from '../../facades/files/router.ts';
import { uploadRouter } from '../../facades/files/upload.ts';
import { createGraphqlHandler, isGraphql } from '../../facades/graphql/handler.ts';
import { createSockets } from '../../facades/graphql/sockets.ts';
import { importPaths } from '../../facades/import/openapi.ts';
import { importRouter } from '../../facades/import/router.ts';
import { legacyRouter } from '../../facades/legacy/router.ts';
import type { Tables } from '../../facades/rdf/mapping.ts';
import { rdfRouter } from '../../facades/rdf/router.ts';
import { bodyLimits } from '../../facades/shared/bodies.ts';
import { closingOf } from '../../facades/shared/closing.ts';
import { faultOfHead, refuseHead, refuseUpgrade } from '../../facades/shared/head.ts';
import { CORS, preflight, retryHeader, sendText } from '../../facades/shared/http.ts';
import type { Sessions } from '../../facades/shared/session.ts';
import { pathOfSite, redirectSlash } from '../../facades/shared/slash.ts';
import { answerPlainly, wantsWebSocket } from '../../facades/shared/upgrade.ts';
import { createDocs } from '../../facades/web/docs.ts';
import { createGraphiql } from '../../facades/web/graphiql.ts';
import { sendPage } from '../../facades/web/site/answer.ts';
import { messagePage } from '../../facades/web/site/message.tsx';
import { siteRouter } from '../../facades/web/site/router.ts';
import { checkEditsAnything } from '../catalog/file/sender.service.ts';
import { uploadReceive } from '../catalog/file/ticket.service.ts';
import { mayDump, tableDump } from '../datastore/dump.service.ts';
import type { RunOperation } from '../graph/run.ts';
import type { GraphServer } from '../graph/server.ts';
import type { Subscriptions } from '../graph/subscriptions.ts';
import type { Blobs } from '../kernel/blobs.ts';
import type { Call } from '../kernel/call.ts';
import type { Settings } from '../kernel/config.ts';
import type { Datastore } from '../kernel/datastore.ts';
import { CatalogError } from '../kernel/errors.ts';
import { asRefusal } from '../kernel/unavailable.ts';
import { version } from '../kernel/version.ts';
import { importLines } from '../transfer/lines.ts';
import type { RecordActions } from '../transfer/perform.ts';
import type { Callers } from './callers.ts';
import type { Health } from './health.ts';

/** ms that a client may take to send a request: the largest file over a slow line. */
const REQUEST_TIMEOUT = 60 * 60 * 1000;
/** ms that a connection stays open without a request: longer than proxies keep theirs, so that none sends into one that closes. */
const KEEP_ALIVE = 75 * 1000;
/** ms for the head of a request; more than KEEP_ALIVE, or connections would end by it. */
const HEADERS_TIMEOUT = 80 * 1000;

/** Cost of a whole table, however long: it is no operation of the graph. */
const DUMP_COST = 10_000;

const openDump = refusing<typeof tableDump>((call, ...asked) => {
  call.charge?.(DUMP_COST);
  return tableDump(call, ...asked);
});

/** Cost of taking a file in: that of a mutation. */
const UPLOAD_COST = 11;

/** Cost of a line of an import, beside that of its operations. */
const LINE_COST = 1;

const takeUpload = refusing<typeof uploadReceive>((call, ...asked) => {
  call.charge?.(UPLOAD_COST);
  return uploadReceive(call, ...asked);
});

const checkEdits = refusing(checkEditsAnything);

/** A service whose failures reach a facade without an operation between: it says UNAVAILABLE itself. */
function refusing<Work extends (call: Call, ...given: never[]) => Promise<unknown>>(work: Work): Work {
  return (async (call: Call, ...given: never[]) => {
    try {
      return await work(call, ...given);
    } catch (failure) {
      throw asRefusal(failure, call.log);
    }
  }) as Work;
}

export interface DoorsOptions {
  readonly settings: Settings;
  readonly log: Logger;
  readonly run: RunOperation;
  readonly recordActions: RecordActions;
  readonly callers: Callers;
  readonly sessions: Sessions;
  readonly graph: GraphServer;
  readonly subscriptions: Subscriptions;
  readonly blobs: Blobs;
  /** Null where the DataStore is not switched on. */
  readonly datastore: Datastore | null;
  /** How classes are mapped to RDF. */
  readonly tables: Tables;
  readonly health: Health;
}

export interface Doors {
  readonly server: http.Server;
  /** Answers the requests that are on their way and takes no more. */
  close(): Promise<unknown>;
}

/** The server with every facade; it does not listen yet. */
export function createDoors({
  settings,
  log,
  run,
  recordActions,
  callers,
  sessions,
  graph,
  subscriptions,
  blobs,
  datastore,
  tables,
  health,
}: DoorsOptions): Doors {
  const { callFor } = callers;
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
    style: styleOf(settings),
    limits,
    readsForms: settings['catalog.action_api.forms'] === 'read',
    incoming: blobs,
    onDefect: (thrown, action) => log.error({ err: thrown, action, id: randomUUID() }, 'action failed'),
  });

  const siteTitle = () => settings['catalog.site_title']; // asked for again by every request: it can change while we run
  const graphiql = createGraphiql(siteTitle);
  const docs = createDocs(siteTitle);
  const openapi = createOpenapi({
    actions: offered,
    title: siteTitle,
    version,
    siteUrl: settings['catalog.site_url'],
    statuses: settings['catalog.action_api.status'],
    readsForms: settings['catalog.action_api.forms'] === 'read',
    keyHeader: settings.apikey_header_name,
    paths: { ...filePaths, ...importPaths, ...(settings['catalog.plugins'].includes('datastore') && dumpPaths) },
  });
  const handleGraphql = createGraphqlHandler({
    server: graph,
    subscriptions,
    callFor: callers.graphqlCallFor,
    limits,
    keyHeader: settings.apikey_header_name,
    page: graphiql.page,
  });

  const sockets = createSockets({
    server: graph,
    subscriptions,
    callFor: callers.graphqlCallFor,
    keyHeaders: callers.keyHeaders,
    siteUrl: settings['catalog.site_url'],
    most: settings['catalog.limits.sockets'],
    networkOf: callers.networkOf,
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
    if (health.owns(req.url)) return health.handle(req, res);
    if (graphiql.owns(req.url)) return graphiql.handle(req, res);
    return docs.owns(req.url) ? docs.handle(req, res) : null;
  }

  const web = express().disable('x-powered-by').set('etag', false);
  web.use((req, res, next) => {
    if (req.method !== 'OPTIONS') return next();
    res.set(preflight(settings.apikey_header_name));
    res.status(200).type('text/html').end();
  });
  web.use(redirectSlash(pathOfSite(settings['catalog.site_url'])));
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
      admit: async (call) => {
        await checkEdits(call);
        call.charge?.(LINE_COST);
      },
      bringIn: (call, input, more) =>
        importLines({ actions: recordActions, call: () => ({ ...call, now: new Date() }) }, input, {
          ...more,
          maxFailures: settings['catalog.limits.import_failures'],
          maxValues: limits.json_values,
          charge: () => call.charge?.(LINE_COST),
        }),
      maxBytes: limits.json_body,
      onDefect: (thrown, line) => {
        const id = randomUUID();
        log.error({ err: thrown, line, id }, 'a record could not be brought in');
        return id;
      },
    }),
  );
  web.use(dumpRouter({ callFor, open: openDump, mayOpen: refusing(mayDump) }));
  web.use(fileRouter({ run, callFor, open: blobs.open, has: blobs.has }));
  web.use(uploadRouter({ callFor: (req) => callFor(req, true), receive: takeUpload }));
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
    const thrown = asRefusal(failure, log);
    const isDown = thrown instanceof CatalogError && thrown.kind === 'UNAVAILABLE';
    if (!isDown || res.headersSent) log.error({ err: failure }, 'request failed');
    if (res.headersSent) return next(failure);
    if (isDown) {
      const frame = { siteTitle: siteTitle(), registration: site.registration, viewer: null, token: '' };
      return sendPage(res, 503, messagePage(frame, 'Not available', thrown.message), {
        ...CORS,
        ...retryHeader(res, 503),
      });
    }
    res
      .set(CORS)
      .status(500)
      .type('text/html')
      .send('<!doctype html><title>Error</title><h1>The server failed. The failure was logged.</h1>');
  });

  const timeouts = { requestTimeout: REQUEST_TIMEOUT, keepAliveTimeout: KEEP_ALIVE, headersTimeout: HEADERS_TIMEOUT };
  const server = http.createServer(timeouts, (req: IncomingMessage, res: ServerResponse) => {
    const fault = faultOfHead(req);
    if (fault !== null) return refuseHead(req, res, fault);
    callers.begins(req, res);
    const answered = answerEarly(req, res);
    if (!answered) return void web(req, res);
    answered.catch((failure: unknown) => {
      log.error({ err: failure }, 'request failed');
      if (res.headersSent || res.destroyed) return void res.destroy();
      sendText(res, 500, 'text/plain;charset=utf-8', 'The server failed. The failure was logged.\n');
    });
  });
  const closing = closingOf(server);
  server.on('upgrade', (req, connection, head) => {
    const fault = faultOfHead(req);
    if (fault !== null) refuseUpgrade(connection, fault);
    else if (isGraphql(req.url) && wantsWebSocket(req)) sockets.upgrade(req, connection, head);
    else answerPlainly(server, req, connection, head);
  });
  return { server, close: () => Promise.all([closing.close(), sockets.close()]) };
}
