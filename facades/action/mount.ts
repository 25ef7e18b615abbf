/** Mounts the Action API, its description, and downloads of tables. */
import { namedBy } from '../../src/kernel/request.ts';
import { version } from '../../src/kernel/version.ts';
import { bodyLimits } from '../shared/bodies.ts';
import type { Application, CommonDeps } from '../shared/mount.ts';
import type { Incoming } from '../shared/multipart.ts';
import { actions } from './actions.ts';
import { offeredActions, styleOf } from './define.ts';
import { type DumpOptions, dumpRouter } from './dump.ts';
import { dumpPaths } from './openapi/dump.ts';
import { openapiRouter } from './openapi/handler.ts';
import { actionRouter } from './router.ts';

export interface ActionDeps extends CommonDeps {
  readonly blobs: Incoming;
  /** Null if the DataStore is not enabled. */
  readonly datastore: { readonly hasReader: boolean } | null;
  readonly openDump: DumpOptions['open'];
  readonly mayOpenDump: DumpOptions['mayOpen'];
}

export function mount(app: Application, deps: ActionDeps): void {
  const { settings, log, run, callers, blobs, datastore } = deps;
  const hasDatastore = settings['catalog.plugins'].includes('datastore');
  const common = {
    actions: offeredActions(actions, (need) => (need === 'datastore' ? hasDatastore : (datastore?.hasReader ?? false))),
    siteUrl: settings['catalog.site_url'],
    statuses: settings['catalog.action_api.status'],
    readsForms: settings['catalog.action_api.forms'] === 'read',
  };
  const api = actionRouter({
    ...common,
    run,
    callFor: callers.callFor,
    style: styleOf(settings),
    limits: bodyLimits(settings),
    incoming: blobs,
    onDefect: (thrown, action, origin) => log.error({ err: thrown, action, ...namedBy(origin) }, 'action failed'),
  });
  const openapi = openapiRouter({
    ...common,
    title: () => settings['catalog.site_title'], // it can change while the site runs
    version,
    keyHeader: settings.apikey_header_name,
    paths: app.paths,
  });
  const dump = dumpRouter({ callFor: callers.callFor, open: deps.openDump, mayOpen: deps.mayOpenDump });
  if (hasDatastore) Object.assign(app.paths, dumpPaths);
  app.endpoints.push(api.endpoint);
  app.web.use(openapi, api.router, dump);
}
