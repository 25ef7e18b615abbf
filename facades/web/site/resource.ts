/** Serves the pages of resources, of their views, and of records. Pages for frames of other sites show the preview alone. */
import { parse } from 'node:querystring';
import { type RequestHandler, Router } from 'express';
import { h } from 'preact';
import { PageResourceDocument, PageSaveViewDocument } from '../../../src/generated/operations.ts';
import { CatalogError, invalidField, notFound } from '../../../src/kernel/errors.ts';
import { sendText } from '../../shared/http.ts';
import { pathOfSite } from '../../shared/slash.ts';
import { reportUse } from '../../shared/usage.ts';
import { refusing } from './account.ts';
import { policyOf } from './answer.ts';
import { type At, dataFields, type View } from './preview/at.ts';
import { EmbedPage, PreviewSection, viewPath } from './preview/frame.tsx';
import { readFeatures, toGeoJson } from './preview/map.ts';
import { previewOf } from './preview/previews.ts';
import { findRecord } from './preview/record.ts';
import { RecordPage } from './preview/record-page.tsx';
import { MAX_QUERY, savedQuery } from './preview/saved.ts';
import { resourcePath } from './resource-calls.ts';
import { type ResourceData, ResourcePage, titleOf } from './resource-page.tsx';
import type { SiteOptions, Visit } from './visit.ts';

type Visiting = (work: (visit: Visit) => Promise<void>) => RequestHandler;
type Dataset = NonNullable<ResourceData['dataset']>;

const AT = '/dataset/:name/resource/:resource';

export function resourceRouter(visit: Visiting, options: SiteOptions): Router {
  const router = Router({ caseSensitive: true });
  router.get(
    [AT, `${AT}/view/:view`],
    visit((v) =>
      show(v, '', options, (it) => viewed(it, () => (isFramed(v) ? embedPage(it, options.embedding) : wholePage(it)))),
    ),
  );
  router.get(
    [`${AT}/embed`, `${AT}/view/:view/embed`],
    visit((v) => show(v, '/embed', options, (it) => viewed(it, () => embedPage(it, options.embedding)))),
  );
  router.get(
    [`${AT}/places`, `${AT}/view/:view/places`],
    visit((v) => show(v, '/places', options, sendPlaces)),
  );
  router.post(
    `${AT}/view`,
    visit((v) => show(v, '', options, saveView)),
  );
  router.get(
    `${AT}/record/:record`,
    visit(async (v) => {
      const found = await resourceAt(v, `/record/${encodeURIComponent(v.req.params.record!)}`);
      if (!found) return;
      const { resource, dataset, refusal } = found;
      const { table } = resource;
      if (refusal) throw refusal;
      if (!table) throw notFound('no such record.');
      const record = await findRecord(v, resource.databaseId, v.req.params.record!, dataFields(table).length);
      const resourceTitle = titleOf(resource, v.frame.texts);
      const path = resourcePath(dataset.name, resource.databaseId);
      v.page(h(RecordPage, { frame: v.frame, table, record, resourceTitle, resourcePath: path, dataset }));
    }),
  );
  return router;
}

interface Located {
  readonly resource: ResourceData;
  /** Why the resource has no table here, while the DataStore is down. */
  readonly refusal: CatalogError | null;
}

async function findResource({ run, call, frame }: Visit, id: string): Promise<Located> {
  const language = frame.texts.translation;
  try {
    const { resource } = await run(PageResourceDocument, { id, language, withTable: true }, call);
    return { resource, refusal: null };
  } catch (thrown) {
    if (!(thrown instanceof CatalogError) || thrown.kind !== 'UNAVAILABLE') throw thrown;
    const { resource } = await run(PageResourceDocument, { id, language, withTable: false }, call);
    return { resource, refusal: thrown };
  }
}

/** The resource of the URL. Null after a redirect to the URL with the name of its dataset. */
async function resourceAt(v: Visit, rest: string): Promise<(Located & { dataset: Dataset }) | null> {
  const { resource, refusal } = await findResource(v, v.req.params.resource!);
  const { dataset } = resource;
  if (!dataset) throw notFound('no such resource.');
  if (dataset.name === v.req.params.name) return { resource, dataset, refusal };
  const query = /\?.*/.exec(v.req.url ?? '')?.[0] ?? '';
  v.goTo(resourcePath(dataset.name, resource.databaseId) + rest + query);
  return null;
}

/** Whether a frame of a page requests this. CKAN's pages of views are embedded under their own URL. */
const isFramed = ({ req }: Visit): boolean =>
  req.params.view !== undefined && /^i?frame$/.test(String(req.headers['sec-fetch-dest']));
/** Parameters of previews. Others, such as those of advertisers, leave a saved view as it is. */
const PARAMETERS = new Set(
  'as q column is value filters sort show after before kind x y figure interval sql load'.split(' '),
);
const VARY = ['Sec-Fetch-Dest'];

interface Found {
  readonly at: At;
  readonly dataset: Dataset;
}

/** A page of a view, or of the first one. Unknown views, which are in old bookmarks, lead to the resource. */
async function show(
  v: Visit,
  end: string,
  { rows, maps }: SiteOptions,
  page: (found: Found) => Promise<void>,
): Promise<void> {
  const { view: id } = v.req.params;
  const found = await resourceAt(v, (id === undefined ? '' : `/view/${encodeURIComponent(id)}`) + end);
  if (!found) return;
  const { resource, dataset, refusal } = found;
  const path = resourcePath(dataset.name, resource.databaseId);
  const view: View | null = resource.views.find(({ databaseId }) => id === undefined || databaseId === id) ?? null;
  if (id !== undefined && view === null) return v.goTo(path + end);
  const own = (id === undefined ? path : viewPath(path, view)) + end;
  const hasQuery = Object.keys(v.req.query).some((name) => PARAMETERS.has(name));
  const query = hasQuery ? v.req.query : savedQuery(view);
  const at = {
    visit: v,
    resource,
    refusal,
    view,
    path: own,
    base: [],
    query,
    hasQuery,
    isChosen: id !== undefined,
    saving: null,
    rows,
    maps,
    resourcePath: path,
    isEmbedded: end !== '' || isFramed(v),
  };
  await page({ at, dataset });
}

/** Counts the page as a view. */
async function viewed({ at: { visit: v, resource } }: Found, page: () => Promise<void>): Promise<void> {
  await page();
  reportUse(v.call, v.req, v.res, { kind: 'view', of: 'resource', id: resource.databaseId });
}

async function wholePage({ at, dataset }: Found, refused?: number): Promise<void> {
  const { visit: v, resource, view, resourcePath: path } = at;
  const { content, status, sources, isPart } = await previewOf(at);
  const section = h(PreviewSection, { frame: v.frame, resource, resourcePath: path, view, children: content });
  const props = { frame: v.frame, resource, dataset, isPart: isPart ?? false, children: section };
  v.page(h(ResourcePage, props), refused ?? status, {
    cachedAs: 'resource',
    vary: VARY,
    headers: { 'content-security-policy': policyOf(sources, v.frame.images) },
  });
}

/** Only public data is shown in frames of other sites. */
async function embedPage({ at, dataset }: Found, embedding: readonly string[]): Promise<void> {
  const { visit: v, resource, view, resourcePath: path } = at;
  const { content, status, sources } = await previewOf(at);
  const title = view?.title || titleOf(resource, v.frame.texts);
  const isPublic = !dataset.private && dataset.state === 'active';
  const ancestors = { 'frame-ancestors': isPublic && embedding.length > 0 ? embedding.join(' ') : "'none'" };
  const props = { frame: v.frame, title, path: viewPath(path, view), children: content };
  v.page(h(EmbedPage, props), status, {
    cachedAs: 'embed',
    vary: VARY,
    headers: { 'content-security-policy': policyOf({ ...sources, ...ancestors }, v.frame.images) },
  });
}

/** Places of a map as GeoJSON, for its script. */
async function sendPlaces({ at }: Found): Promise<void> {
  const { visit: v, resourcePath: path } = at;
  if (at.refusal) throw at.refusal;
  const places = await readFeatures(at);
  if (!places) throw notFound('no places.');
  const root = pathOfSite(v.frame.siteUrl);
  sendText(v.res, 200, 'application/geo+json', toGeoJson(places, `${root}${path}/record/`), {
    'cache-control': 'private, no-cache',
  });
}

/** Saves what the form's page shows as a view. After a refusal, the same page says why. */
async function saveView(found: Found): Promise<void> {
  const { visit: v, resource, resourcePath: path } = found.at;
  const { title = '', query = '', idempotencyKey = '' } = v.form;
  await refusing(
    ['title', 'idempotencyKey'],
    ({ idempotencyKey: used, ...rest }, status) => {
      const faults = used ? { ...rest, form: v.frame.texts.t('edit.sentBefore') } : rest;
      const saving = { title, faults, idempotencyKey: used ? '' : idempotencyKey };
      const at = { ...found.at, query: { ...parse(query.slice(0, MAX_QUERY)) }, hasQuery: true, saving };
      return wholePage({ ...found, at }, status);
    },
    async () => {
      if (query.length > MAX_QUERY) throw invalidField('form', `The query has more than ${MAX_QUERY} characters.`);
      const input = {
        resourceId: resource.databaseId,
        viewType: 'recline_view',
        title,
        config: { query },
        idempotencyKey: idempotencyKey || null,
      };
      const { view } = (await v.run(PageSaveViewDocument, { input }, v.call)).createResourceView;
      v.goTo(`${path}/view/${encodeURIComponent(view!.databaseId)}`);
    },
  );
}
