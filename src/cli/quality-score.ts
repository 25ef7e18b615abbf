import { describing } from '../../facades/rdf/describe.ts';
import { loadTables } from '../../facades/rdf/templates.ts';
import { qualityScore } from '../quality/score.service.ts';
import { operator, withCatalog } from './catalog.ts';
import type { Command } from './command.ts';

/** `catalog quality score`: scores the metadata of all datasets again, and prints their number. */
export const command: Command = async (_args, context) => {
  const scored = await withCatalog(context, async ({ app }) => {
    const call = app.callAs(operator);
    const { 'catalog.site_url': siteUrl, 'catalog.extra_template_paths': paths } = call.settings;
    return qualityScore(call, describing({ siteUrl, tables: await loadTables(paths) }));
  });
  console.log(`${scored} datasets scored.`);
};
