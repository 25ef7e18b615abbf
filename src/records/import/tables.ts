/** Tracks resources whose data is a table in their original catalog. Records contain the resource without the table. */
import { addClaim } from '../../datastore/tables/claim.sql.ts';
import { dropImportedClaims } from '../../datastore/tables/claim.store.ts';
import type { Call } from '../../kernel/call.ts';
import { isObject } from '../../kernel/json.ts';
import type { Settings } from '../../kernel/settings.ts';
import { whyNot } from '../../loading/ask/ask.rules.ts';
import type { Dictionary } from '../gateway.ts';
import { hasTable } from '../record.ts';

/** Whether a resource has a table at its origin that is not created here automatically from a file or link. */
export function isTableElsewhere(resource: Dictionary, settings: Settings): boolean {
  if (!hasTable(resource)) return false;
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  const { id, url, format, url_type } = resource;
  const loadable = { id: text(id), url: text(url), urlType: text(url_type) || null, format: text(format) };
  return whyNot({ ...loadable, lastModified: null, hash: '' }, settings) !== null;
}

/** Records the missing tables of an imported dataset, for `datastore check`. Returns a line for each. */
export async function noteTables(call: Call, record: Dictionary, stored: Dictionary | null): Promise<string[]> {
  const resources = Array.isArray(record.resources) ? record.resources.filter(isObject) : [];
  const before = Array.isArray(stored?.resources) ? stored.resources.filter(isObject) : [];
  const remarks: string[] = [];
  const without = resources.flatMap((one) => (typeof one.id === 'string' && !hasTable(one) ? [one.id] : []));
  if (stored && without.length > 0) await dropImportedClaims(call.db, without);
  for (const resource of resources) {
    const { id, name } = resource;
    if (typeof id !== 'string' || !isTableElsewhere(resource, call.settings)) continue;
    if (before.some((one) => one.id === id && one.datastore_active === true)) continue;
    const message = 'imports do not include tables; `catalog harvest --adopt` copies them from the source';
    await addClaim(
      call.sql,
      { resourceId: id, sourceId: null, recordId: id, version: null, message },
      call.request.now,
    );
    remarks.push(`resource ${name ? `${name} (${id})` : id}: its table was not copied: ${message}`);
  }
  return remarks;
}
