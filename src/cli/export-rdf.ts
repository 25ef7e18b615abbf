/** `catalog export --format ttl`: streams all datasets as one linked-data document. */
import { catalogGraph, catalogText } from '../../facades/rdf/catalog.ts';
import { WRITERS } from '../../facades/rdf/formats.ts';
import { loadTables } from '../../facades/rdf/templates.ts';
import { LINKED_FORMATS, type LinkedSuffix } from '../../facades/shared/formats.ts';
import type { App } from '../app.ts';
import { eachDataset } from '../catalog/dataset/read/documents.service.ts';
import { RdfSiteDocument } from '../generated/operations.ts';
import { operator } from './catalog.ts';
import { UsageError } from './command.ts';

/** @throws UsageError for an unknown format */
export function formatNamed(text: string): LinkedSuffix {
  const format = LINKED_FORMATS.find(({ suffix }) => suffix === text);
  if (!format) throw new UsageError(`--format must be one of ${LINKED_FORMATS.map(({ suffix }) => suffix).join(', ')}`);
  return format.suffix;
}

/** Pieces of the document, dataset by dataset. */
export async function* exportRdf(app: App, format: LinkedSuffix, everything: boolean): AsyncGenerator<string> {
  const call = app.callAs(operator);
  const { 'catalog.site_url': siteUrl, 'catalog.extra_template_paths': paths } = call.settings;
  const site = { siteUrl, tables: await loadTables(paths) };
  const head = catalogGraph((await app.run(RdfSiteDocument, {}, call)).site, site, null);
  async function* documents() {
    for await (const { body } of eachDataset(call, { everything })) yield body;
  }
  yield* catalogText(WRITERS[format](), head, documents(), site);
}
