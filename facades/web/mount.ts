/** Mounts the pages: GraphiQL, the API page, and those of the site. The last facade: it answers 404 for the rest. */
import type { Application, CommonDeps } from '../shared/mount.ts';
import type { Incoming } from '../shared/multipart.ts';
import type { Sessions } from '../shared/session.ts';
import { createDocs } from './docs.ts';
import { createGraphiql } from './graphiql.ts';
import { siteRouter } from './site/router.ts';
import type { Locale } from './site/texts.ts';
import { themeOf } from './site/theme.ts';

export interface WebDeps extends CommonDeps {
  readonly sessions: Sessions;
  readonly blobs: Incoming;
}

export function mount(app: Application, { settings, log, run, callers, sessions, blobs }: WebDeps): void {
  const siteTitle = () => settings['catalog.site_title']; // it can change while the site runs
  const graphiql = createGraphiql({ title: siteTitle, run, callFor: callers.callFor, sessions });
  app.graphqlPage = graphiql.page;
  app.endpoints.push(graphiql, createDocs(siteTitle));
  app.web.use(
    siteRouter({
      run,
      callFor: callers.callFor,
      sessions,
      siteUrl: settings['catalog.site_url'],
      siteTitle,
      customCss: () => settings['catalog.site_custom_css'],
      theme: themeOf(settings, log),
      themeFolder: settings['catalog.theme'],
      imageHosts: settings['catalog.pages.image_hosts'],
      facets: settings['search.facets.default'],
      maps: { tiles: settings['catalog.maps.tiles'], attribution: settings['catalog.maps.attribution'] },
      embedding: settings['catalog.views.embedding'],
      locales: settings['catalog.locales_offered'] as readonly Locale[],
      defaultLocale: settings['catalog.locale_default'],
      registration: settings['catalog.auth.create_user_via_web'],
      confirmsEmail: settings['catalog.auth.confirm_email'],
      rows: settings['catalog.limits.rows'],
      maxAge: settings['catalog.pages.max_age'],
      maxForm: settings['catalog.limits.json_body'],
      keyHeader: settings.apikey_header_name,
      incoming: blobs,
    }),
  );
}
