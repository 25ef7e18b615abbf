/** Routes of all site pages, and their style sheets. */
import { Router } from 'express';
import { h } from 'preact';
import { PageHomeDocument } from '../../../src/generated/operations.ts';
import { CORS } from '../../shared/http.ts';
import { type Packed, pack, sendPacked } from '../../shared/packed.ts';
import { isSafe } from '../../shared/session.ts';
import { pathOfSite } from '../../shared/slash.ts';
import { accountRouter } from './account.ts';
import { activitiesRouter } from './activities.ts';
import { adminRouter } from './admin.tsx';
import { sendPage } from './answer.ts';
import { bulkRouter } from './bulk.tsx';
import { dashboardRouter } from './dashboard.tsx';
import { dashboardsRouter } from './dashboards/router.ts';
import { datasetRouter } from './dataset.ts';
import { datasetGroupsRouter } from './dataset-groups.tsx';
import { editRouter } from './edit.ts';
import { dictionaryRouter } from './edit-dictionary.tsx';
import { editGroupsRouter } from './edit-groups.ts';
import { editResourcesRouter } from './edit-resources.ts';
import { editUserRouter } from './edit-user.ts';
import { editViewsRouter } from './edit-views.ts';
import { feedsRouter } from './feeds.ts';
import { findRouter } from './find.tsx';
import { followRouter } from './follow.tsx';
import { groupsRouter } from './groups.ts';
import { HOME_FACETS, HomePage } from './home.tsx';
import { ICONS, ico, png, SVG } from './icon-files.ts';
import { islandsRouter } from './islands.ts';
import { languageOf } from './language.ts';
import type { Frame } from './layout.tsx';
import { listsRouter } from './lists.ts';
import { messagePage } from './message.tsx';
import { onOwnPaths } from './own-paths.ts';
import { mapFilesRouter } from './preview/map-files.ts';
import { profileRouter } from './profile.ts';
import { redirectsRouter } from './redirects.ts';
import { relatedRouter } from './related.ts';
import { sitemapRouter } from './sitemap.ts';
import { CSS, packedCss, STYLE, STYLE_ADDRESS } from './style.ts';
import { themeRouter } from './theme-router.ts';
import { anonymousFrame, type SiteOptions, visiting } from './visit.ts';

/** Datasets of the home page: changed last, and added last. */
const RECENT = 6;
const NEWEST = 5;

/** Routers of pages, in the order in which they are asked. */
const PAGES: readonly ((options: SiteOptions) => Router)[] = [
  editGroupsRouter,
  bulkRouter,
  datasetGroupsRouter,
  followRouter,
  editUserRouter,
  dashboardRouter,
  dashboardsRouter,
  adminRouter,
  listsRouter,
  findRouter,
  activitiesRouter,
  groupsRouter,
  accountRouter,
  profileRouter,
  editRouter,
  editResourcesRouter,
  dictionaryRouter,
  editViewsRouter,
  relatedRouter,
  datasetRouter,
];

const FOREVER = 'public, max-age=31536000, immutable';

/** Icons of the site. Browsers request `/favicon.ico` even of pages that link no icon. */
function iconsRouter(): Router {
  const router = Router({ caseSensitive: true });
  const day = 'public, max-age=86400';
  for (const [path, type, cacheControl, read] of [
    [ICONS.svg, 'image/svg+xml', FOREVER, () => SVG],
    [ICONS.touch, 'image/png', FOREVER, () => png(180)],
    ['/favicon.ico', 'image/x-icon', day, ico],
  ] as const) {
    let packed: Promise<Packed> | undefined;
    router.get(path, (req, res, next) => {
      packed ??= pack(type, read());
      packed.then((it) => sendPacked(req, res, it, cacheControl)).catch(next);
    });
  }
  return router;
}

export function siteRouter(options: SiteOptions): Router {
  const router = Router({ caseSensitive: true });
  const root = pathOfSite(options.siteUrl);
  const use = (...routers: readonly Router[]) => router.use(onOwnPaths(routers));
  const style = pack(CSS, STYLE);
  router.get(STYLE_ADDRESS, (req, res, next) => {
    style.then((packed) => sendPacked(req, res, packed, FOREVER)).catch(next);
  });
  router.get('/static/site/custom/:file', (req, res, next) => {
    packedCss(options.customCss())
      .then((packed) => sendPacked(req, res, packed, 'public, max-age=60'))
      .catch(next);
  });
  use(islandsRouter(), themeRouter(options.themeFolder, options.theme));
  router.get(
    '/',
    visiting(options, async ({ page, run, call, frame, rows }) => {
      const lists = { recent: Math.min(RECENT, rows), newest: Math.min(NEWEST, rows) };
      const variables = { facets: [...HOME_FACETS], language: frame.texts.translation, ...lists };
      page(h(HomePage, { frame, data: await run(PageHomeDocument, variables, call) }), 200, { cachedAs: 'home' });
    }),
  );
  const files = [iconsRouter(), mapFilesRouter(), sitemapRouter(options), feedsRouter(options), redirectsRouter(root)];
  use(...files, ...PAGES.map((routerOf) => routerOf(options)));
  const nothing = (frame: Frame) => messagePage(frame, frame.texts.t('error.NOT_FOUND'), frame.texts.t('error.noPage'));
  const notFound = visiting(options, async ({ page, frame }) => page(nothing(frame), 404, { headers: CORS }));
  router.use((req, res, next) => {
    if (isSafe(req)) return notFound(req, res, next);
    const { texts, languages, vary } = languageOf(req, options);
    const frame = anonymousFrame(options, { texts, languages });
    sendPage(res, 404, nothing(frame), { headers: CORS, ...{ root, texts, vary }, prefix: languages.prefix }); // not our form, so CSRF protection does not apply
  });
  return router;
}
