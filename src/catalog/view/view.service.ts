/** Views: each belongs to one resource. Readers of its dataset may read it; editors of its dataset may change it. */
import { recordRevision } from '../../changes/changes.service.ts';
import { type Call, inTransaction } from '../../kernel/call.ts';
import {
  allow,
  checkVersion,
  invalid,
  invalidField,
  limitAt,
  notAllowedTo,
  notAuthorized,
  notFound,
  refuse,
} from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { inOrder } from '../../kernel/node.ts';
import { mayReadDataset } from '../dataset/dataset.policy.ts';
import type { DatasetFacts } from '../document/record.ts';
import { makeDefaultViews } from './default.service.ts';
import { mayChangeViews, mayClearViews } from './view.policy.ts';
import { checkFields, checkTitle, checkType, enabledTypes, newOrder, shows, type Viewable } from './view.rules.ts';
import { orderViews } from './view.sql.ts';
import {
  clearViews,
  deleteView,
  endOfViews,
  findDatasetResources,
  insertView,
  listOwnedViews,
  listViews,
  lockResources,
  lockView,
  type NewView,
  type OwnedResource,
  type OwnedView,
  updateView,
  type ViewRecord,
} from './view.store.ts';
import { VIEW_TYPES, type ViewType } from './view-types.ts';

/** A view type with the site's settings for it. */
export interface ViewTypeRecord extends ViewType {
  readonly isDefault: boolean;
}

/** The enabled types, in the order of the list. */
export function viewTypeList({ settings }: Call): ViewTypeRecord[] {
  const defaults = settings['catalog.views.default_views'];
  return enabledTypes(settings['catalog.plugins']).map((type) => ({
    ...type,
    isDefault: defaults.includes(type.name),
  }));
}

/** The enabled types that can show a resource, in the same order. */
export const viewTypesOf = (call: Call, resource: Viewable): ViewTypeRecord[] =>
  viewTypeList(call).filter((type) => shows(type, resource));

/** One view. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED */
export async function viewShow(call: Call, id: string): Promise<ViewRecord> {
  const [found] = await listOwnedViews(call.db, [id]);
  if (!found) throw notFound();
  if (mayReadDataset(call.actor, found.dataset, call.settings) !== null)
    throw notAuthorized(notAllowedTo(call.actor, `read view ${id}`));
  return found.view;
}

/** Views in the order of the ids; null for a missing view or one whose dataset the caller may not read. */
export async function viewNodes(call: Call, ids: readonly string[]): Promise<(ViewRecord | null)[]> {
  const readable = (await listOwnedViews(call.db, ids)).filter(
    ({ dataset }) => mayReadDataset(call.actor, dataset, call.settings) === null,
  );
  return inOrder(
    ids,
    readable.map(({ view }) => view),
    (view) => view.id,
  );
}

interface ViewInput {
  readonly title: string;
  readonly description?: string | null;
  readonly config?: unknown;
  readonly fields?: unknown;
}

/** Adds a view after the resource's last one. @throws CatalogError NOT_AUTHORIZED, VALIDATION (unknown resource too), LIMIT */
export function viewCreate(
  call: Call,
  input: ViewInput & { resourceId: string; viewType: string },
): Promise<ViewRecord> {
  return inTransaction(call, async (call) => {
    const { resourceId, viewType: type, title, description = null, config = null } = input;
    const position = await endToFill(call, resourceId, 'create views of');
    refuse(checkType(type, call.settings['catalog.plugins']));
    const { fields, problems } = checkFields(VIEW_TYPES.get(type)!, input.fields ?? {});
    refuse([...checkTitle(title), ...problems]);
    const view: NewView = { id: newId(), resourceId, type, title, description, config, fields };
    await insertView(call.db, { ...view, position });
    return written(call, view.id, 'created');
  });
}

type Change = Partial<Omit<ViewInput, 'title'>> & {
  readonly title?: string | null;
  readonly viewId: string;
  readonly resourceId?: string | null;
  readonly expectedVersion?: number | null;
};

/**
 * Changes the fields of a view in the input; another resource moves it there. @throws CatalogError NOT_FOUND,
 * NOT_AUTHORIZED, VALIDATION, CONFLICT, LIMIT
 */
export function viewUpdate(call: Call, input: Change): Promise<ViewRecord> {
  return inTransaction(call, async (call) => {
    const { view, dataset } = await viewToChange(call, input);
    allowChange(call, dataset, `edit view ${view.id}`);
    const resourceId = input.resourceId ?? view.resourceId;
    const position = resourceId === view.resourceId ? view.position : await endToFill(call, resourceId, 'edit');
    const type = VIEW_TYPES.get(view.type);
    if (!type)
      throw invalid([
        { path: [], message: `The view type ${view.type} no longer exists. The view can only be deleted` },
      ]);
    const { fields, problems } =
      input.fields == null ? { fields: view.fields, problems: [] } : checkFields(type, input.fields);
    refuse(problems);
    await updateView(call.db, {
      ...view,
      resourceId,
      position,
      title: input.title ?? view.title,
      description: input.description === undefined ? view.description : input.description,
      config: input.config === undefined ? view.config : input.config,
      fields,
    });
    return written(call, view.id, 'updated');
  });
}

/** Deletes a view and returns its id. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, CONFLICT */
export function viewDelete(call: Call, input: { viewId: string; expectedVersion?: number | null }): Promise<string> {
  return inTransaction(call, async (call) => {
    const { view, dataset } = await viewToChange(call, input);
    allowChange(call, dataset, `delete view ${view.id}`);
    await deleteView(call.db, view.id);
    await record(call, 'Delete view', view, 'deleted');
    return view.id;
  });
}

/**
 * Moves the listed views to the front and returns all views of the resource in the new order. @throws CatalogError
 * NOT_FOUND, NOT_AUTHORIZED, VALIDATION
 */
export function viewsReorder(
  call: Call,
  { resourceId, order }: { resourceId: string; order: readonly string[] },
): Promise<ViewRecord[]> {
  return inTransaction(call, async (call) => {
    const [resource] = await lockResources(call, [resourceId]);
    if (!resource) throw notFound();
    allowChange(call, resource.dataset, `edit resource ${resourceId}`);
    const views = await listViews(call.sql, [resourceId]);
    const requested = newOrder(
      order,
      views.map(({ id }) => id),
    );
    refuse(requested.problems);
    if (views.length === 0) return [];
    await orderViews(call.sql, requested.order);
    await record(call, 'Reorder views', views[0]!, 'updated');
    return listViews(call.sql, [resourceId]);
  });
}

/** Deletes all views of these types, or (null) all views of the site, and returns their number. @throws CatalogError NOT_AUTHORIZED */
export function viewsClear(call: Call, { types }: { types?: readonly string[] | null }): Promise<number> {
  allow(mayClearViews(call.actor));
  return inTransaction(call, async (call) => {
    const count = await clearViews(call.db, types ?? null);
    if (count > 0)
      await recordRevision(call, newId(), 'Clear views', [
        { objectType: 'view', objectId: '*', action: 'deleted', detail: { types: types ?? null, count } },
      ]);
    return count;
  });
}

interface DefaultViewsInput {
  /** Id or name; null when `resourceIds` are sent. */
  readonly dataset?: string | null;
  /** Ids; null for all resources of the dataset. */
  readonly resourceIds?: readonly string[] | null;
  readonly forDatastore?: boolean | null;
}

/** Creates missing default views and returns them by resource. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION */
export function viewsMakeDefault(call: Call, input: DefaultViewsInput): Promise<ViewRecord[]> {
  return inTransaction(call, async (call) => {
    const resources = await requestedResources(call, input);
    const made = await makeDefaultViews(call, resources, input.forDatastore ?? false);
    if (made.length === 0) return [];
    const indexes = new Map(resources.map(({ id }, index) => [id, index]));
    const views = (await listOwnedViews(call.db, made)).map(({ view }) => view);
    views.sort((a, b) => indexes.get(a.resourceId)! - indexes.get(b.resourceId)! || a.position - b.position);
    await recordRevision(
      call,
      newId(),
      'Create default views',
      views.map((view) => changeOf(view, 'created')),
    );
    return views;
  });
}

async function requestedResources(call: Call, { dataset, resourceIds }: DefaultViewsInput): Promise<Viewable[]> {
  const ids = resourceIds == null ? null : [...new Set(resourceIds)];
  if (dataset == null) {
    if (ids === null) throw invalidField('dataset', 'Missing value');
    const resources = await lockResources(call, ids);
    if (resources.length < ids.length) throw notFound();
    for (const resource of resources) allowToFill(call, resource.dataset);
    return inOrder(ids, resources, ({ id }) => id) as OwnedResource[];
  }
  const found = await findDatasetResources(call.db, dataset);
  if (!found) throw notFound();
  allowToFill(call, found.dataset);
  const requested = ids ?? found.resources.map(({ id }) => id);
  const unknown = requested.findIndex((id) => !found.resources.some((resource) => resource.id === id));
  if (unknown >= 0)
    throw invalid([
      { path: ['resourceIds', unknown], message: `${requested[unknown]} is not a resource of this dataset` },
    ]);
  const locked = await lockResources(call, requested);
  return requested.flatMap((id) => locked.find((resource) => resource.id === id) ?? []);
}

const allowToFill = (call: Call, dataset: DatasetFacts): void =>
  allowChange(call, dataset, `create resources on this dataset`);

/** Locks a resource that the caller may add a view to, and returns the position after its last one. @throws CatalogError VALIDATION (no such resource), NOT_AUTHORIZED, LIMIT */
async function endToFill(call: Call, resourceId: string, what: string): Promise<number> {
  const [resource] = await lockResources(call, [resourceId]);
  if (!resource) throw invalidField('resourceId', resourceId === '' ? 'Missing value' : 'Not found: Resource');
  allowChange(call, resource.dataset, `${what} resource ${resourceId}`);
  const max = call.settings['catalog.limits.views'];
  const { count, end } = await endOfViews(call.db, resourceId);
  if (count < max) return end;
  throw limitAt('resourceId', `At most ${max} views on one resource (catalog.limits.views)`);
}

/** A view, locked. @throws CatalogError NOT_FOUND, CONFLICT */
async function viewToChange(
  call: Call,
  { viewId, expectedVersion }: { viewId: string; expectedVersion?: number | null },
): Promise<OwnedView> {
  const found = await lockView(call, viewId);
  if (!found) throw notFound();
  if (allowed(call, found.dataset)) checkVersion('The view', found.view.version, expectedVersion);
  return found;
}

const allowed = (call: Call, dataset: DatasetFacts): boolean =>
  mayChangeViews(call.actor, dataset, call.settings, '') === null;

function allowChange(call: Call, dataset: DatasetFacts, what: string): void {
  allow(mayChangeViews(call.actor, dataset, call.settings, what));
}

/** Records a write and returns the view after it. */
async function written(call: Call, id: string, action: 'created' | 'updated'): Promise<ViewRecord> {
  const [found] = await listOwnedViews(call.db, [id]);
  await record(call, action === 'created' ? 'Create view' : 'Update view', found!.view, action);
  return found!.view;
}

type Action = 'created' | 'updated' | 'deleted';

const changeOf = (view: ViewRecord, action: Action) => ({
  objectType: 'view' as const,
  objectId: view.id,
  action,
  detail: { title: view.title, type: view.type, resource: view.resourceId, dataset: view.datasetId },
});

const record = (call: Call, why: string, view: ViewRecord, action: Action): Promise<void> =>
  recordRevision(call, newId(), `REST API: ${why} ${view.title || view.id}`, [changeOf(view, action)]);
