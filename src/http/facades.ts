/** The facades, mounted on one application. */
import express from 'express';
import type { ActionDeps } from '../../facades/action/mount.ts';
import { mount as mountAction } from '../../facades/action/mount.ts';
import { type FeedDeps, mount as mountFeed } from '../../facades/feed/mount.ts';
import { type FileDeps, mount as mountFiles } from '../../facades/files/mount.ts';
import { type GraphqlDeps, mount as mountGraphql } from '../../facades/graphql/mount.ts';
import { type ImportDeps, mount as mountImport } from '../../facades/import/mount.ts';
import { mount as mountLegacy } from '../../facades/legacy/mount.ts';
import { mount as mountRdf, type RdfDeps } from '../../facades/rdf/mount.ts';
import { languagePrefix } from '../../facades/shared/locale.ts';
import type { Application } from '../../facades/shared/mount.ts';
import { pathOfSite, redirectSlash } from '../../facades/shared/slash.ts';
import { mount as mountWeb, type WebDeps } from '../../facades/web/mount.ts';
import type { Callers } from './authenticate.ts';
import { answerFailure, answerPreflight } from './failures.ts';
import type { Health } from './health.ts';
import { createServices, type FacadeServices } from './services.ts';

type AllDeps = ActionDeps & GraphqlDeps & FeedDeps & ImportDeps & FileDeps & RdfDeps & WebDeps;

/** Parts of a running site, as the composition root builds them. */
export interface FacadeOptions extends Omit<AllDeps, keyof FacadeServices> {
  readonly callers: Callers;
  readonly health: Health;
}

export function mountFacades(options: FacadeOptions): Application {
  const { settings, run, health } = options;
  const deps = { ...options, ...createServices(settings, run) };
  const web = express().disable('x-powered-by').set('etag', false);
  const app: Application = {
    endpoints: [],
    upgrades: [],
    web,
    paths: {},
    graphqlPage: async (_req, res) => void res.end(),
  };
  const root = pathOfSite(settings['catalog.site_url']);
  web.use(answerPreflight(settings.apikey_header_name), redirectSlash(root));
  web.use(languagePrefix(settings['catalog.locales_offered'], root));
  mountAction(app, deps);
  mountGraphql(app, deps);
  mountFeed(app, deps);
  mountLegacy(app, deps);
  mountImport(app, deps);
  mountFiles(app, deps);
  mountRdf(app, deps);
  mountWeb(app, deps);
  app.endpoints.push(health);
  web.use(answerFailure(deps));
  return app;
}
