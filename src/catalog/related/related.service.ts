/** Works made from the data. Only readers of a dataset see its items. */
import { recordRevision } from '../../changes/changes.service.ts';
import { lockRow } from '../../infra/postgres/row-lock.sql.ts';
import { type Call, inTransaction } from '../../kernel/call.ts';
import { type Connection, connection, keyset, type PageArgs } from '../../kernel/connection.ts';
import { allow, checkVersion, notAuthorized, notFound, orNull, type Problem, refuse } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { inOrder } from '../../kernel/node.ts';
import type { PageOf } from '../../kernel/pages.ts';
import { wireTime } from '../../kernel/time.ts';
import { mayUpdateDataset } from '../dataset/dataset.policy.ts';
import { datasetShow, datasetsByIds } from '../dataset/dataset.service.ts';
import { ownFields } from '../document/own-fields.ts';
import { readerOf } from '../document/readable.ts';
import type { DatasetRecord } from '../document/record.ts';
import { mayCreateRelated, mayDeleteRelated, mayFeatureRelated, mayUpdateRelated } from './related.policy.ts';
import { checkRelated, checkRelatedDataset, checkRelatedId } from './related.rules.ts';
import {
  countRelated,
  keyOfRelated,
  listRelated,
  type RelatedChoice,
  type RelatedOrder,
  shapeOfRelated,
} from './related.sql.ts';
import {
  deleteRelated,
  insertRelated,
  lockRelated,
  type RelatedFields,
  type RelatedRecord,
  relatedByIds,
  updateRelated,
} from './related.store.ts';

/** The backing type of RelatedItemConnection. */
export type RelatedConnectionRecord = Connection<RelatedRecord>;

interface Filter {
  readonly dataset?: string | null;
  readonly type?: string | null;
  readonly featured?: boolean | null;
}

const OLDEST_FIRST: RelatedOrder = 'CREATED_ASC';

interface FieldOrder {
  readonly field: 'CREATED' | 'VIEW_COUNT';
  readonly direction?: 'ASC' | 'DESC' | null;
}
/** The oldest or the most viewed first, unless the order says otherwise. */
const orderOf = ({ field, direction }: FieldOrder): RelatedOrder =>
  `${field}_${direction ?? (field === 'CREATED' ? 'ASC' : 'DESC')}`;

/** A page of items. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED (dataset), LIMIT, VALIDATION (cursor) */
export async function relatedConnection(
  call: Call,
  { where, orderBy, ...args }: PageArgs & { where?: Filter | null; orderBy?: FieldOrder | null },
): Promise<RelatedConnectionRecord> {
  const order = orderBy ? orderOf(orderBy) : OLDEST_FIRST;
  const page = keyset(args, shapeOfRelated(order), call.settings['catalog.limits.rows'], order);
  const choice = await chosen(call, where ?? {});
  const reader = readerOf(call.actor);
  const rows = await listRelated(call.sql, choice, order, reader, page);
  return connection(rows, page, keyOfRelated(order), () => countRelated(call.sql, choice, reader));
}

/** All items; those of one dataset newest first, unless another order is requested. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED */
export async function relatedList(
  call: Call,
  args: Filter & { orderBy?: RelatedOrder | null },
): Promise<RelatedRecord[]> {
  const choice = await chosen(call, args);
  const order = args.orderBy ?? (choice.datasetId === null ? 'CREATED_ASC' : 'CREATED_DESC');
  return listRelated(call.sql, choice, order, readerOf(call.actor));
}

interface Loaders {
  relatedPages: { load(requested: PageOf): Promise<RelatedRecord[]> };
  relatedCounts: { load(datasetId: string): Promise<number> };
}

/** A page of the items of a loaded dataset, oldest first. @throws CatalogError LIMIT, VALIDATION (cursor) */
export async function relatedOfDataset(
  call: Call,
  loaders: Loaders,
  datasetId: string,
  args: PageArgs,
): Promise<RelatedConnectionRecord> {
  const page = keyset(args, shapeOfRelated(OLDEST_FIRST), call.settings['catalog.limits.rows']);
  const rows = await loaders.relatedPages.load({ id: datasetId, page });
  return connection(rows, page, keyOfRelated(OLDEST_FIRST), () => loaders.relatedCounts.load(datasetId));
}

/** One item. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED */
export async function relatedShow(call: Call, id: string): Promise<RelatedRecord> {
  const [item] = await relatedByIds(call.sql, [id]);
  if (!item) throw notFound();
  await datasetOf(call, item);
  return item;
}

/** Items in the order of `ids`; null for a missing item or one that the caller may not read. */
export async function relatedNodes(call: Call, ids: readonly string[]): Promise<(RelatedRecord | null)[]> {
  const items = inOrder(ids, await relatedByIds(call.sql, ids), (item) => item.id);
  const owners = await datasetsByIds(
    call,
    items.flatMap((item) => item?.datasetId ?? []),
  );
  const readable = new Set(owners.map((dataset) => dataset?.id));
  return items.map((item) => (item && (item.datasetId === null || readable.has(item.datasetId)) ? item : null));
}

export interface RelatedInput {
  readonly title?: string | null;
  readonly type?: string | null;
  readonly description?: string | null;
  readonly url?: string | null;
  readonly imageUrl?: string | null;
  readonly featured?: boolean | null;
}

/** Adds an item. @throws CatalogError NOT_AUTHORIZED, VALIDATION (all problems at once), CONFLICT */
export function relatedCreate(
  call: Call,
  input: RelatedInput & { title: string; type: string; databaseId?: string | null; datasetId?: string | null },
): Promise<RelatedRecord> {
  allow(mayCreateRelated(call.actor, input.featured === true));
  return inTransaction(call, async (call) => {
    const { databaseId: id, datasetId } = input;
    const problems: Problem[] = checkRelated(input);
    if (id != null) problems.push(...checkRelatedId(id, (await relatedByIds(call.sql, [id])).length > 0));
    const dataset = datasetId ? await orNull(datasetShow(call, datasetId)) : null;
    const held = dataset !== null && (await lockRow(call.sql, 'dataset', dataset.id, 'KEY SHARE'));
    problems.push(...checkRelatedDataset(!datasetId || held));
    refuse(problems);
    const item = await insertRelated(call.db, {
      ...withInput(BLANK, input),
      id: id ?? newId(),
      datasetId: dataset?.id ?? null,
      ownerId: call.actor.userId,
      createdAt: call.request.now,
    });
    await record(call, item, 'created', dataset);
    return item;
  });
}

/** Changes the fields in the input. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION (all problems at once), CONFLICT */
export function relatedPatch(
  call: Call,
  input: RelatedInput & { id: string; expectedVersion?: number | null },
): Promise<RelatedRecord> {
  return inTransaction(call, async (call) => {
    const before = await lock(call, input);
    const dataset = await datasetOf(call, before);
    allow(mayUpdateRelated(call.actor, before));
    if (input.featured != null && input.featured !== before.featured) allow(mayFeatureRelated(call.actor));
    checkVersion('The item', before.version, input.expectedVersion);
    refuse(checkRelated(input));
    const after = await updateRelated(call.db, before.id, withInput(before, input));
    await record(call, after, 'updated', dataset);
    return after;
  });
}

/** Deletes an item and returns its id. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, CONFLICT */
export function relatedDelete(call: Call, input: { id: string; expectedVersion?: number | null }): Promise<string> {
  return inTransaction(call, async (call) => {
    const item = await lock(call, input);
    const [dataset] = item.datasetId === null ? [] : await datasetsByIds(call, [item.datasetId]);
    allow(mayDeleteRelated(call.actor, item, changes(call, dataset)));
    checkVersion('The item', item.version, input.expectedVersion);
    await deleteRelated(call.db, item.id);
    await record(call, item, 'deleted', dataset ?? null);
    return item.id;
  });
}

const changes = (call: Call, dataset: DatasetRecord | null | undefined): boolean =>
  dataset != null && mayUpdateDataset(call.actor, dataset, call.settings) === null;

export const canUpdateRelated = ({ actor }: Call, item: RelatedRecord): boolean =>
  mayUpdateRelated(actor, item) === null;

/** `dataset`: that of the item, if the caller may read it. */
export const canDeleteRelated = (call: Call, item: RelatedRecord, dataset: DatasetRecord | null): boolean =>
  mayDeleteRelated(call.actor, item, changes(call, dataset)) === null;

const BLANK: RelatedFields = { title: '', type: '', description: null, url: null, imageUrl: null, featured: false };

/** The fields after a write; an empty address becomes null. */
const withInput = (before: RelatedFields, changes: RelatedInput): RelatedFields => ({
  title: changes.title ?? before.title,
  type: changes.type ?? before.type,
  description: changes.description === undefined ? before.description : changes.description,
  url: changes.url === undefined ? before.url : changes.url || null,
  imageUrl: changes.imageUrl === undefined ? before.imageUrl : changes.imageUrl || null,
  featured: changes.featured ?? before.featured,
});

async function chosen(call: Call, { dataset, type, featured }: Filter): Promise<RelatedChoice> {
  const datasetId = dataset ? (await datasetShow(call, dataset)).id : null;
  return { datasetId, type: type || null, featured: featured ?? false };
}

/** The dataset of an item; null for an item without one. @throws CatalogError NOT_AUTHORIZED */
const datasetOf = async (call: Call, { id, datasetId }: RelatedRecord): Promise<DatasetRecord | null> =>
  datasetId === null ? null : datasetShow(call, datasetId, `of related item ${id}`);

/** Anonymous callers learn nothing about existing items. */
async function lock(call: Call, { id }: { id: string }): Promise<RelatedRecord> {
  if (call.actor.userId === null && !call.actor.sysadmin)
    throw notAuthorized('You must be logged in to change a related item');
  const item = await lockRelated(call, id);
  if (!item) throw notFound('Item was not found.');
  return item;
}

const VERB = { created: 'Create', updated: 'Update', deleted: 'Delete' } as const;

/** Records the change. Streams show items that everyone may see; a new one with its dataset at that time. */
function record(
  call: Call,
  item: RelatedRecord,
  action: keyof typeof VERB,
  dataset: DatasetRecord | null,
): Promise<void> {
  const { id, title, type, datasetId } = item;
  const row = { ...rowOf(item), ...(action === 'created' && { dataset: dataset && ownFields(dataset.body) }) };
  const hidden = datasetId !== null && !(dataset?.state === 'active' && !dataset.private);
  return recordRevision(call, newId(), `${VERB[action]} related item ${title}`, [
    {
      objectType: 'related',
      objectId: id,
      action,
      detail: { title, type, datasetId, row },
      activityId: hidden ? undefined : newId(),
      isPublic: !hidden,
    },
  ]);
}

/** An item's own fields, in the Action API's form, as in documents. */
const rowOf = (item: RelatedRecord) => ({
  id: item.id,
  title: item.title,
  type: item.type,
  description: item.description,
  url: item.url,
  image_url: item.imageUrl,
  featured: item.featured ? 1 : 0,
  view_count: item.viewCount,
  created: wireTime(item.createdAt),
  owner_id: item.ownerId,
});
