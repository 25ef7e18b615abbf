/** Suggests file formats while a user types. */
import type { Call } from '../../kernel/call.ts';
import { position } from '../../kernel/connection.ts';
import { compareText } from '../../kernel/text.ts';
import { postgres } from '../postgres/search.sql.ts';
import { searchPlan } from '../query/search.ts';
import { searchFor } from './scope.service.ts';

/**
 * Public formats that contain the text, in lower case, most frequent first. Uses cached facet counts, so it scans no table.
 * @throws CatalogError LIMIT, VALIDATION (negative limit)
 */
export async function formatSuggestions(
  call: Call,
  { text, limit }: { text: string; limit?: number | null },
): Promise<string[]> {
  const max = position({ limit: limit ?? 5 }, call.settings['catalog.limits.rows']).limit;
  const everything = await searchFor(call, searchPlan({}, call.request.now), {});
  const formats = { field: { kind: 'value', of: 'res_format' }, limit: null, least: 1 } as const;
  const { facets } = await postgres.find(call.sql, everything, { page: null, count: false, facets: [formats] });
  const highlights = text.toLowerCase();
  const counts = new Map<string, number>();
  for (const { value, count } of facets[0]!.values) {
    const format = value.toLowerCase();
    if (format.includes(highlights)) counts.set(format, (counts.get(format) ?? 0) + count);
  }
  return [...counts]
    .sort(([a, one], [b, other]) => other - one || compareText(a, b))
    .slice(0, max)
    .map(([format]) => format);
}
