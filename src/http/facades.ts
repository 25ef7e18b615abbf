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
import type { Endpoint } from '../../facades/shared/endpoint.ts';
import { languagePrefix } from '../../facades/shared/locale.ts';
import type { Application } from '../../facades/shared/mount.ts';
import { noteFacade } from '../../facades/shared/operation.ts';
import { pathOfSite, redirectSlash } from '../../facades/shared/slash.ts';
import { mount as mountWeb, type WebDeps } from '../../facades/web/mount.ts';
import type { Callers } from './authenticate.ts';
import { answerFailure, answerPreflight } from './failures.ts';
import { createServices, type FacadeServices } from './services.ts';

type AllDeps = ActionDeps & GraphqlDeps & FeedDeps & ImportDeps & FileDeps & RdfDeps & WebDeps;

/** Parts of a running site, as the composition root builds them. */
export interface FacadeOptions extends Omit<AllDeps, keyof FacadeServices> {
  readonly callers: Callers;
  /** Endpoints of monitoring on the port of the site. */
  readonly monitoring: readonly Endpoint[];
}

export interface Mounted extends Application {
  /** The facade of each endpoint. */
  readonly facadeOf: ReadonlyMap<Endpoint, string>;
}

export function mountFacades(options: FacadeOptions): Mounted {
  const { settings, run, monitoring } = options;
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
  const facadeOf = new Map<Endpoint, string>();
  /** A request of Express has the name of the last facade that it reached, which answers it. */
  const mountAs = (facade: string, mount: (app: Application, deps: AllDeps) => void) => {
    web.use((req, _res, next) => {
      noteFacade(req, facade);
      next();
    });
    mount(app, deps);
    for (const endpoint of app.endpoints) if (!facadeOf.has(endpoint)) facadeOf.set(endpoint, facade);
  };
  mountAs('action', mountAction);
  mountAs('graphql', mountGraphql);
  mountAs('feed', mountFeed);
  mountAs('legacy', mountLegacy);
  mountAs('import', mountImport);
  mountAs('files', mountFiles);
  mountAs('rdf', mountRdf);
  mountAs('web', mountWeb);
  for (const endpoint of monitoring) facadeOf.set(endpoint, 'monitoring');
  app.endpoints.push(...monitoring);
  web.use(answerFailure(deps));
  return { ...app, facadeOf };
}
