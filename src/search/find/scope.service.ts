/** Determines the datasets a search may return to the caller. */
import { readerOf } from '../../catalog/document/readable.ts';
import type { Call } from '../../kernel/call.ts';
import { invalidField } from '../../kernel/errors.ts';
import type { Scope, Search } from '../engine.ts';
import type { SearchPlan } from '../query/search.ts';
import { stemsOf } from '../words/stemmers.ts';

/** Requested datasets beyond active public ones. */
export interface ScopeArgs {
  readonly includeDrafts?: boolean | null;
  readonly includePrivate?: boolean | null;
}

/** A plan plus the parts of the call that an engine needs. @throws CatalogError VALIDATION */
export async function searchFor(call: Call, plan: SearchPlan, args: ScopeArgs): Promise<Search> {
  return {
    plan,
    scope: scopeOf(call, args),
    stem: await stemsOf(call.settings['catalog.locale_default']),
    siteId: call.settings['catalog.site_id'],
    timeout: { seconds: call.settings['search.timeout'], setting: 'search.timeout' },
  };
}

/** Anonymous callers have no drafts, and may not request private datasets. */
function scopeOf({ actor }: Call, { includeDrafts, includePrivate }: ScopeArgs): Scope {
  const isUser = actor.sysadmin || actor.userId !== null;
  if (includePrivate && !isUser) throw invalidField('includePrivate', 'Requires a signed-in user');
  return { drafts: Boolean(includeDrafts) && isUser, private: Boolean(includePrivate), reader: readerOf(actor) };
}
