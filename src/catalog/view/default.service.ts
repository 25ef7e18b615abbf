/** Default views of resources. */
import type { Call } from '../../kernel/call.ts';
import { newId } from '../../kernel/ids.ts';
import type { ResourceRow } from '../document/project.ts';
import { defaultTypes, shows, type Viewable } from './view.rules.ts';
import { insertMissingViews } from './view.sql.ts';
import { type NewView, viewable } from './view.store.ts';
import type { ViewType } from './view-types.ts';

/** Creates missing default views for which the resources qualify. Returns the ids of the new views, unordered. */
export async function makeDefaultViews(
  call: Call,
  resources: readonly Viewable[],
  forDatastore: boolean,
): Promise<string[]> {
  const types = typesOf(call, forDatastore);
  const requested = resources.flatMap((resource) =>
    types.filter((type) => shows(type, resource)).map((type) => newView(resource, type)),
  );
  return requested.length === 0 ? [] : insertMissingViews(call.sql, requested, () => false);
}

/**
 * Creates default views after resources were written: for new resources, and for those that a view can show only since
 * this write. A deleted view is not created again. Call it inside the transaction, after the rows.
 */
export async function followResources(
  call: Call,
  before: readonly ResourceRow[],
  after: readonly ResourceRow[],
): Promise<void> {
  const types = typesOf(call, false);
  const stored = new Map(before.map((row) => [row.id, row]));
  const requested = after.flatMap((row) => {
    const old = stored.get(row.id);
    if (old === row) return [];
    const fits = types.filter((type) => shows(type, viewable(row)) && !(old && shows(type, viewable(old))));
    return fits.map((type) => newView(row, type));
  });
  if (requested.length > 0) await insertMissingViews(call.sql, requested, (id) => !stored.has(id));
}

const typesOf = ({ settings }: Call, forDatastore: boolean): ViewType[] =>
  defaultTypes(settings['catalog.plugins'], settings['catalog.views.default_views'], forDatastore);

const newView = ({ id }: { id: string }, { name, defaultTitle }: ViewType): NewView => ({
  id: newId(),
  resourceId: id,
  type: name,
  title: defaultTitle,
  description: '',
  config: null,
  fields: {},
});
