/** Mounts versions 1 and 2 of the API. The last facade below `/api`: it answers 404 for the rest. */
import { namedBy } from '../../src/kernel/request.ts';
import { bodyLimits } from '../shared/bodies.ts';
import type { Application, CommonDeps } from '../shared/mount.ts';
import { legacyRouter, nothingInApi } from './router.ts';

export function mount(app: Application, { settings, log, run, callers }: CommonDeps): void {
  const legacy = legacyRouter({
    run,
    callFor: callers.callFor,
    siteUrl: settings['catalog.site_url'],
    limits: bodyLimits(settings),
    onDefect: (thrown, path, req) => log.error({ err: thrown, path, ...namedBy(req) }, 'legacy request failed'),
  });
  app.web.use(legacy, nothingInApi);
}
