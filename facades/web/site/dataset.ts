/** Serves `/dataset/<name>` and `/dataset/<name>/resource/<id>` as HTML. Redirects an id to the name. */
import { Router } from 'express';
import { h } from 'preact';
import { PageDatasetDocument, PageResourceDocument } from '../../../src/generated/operations.ts';
import { CatalogError, notFound } from '../../../src/kernel/errors.ts';
import { alternates } from '../../shared/formats.ts';
import { DatasetPage } from './dataset-page.tsx';
import { resourcePath } from './resource-calls.ts';
import { type ResourceData, ResourcePage } from './resource-page.tsx';
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
      const { name, resource: id } = v.req.params;
      const resource = await resourceOf(v, id!);
      const { dataset } = resource;
      if (!dataset) throw notFound('no such resource.');
      if (dataset.name !== name) return v.goTo(resourcePath(dataset.name, resource.databaseId));
      v.page(h(ResourcePage, { frame: v.frame, resource, dataset }));
    }),
  );
  return router;
}

/** A resource, without its table while the DataStore is down. */
async function resourceOf({ run, call }: Visit, id: string): Promise<ResourceData> {
  try {
    return (await run(PageResourceDocument, { id, withTable: true }, call)).resource;
  } catch (thrown) {
    if (!(thrown instanceof CatalogError) || thrown.kind !== 'UNAVAILABLE') throw thrown;
    return (await run(PageResourceDocument, { id, withTable: false }, call)).resource;
  }
}
