/** Who asks, and which datasets there are for them. */
import { readerOf } from '../../catalog/document/readable.ts';
import type { Call } from '../../kernel/call.ts';
import { invalidField } from '../../kernel/errors.ts';
import type { Scope, Search } from '../engine.ts';
import type { SearchPlan } from '../query/search.ts';
import { stemsOf } from '../words/stemmers.ts';

/** What the caller wants to see beyond active public datasets. */
export interface ScopeArgs {
  readonly includeDrafts?: boolean | null;
  readonly includePrivate?: boolean | null;
}

/** A plan with what its engine must know of the call. @throws CatalogError VALIDATION */
export async function searchFor(call: Call, plan: SearchPlan, args: ScopeArgs): Promise<Search> {
  return {
    plan,
    scope: scopeOf(call, args),
    stem: await stemsOf(call.settings['catalog.locale_default']),
    siteId: call.settings['catalog.site_id'],
    timeout: { seconds: call.settings['search.timeout'], setting: 'search.timeout' },
  };
}

/** Visitors have no drafts, and may not ask for private datasets. */
function scopeOf({ actor }: Call, { includeDrafts, includePrivate }: ScopeArgs): Scope {
  const isSomebody = actor.sysadmin || actor.userId !== null;
  if (includePrivate && !isSomebody) throw invalidField('includePrivate', 'Requires a signed-in user');
  return { drafts: Boolean(includeDrafts) && isSomebody, private: Boolean(includePrivate), reader: readerOf(actor) };
}
