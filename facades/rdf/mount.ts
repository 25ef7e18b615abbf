/** Mounts linked data. */
import type { Application, CommonDeps } from '../shared/mount.ts';
import { type RdfOptions, rdfRouter } from './router.ts';

export type RdfDeps = CommonDeps & Pick<RdfOptions, 'tables'>;

export function mount(app: Application, { settings, run, callers, tables }: RdfDeps): void {
  app.web.use(rdfRouter({ run, callFor: callers.callFor, siteUrl: settings['catalog.site_url'], tables }));
}
