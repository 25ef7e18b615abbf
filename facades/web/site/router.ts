/** Routes of all site pages, and their style sheet. */
import { Router } from 'express';
import { h } from 'preact';
import { PageHomeDocument } from '../../../src/generated/operations.ts';
import { CORS } from '../../shared/http.ts';
import { pack, sendPacked } from '../../shared/packed.ts';
import { isSafe } from '../../shared/session.ts';
import { pathOfSite } from '../../shared/slash.ts';
import { accountRouter } from './account.ts';
import { sendPage } from './answer.ts';
import { datasetRouter } from './dataset.ts';
import { groupRouter } from './group.ts';
import { HomePage } from './home.tsx';
import type { Frame } from './layout.tsx';
import { messagePage } from './message.tsx';
import { profileRouter } from './profile.ts';
import { STYLE, STYLE_ADDRESS } from './style.ts';
import { type SiteOptions, visiting } from './visit.ts';

export function siteRouter(options: SiteOptions): Router {
  const router = Router({ caseSensitive: true });
  const style = pack('text/css;charset=utf-8', STYLE);
  router.get(STYLE_ADDRESS, (req, res, next) => {
    style.then((packed) => sendPacked(req, res, packed, 'public, max-age=31536000, immutable')).catch(next);
  });
  router.get(
    '/',
    visiting(options, async ({ page, run, call, frame }) => {
      const { site, datasets } = await run(PageHomeDocument, {}, call);
      page(h(HomePage, { frame, description: site.description, datasetCount: datasets.totalCount }));
    }),
  );
  router.use(accountRouter(options), profileRouter(options), datasetRouter(options), groupRouter(options));
  const nothing = (frame: Frame) => messagePage(frame, 'Not found', 'This page does not exist.');
  const notFound = visiting(options, async ({ page, frame }) => page(nothing(frame), 404, CORS));
  router.use((req, res, next) => {
    if (isSafe(req)) return notFound(req, res, next);
    const { siteTitle, registration } = options; // not our form, so CSRF protection does not apply
    sendPage(
      res,
      404,
      nothing({ siteTitle: siteTitle(), registration, viewer: null, token: '' }),
      CORS,
      pathOfSite(options.siteUrl),
    );
  });
  return router;
}
