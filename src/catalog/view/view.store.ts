/** Views of resources. */
import { Prisma } from '../../generated/prisma/client.ts';
import { readerBy } from '../../infra/postgres/by-keys.sql.ts';
import type { Db, Sql } from '../../infra/postgres/db.ts';
import { lockRow, lockRows } from '../../infra/postgres/row-lock.sql.ts';
import type { Call } from '../../kernel/call.ts';
import { idWins } from '../../kernel/node.ts';
import { type DatasetFacts, FACTS } from '../document/record.ts';
import type { Viewable } from './view.rules.ts';

const VIEW = {
  id: true,
  resourceId: true,
  position: true,
  type: true,
  title: true,
  description: true,
  config: true,
  fields: true,
  version: true,
} satisfies Prisma.ResourceViewSelect;
type ViewRow = Prisma.ResourceViewGetPayload<{ select: typeof VIEW }>;

/** A view as readers get it. */
export type ViewRecord = Omit<ViewRow, 'config' | 'fields'> & {
  readonly datasetId: string;
  /** The client's own configuration; null without one. */
  readonly config: unknown;
  readonly fields: Readonly<Record<string, unknown>>;
};

/** A new view. */
export type NewView = Omit<ViewRecord, 'datasetId' | 'position' | 'version'>;

/** A resource and its dataset's facts. */
export type OwnedResource = Viewable & { readonly dataset: DatasetFacts };

/** A view and its dataset's facts. */
export interface OwnedView {
  readonly view: ViewRecord;
  readonly dataset: DatasetFacts;
}

const RESOURCE = { id: true, format: true, datastoreActive: true, urlType: true } satisfies Prisma.ResourceSelect;
type ResourceRow = Prisma.ResourceGetPayload<{ select: typeof RESOURCE }>;

/** The properties of a resource that decide which views it can have. */
export const viewable = ({
  id,
  format,
  datastoreActive,
  urlType,
}: Pick<ResourceRow, 'id' | 'format' | 'datastoreActive' | 'urlType'>): Viewable => ({
  id,
  format,
  inDatastore: datastoreActive || urlType === 'datastore',
});

const viewOf = (row: ViewRow, datasetId: string): ViewRecord => ({
  ...row,
  datasetId,
  fields: row.fields as ViewRecord['fields'],
});

const OWNER = { id: true, datasetId: true } satisfies Prisma.ResourceSelect;
const readOwners = readerBy<Prisma.ResourceGetPayload<{ select: typeof OWNER }>>({
  table: 'resource',
  fields: OWNER,
  by: ['id'],
});
const readViews = readerBy<ViewRow>({
  table: 'resource_view',
  fields: VIEW,
  by: ['resourceId'],
  order: ['position', 'id'],
});

/** Views of resources, by position. The datasets of the resources are known. */
export async function listViewsOf(
  sql: Sql,
  resources: readonly { readonly id: string; readonly datasetId: string }[],
): Promise<ViewRecord[]> {
  const datasetOf = new Map(resources.map(({ id, datasetId }) => [id, datasetId]));
  const rows = await readViews(sql, [...datasetOf.keys()]);
  return rows.map((row) => viewOf(row, datasetOf.get(row.resourceId)!));
}

/** Views of these resources, by position. */
export async function listViews(sql: Sql, resourceIds: readonly string[]): Promise<ViewRecord[]> {
  const [rows, owners] = await Promise.all([readViews(sql, resourceIds), readOwners(sql, resourceIds)]);
  const datasetOf = new Map(owners.map(({ id, datasetId }) => [id, datasetId]));
  return rows.flatMap((row) => {
    const datasetId = datasetOf.get(row.resourceId);
    return datasetId === undefined ? [] : [viewOf(row, datasetId)]; // deleted between the two reads
  });
}

/** Views by id, unordered; missing ones are omitted. */
export async function listOwnedViews(db: Db, ids: readonly string[]): Promise<OwnedView[]> {
  const rows = await db.resourceView.findMany({
    relationLoadStrategy: 'join',
    select: { ...VIEW, resource: { select: { dataset: { select: FACTS } } } },
    where: { id: { in: [...ids] } },
  });
  return rows.map(({ resource: { dataset }, ...row }) => ({ view: viewOf(row, dataset.id), dataset }));
}

/** Locks a view until the transaction ends; null for an unknown one. */
export async function lockView({ db, sql }: Pick<Call, 'db' | 'sql'>, id: string): Promise<OwnedView | null> {
  if (!(await lockRow(sql, 'resource_view', id))) return null;
  return (await listOwnedViews(db, [id]))[0] ?? null;
}

/** Locks these resources until the transaction ends, so that writers of their views wait; missing ones are omitted. */
export async function lockResources(
  { db, sql }: Pick<Call, 'db' | 'sql'>,
  ids: readonly string[],
): Promise<OwnedResource[]> {
  const found = await lockRows(sql, 'resource', ids, 'NO KEY UPDATE');
  const rows = await db.resource.findMany({
    relationLoadStrategy: 'join',
    select: { ...RESOURCE, dataset: { select: FACTS } },
    where: { id: { in: found } },
  });
  return rows.map(({ dataset, ...row }) => ({ ...viewable(row), dataset }));
}

/** A dataset's facts and its resources in their order; null for an unknown dataset. An id wins over a name. */
export async function findDatasetResources(
  db: Db,
  idOrName: string,
): Promise<{ dataset: DatasetFacts; resources: Viewable[] } | null> {
  const rows = await db.dataset.findMany({
    relationLoadStrategy: 'join',
    select: { ...FACTS, resources: { select: RESOURCE, orderBy: [{ position: 'asc' }, { id: 'asc' }] } },
    where: { OR: [{ id: idOrName }, { name: idOrName }] },
  });
  const row = idWins(rows, idOrName);
  if (!row) return null;
  const { resources, ...dataset } = row;
  return { dataset, resources: resources.map(viewable) };
}

/** Number of a resource's views, and the position after the last one. */
export async function endOfViews(db: Db, resourceId: string): Promise<{ count: number; end: number }> {
  const { _count, _max } = await db.resourceView.aggregate({
    where: { resourceId },
    _count: true,
    _max: { position: true },
  });
  return { count: _count, end: (_max.position ?? -1) + 1 };
}

const jsonOf = ({ config, fields }: Pick<NewView, 'config' | 'fields'>) => ({
  config: config === null ? Prisma.DbNull : (config as Prisma.InputJsonValue),
  fields: fields as Prisma.InputJsonObject,
});

export const insertView = async (db: Db, view: NewView & { position: number }): Promise<void> =>
  void (await db.resourceView.create({ select: { id: true }, data: { ...view, ...jsonOf(view) } }));

/** Writes a locked view and increments its version. The type stays. */
export async function updateView(db: Db, view: ViewRecord): Promise<void> {
  const { id, resourceId, position, title, description } = view;
  const data = { resourceId, position, title, description, ...jsonOf(view), version: { increment: 1 } };
  await db.resourceView.update({ select: { id: true }, where: { id }, data });
}

export const deleteView = async (db: Db, id: string): Promise<void> =>
  void (await db.resourceView.delete({ select: { id: true }, where: { id } }));

/** Deletes the views of these types, or (null) all, and returns their number. */
export const clearViews = async (db: Db, types: readonly string[] | null): Promise<number> =>
  (await db.resourceView.deleteMany({ where: types ? { type: { in: [...types] } } : {} })).count;
