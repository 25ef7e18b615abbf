/** Serves `/dataset/<name>` as HTML, and the pages of its resources. Redirects an id to the name. */
import { Router } from 'express';
import { h } from 'preact';
import { PageDatasetDocument } from '../../../src/generated/operations.ts';
import { alternates } from '../../shared/formats.ts';
import { reportUse } from '../../shared/usage.ts';
import { DatasetPage, UsageFacts } from './dataset-page.tsx';
import { resourceRouter } from './resource.ts';
import { pageNumber } from './search-query.ts';
import { type SiteOptions, type Visit, visitingOrLogin } from './visit.ts';

export function datasetRouter(options: SiteOptions): Router {
  const router = Router({ caseSensitive: true });
  const visit = (work: (visit: Visit) => Promise<void>) => visitingOrLogin(options, work);
  const pathOf = (name: string) => `/dataset/${encodeURIComponent(name)}`;
  router.get(
    '/dataset/:name',
    visit(async (v) => {
      const { name } = v.req.params;
      const variables = { id: name!, isSignedIn: v.frame.viewer !== null, language: v.frame.texts.translation };
      const { usageSummary, ...dataset } = (await v.run(PageDatasetDocument, variables, v.call)).dataset;
      if (dataset.name !== name) return v.goTo(pathOf(dataset.name));
      const address = options.siteUrl + pathOf(name);
      const page = pageNumber(v.req.query.page);
      v.page(h(DatasetPage, { frame: v.frame, dataset, address, page }), 200, {
        ...{ cachedAs: 'dataset', madeOf: [dataset], fragment: h(UsageFacts, usageSummary) },
        vary: ['Accept'],
        headers: { link: alternates(address) },
      });
      reportUse(v.call, v.req, v.res, { kind: 'view', of: 'dataset', id: dataset.databaseId });
    }),
  );
  router.use(resourceRouter(visit, options));
  return router;
}
