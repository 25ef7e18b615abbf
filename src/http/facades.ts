/** Mounts the facades on one application. */

import { randomUUID } from 'node:crypto';
import express from 'express';
import type { Logger } from 'pino';
import { actions } from '../../facades/action/actions.ts';
import { offeredActions, styleOf } from '../../facades/action/define.ts';
import { dumpRouter } from '../../facades/action/dump.ts';
import { dumpPaths } from '../../facades/action/openapi/dump.ts';
import { openapiRouter } from '../../facades/action/openapi/handler.ts';
import { actionRouter, nothingInApi } from '../../facades/action/router.ts';
import { createFeed } from '../../facades/feed/router.ts';
import { filePaths } from '../../facades/files/openapi.ts';
import { fileRouter } from '../../facades/files/router.ts';
import { uploadRouter } from '../../facades/files/upload.ts';
import { createGraphql } from '../../facades/graphql/handler.ts';
import { importPaths } from '../../facades/import/openapi.ts';
import { importRouter } from '../../facades/import/router.ts';
import { legacyRouter } from '../../facades/legacy/router.ts';
import type { Tables } from '../../facades/rdf/mapping.ts';
import { rdfRouter } from '../../facades/rdf/router.ts';
import { bodyLimits } from '../../facades/shared/bodies.ts';
import type { Endpoint } from '../../facades/shared/endpoint.ts';
import type { Sessions } from '../../facades/shared/session.ts';
import { pathOfSite, redirectSlash } from '../../facades/shared/slash.ts';
import { createDocs } from '../../facades/web/docs.ts';
import { createGraphiql } from '../../facades/web/graphiql.ts';
import { siteRouter } from '../../facades/web/site/router.ts';
import { checkEditsAnything } from '../catalog/file/sender.service.ts';
import { uploadReceive } from '../catalog/file/ticket.service.ts';
import { mayDump, tableDump } from '../datastore/export/dump.service.ts';
import type { RunOperation } from '../graph/run.ts';
import type { GraphServer } from '../graph/server.ts';
import type { Subscriptions } from '../graph/subscriptions/subscriptions.ts';
import type { Blobs } from '../infra/files/blobs.ts';
import type { Datastore } from '../infra/postgres/datastore.ts';
import { asRefusal } from '../infra/postgres/failures.ts';
import type { Call } from '../kernel/call.ts';
import type { Settings } from '../kernel/config.ts';
import { version } from '../kernel/version.ts';
import { importLines } from '../transfer/lines.ts';
import type { RecordActions } from '../transfer/perform.ts';
import type { Callers } from './authenticate.ts';
import { answerFailure, answerPreflight } from './failures.ts';
import type { Health } from './health.ts';

/** Cost of dumping a table of any length: a dump is not a graph operation. */
const DUMP_COST = 10_000;

const openDump = refusing<typeof tableDump>((call, ...args) => {
  call.charge?.(DUMP_COST);
  return tableDump(call, ...args);
});

/** Cost of an upload: that of a mutation. */
const UPLOAD_COST = 11;

/** Cost of an import line, in addition to its operations. */
const LINE_COST = 1;

const takeUpload = refusing<typeof uploadReceive>((call, ...args) => {
  call.charge?.(UPLOAD_COST);
  return uploadReceive(call, ...args);
});

const checkEdits = refusing(checkEditsAnything);

/** A service that a facade calls without an operation: its failures become UNAVAILABLE. */
function refusing<Work extends (call: Call, ...args: never[]) => Promise<unknown>>(work: Work): Work {
  return (async (call: Call, ...args: never[]) => {
    try {
      return await work(call, ...args);
    } catch (failure) {
      throw asRefusal(failure, call.log);
    }
  }) as Work;
}

export interface FacadeOptions {
  readonly settings: Settings;
  readonly log: Logger;
  readonly run: RunOperation;
  readonly recordActions: RecordActions;
  readonly callers: Callers;
  readonly sessions: Sessions;
  readonly graph: GraphServer;
  readonly subscriptions: Subscriptions;
  readonly blobs: Blobs;
  /** Null without the DataStore. */
  readonly datastore: Datastore | null;
  /** Mapping of classes to RDF. */
  readonly tables: Tables;
  readonly health: Health;
}

export interface Facades {
  /** Handled before Express, which would only slow them down. */
  readonly endpoints: readonly Endpoint[];
  /** Handles all other requests. */
  readonly web: express.Express;
}

export function mountFacades({
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
}: FacadeOptions): Facades {
  const { callFor } = callers;
  const offered = offeredActions(actions, (need) =>
    need === 'datastore' ? settings['catalog.plugins'].includes('datastore') : (datastore?.hasReader ?? false),
  );
  const limits = bodyLimits(settings);
  const actionApi = actionRouter({
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

  const siteTitle = () => settings['catalog.site_title']; // read by every request: it can change at run time
  const graphiql = createGraphiql(siteTitle);
  const docs = createDocs(siteTitle);
  const openapi = openapiRouter({
    actions: offered,
    title: siteTitle,
    version,
    siteUrl: settings['catalog.site_url'],
    statuses: settings['catalog.action_api.status'],
    readsForms: settings['catalog.action_api.forms'] === 'read',
    keyHeader: settings.apikey_header_name,
    paths: { ...filePaths, ...importPaths, ...(settings['catalog.plugins'].includes('datastore') && dumpPaths) },
  });
  const graphql = createGraphql({
    server: graph,
    subscriptions,
    callFor: callers.graphqlCallFor,
    limits,
    keyHeader: settings.apikey_header_name,
    page: graphiql.page,
  });

  const feed = createFeed({
    run,
    subscriptions,
    callFor,
    onDefect: (thrown) => log.error({ err: thrown, id: randomUUID() }, 'the change feed failed'),
  });

  const site = {
    run,
    callFor,
    sessions,
    siteUrl: settings['catalog.site_url'],
    siteTitle,
    registration: settings['catalog.auth.create_user_via_web'],
  };

  const web = express().disable('x-powered-by').set('etag', false);
  web.use(
    answerPreflight(settings.apikey_header_name),
    redirectSlash(pathOfSite(settings['catalog.site_url'])),
    openapi,
    actionApi.router,
    legacyRouter({
      run,
      callFor,
      siteUrl: settings['catalog.site_url'],
      limits,
      onDefect: (thrown, path) => log.error({ err: thrown, path, id: randomUUID() }, 'legacy request failed'),
    }),
    nothingInApi,
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
    dumpRouter({ callFor, open: openDump, mayOpen: refusing(mayDump) }),
    fileRouter({ run, callFor, open: blobs.open, has: blobs.has }),
    uploadRouter({ callFor: (req) => callFor(req, true), receive: takeUpload }),
    rdfRouter({ run, callFor, siteUrl: settings['catalog.site_url'], tables }),
    siteRouter(site),
    answerFailure({ log, siteTitle, registration: site.registration }),
  );
  return { endpoints: [actionApi.endpoint, graphql, feed, health, graphiql, docs], web };
}
