/** Mounts the pages: GraphiQL, the API page, and those of the site. The last facade: it answers 404 for the rest. */
import type { Application, CommonDeps } from '../shared/mount.ts';
import type { Incoming } from '../shared/multipart.ts';
import type { Sessions } from '../shared/session.ts';
import { createDocs } from './docs.ts';
import { createGraphiql } from './graphiql.ts';
import { createPageCache } from './site/rendered.ts';
import { siteRouter } from './site/router.ts';
import { frameOptions } from './site/visit.ts';

export interface WebDeps extends CommonDeps {
  readonly sessions: Sessions;
  readonly blobs: Incoming;
}

export function mount(app: Application, { settings, log, run, callers, sessions, blobs }: WebDeps): void {
  const options = frameOptions(settings, log);
  options.theme(); // logs its faults at the start
  const graphiql = createGraphiql({ title: options.siteTitle, run, callFor: callers.callFor, sessions });
  app.graphqlPage = graphiql.page;
  app.endpoints.push(graphiql, createDocs(options.siteTitle));
  app.web.use(
    siteRouter({
      ...options,
      run,
      callFor: callers.callFor,
      sessions,
      customCss: () => settings['catalog.site_custom_css'],
      themeFolder: settings['catalog.theme'],
      imageHosts: settings['catalog.pages.image_hosts'],
      facets: settings['search.facets.default'],
      maps: { tiles: settings['catalog.maps.tiles'], attribution: settings['catalog.maps.attribution'] },
      embedding: settings['catalog.views.embedding'],
      confirmsEmail: settings['catalog.auth.confirm_email'],
      rows: settings['catalog.limits.rows'],
      maxAge: settings['catalog.pages.max_age'],
      maxForm: settings['catalog.limits.json_body'],
      keyHeader: settings.apikey_header_name,
      incoming: blobs,
      pages: createPageCache(),
    }),
  );
}
