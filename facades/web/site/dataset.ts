/** Serves `/dataset/<name>` as HTML. Redirects an id to the name, and a resource's URL to its section of the page. */
import { Router } from 'express';
import { h } from 'preact';
import { PageDatasetDocument, PageDatasetNameDocument } from '../../../src/generated/operations.ts';
import { alternates } from '../../shared/formats.ts';
import { DatasetPage } from './dataset-page.tsx';
import { orLogin, type SiteOptions, type Visit, visiting } from './visit.ts';

export function datasetRouter(options: SiteOptions): Router {
  const router = Router({ caseSensitive: true });
  const visit = (work: (visit: Visit) => Promise<void>) => visiting(options, (v) => orLogin(v, () => work(v)));
  const pathOf = (name: string) => `/dataset/${encodeURIComponent(name)}`;
  router.get(
    '/dataset/:name',
    visit(async (v) => {
      const { name } = v.req.params;
      const dataset = (await v.run(PageDatasetDocument, { id: name! }, v.call)).dataset;
      if (dataset.name !== name) return v.goTo(pathOf(dataset.name));
      const address = options.siteUrl + pathOf(name);
      v.page(h(DatasetPage, { frame: v.frame, dataset, address }), 200, {
        vary: ['Accept'],
        headers: { link: alternates(address) },
      });
    }),
  );
  router.get(
    '/dataset/:name/resource/:resource',
    visit(async (v) => {
      const { name, resource } = v.req.params;
      const { dataset } = await v.run(PageDatasetNameDocument, { id: name! }, v.call);
      v.goTo(`${pathOf(dataset.name)}#resource-${encodeURIComponent(resource!)}`);
    }),
  );
  return router;
}
