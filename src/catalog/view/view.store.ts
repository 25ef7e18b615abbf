/** Views of resources. */
import type { Sql, Statement } from '../../kernel/db.ts';
import type { DatasetFacts } from '../document/record.ts';
import type { Viewable } from './view.rules.ts';

/** A view as readers have it. */
export interface ViewRecord {
  readonly id: string;
  readonly resourceId: string;
  readonly datasetId: string;
  /** Place among the resource's views, ascending; there may be gaps. */
  readonly position: number;
  readonly type: string;
  readonly title: string;
  readonly description: string | null;
  /** The client's own; null when there is none. */
  readonly config: unknown;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly version: number;
}

/** A new view; its place is at the end. */
export type NewView = Pick<ViewRecord, 'id' | 'resourceId' | 'type' | 'title' | 'description' | 'config' | 'fields'>;

/** A resource and its dataset's facts. */
export interface OwnedResource extends Viewable {
  readonly dataset: DatasetFacts;
}

/** A view and its dataset's facts. */
export interface OwnedView {
  readonly view: ViewRecord;
  readonly dataset: DatasetFacts;
}

interface FactColumns {
  datasetId: string;
  state: string;
  private: boolean;
  ownerOrganizationId: string | null;
  creatorId: string | null;
}

const VIEW = `v.id, v.resource_id AS "resourceId", r.dataset_id AS "datasetId", v.position, v.type, v.title, v.description, v.config,
  v.fields, v.version`;
const FACTS = 'd.state, d.private, d.owner_organization_id AS "ownerOrganizationId", d.creator_id AS "creatorId"';
const RESOURCE = `SELECT r.id, r.format, (r.datastore_active OR r.url_type = 'datastore' IS TRUE) AS "inDatastore", r.dataset_id AS "datasetId", ${FACTS}
  FROM resource r JOIN dataset d ON d.id = r.dataset_id`;
const OWNED = `SELECT ${VIEW}, ${FACTS} FROM resource_view v JOIN resource r ON r.id = v.resource_id JOIN dataset d ON d.id = r.dataset_id`;
const END = 'COALESCE((SELECT max(position) + 1 FROM resource_view o WHERE o.resource_id = n.resource_id), 0)';
const NEW =
  'jsonb_to_recordset($1::jsonb) AS n(place int, id text, resource_id text, type text, title text, description text, config jsonb, fields jsonb)';
const INSERT = `INSERT INTO resource_view (id, resource_id, position, type, title, description, config, fields)
  SELECT id, resource_id, ${END} + place, type, title, description, config, fields FROM ${NEW}`;

const statements = {
  byResources: {
    name: 'views_by_resource',
    text: `SELECT ${VIEW} FROM resource_view v JOIN resource r ON r.id = v.resource_id WHERE v.resource_id = ANY ($1)
      ORDER BY v.position, v.id`,
  },
  byIds: { name: 'views_by_id', text: `${OWNED} WHERE v.id = ANY ($1)` },
  lock: { name: 'view_lock', text: `${OWNED} WHERE v.id = $1 FOR UPDATE OF v` },
  // Writers of a resource's views wait for each other here, and for whoever takes the resource away.
  lockResources: {
    name: 'view_resources_lock',
    text: `${RESOURCE} WHERE r.id = ANY ($1) ORDER BY r.id FOR NO KEY UPDATE OF r`,
  },
  datasetResources: {
    name: 'view_dataset_resources',
    text: `WITH found AS (SELECT id FROM (SELECT id, 0 AS rank FROM dataset WHERE id = $1 UNION ALL SELECT id, 1 FROM dataset WHERE name = $1) AS f
        ORDER BY rank LIMIT 1)
      SELECT r.id, r.format, (r.datastore_active OR r.url_type = 'datastore' IS TRUE) AS "inDatastore", d.id AS "datasetId", ${FACTS}
      FROM found JOIN dataset d ON d.id = found.id LEFT JOIN resource r ON r.dataset_id = d.id ORDER BY r.position, r.id`,
  },
  counts: {
    name: 'view_count',
    text: 'SELECT count(*)::int AS n FROM resource_view WHERE resource_id = $1',
  },
  insert: { name: 'views_insert', text: INSERT },
  insertMissing: {
    name: 'views_insert_missing',
    text: `${INSERT} WHERE NOT EXISTS (SELECT FROM resource_view o WHERE o.resource_id = n.resource_id AND o.type = n.type) RETURNING id`,
  },
  update: {
    name: 'view_update',
    text: `UPDATE resource_view v SET resource_id = n.resource_id, position = CASE WHEN v.resource_id = n.resource_id THEN v.position ELSE ${END} END,
      title = n.title, description = n.description, config = n.config, fields = n.fields, version = v.version + 1
      FROM ${NEW} WHERE v.id = n.id`,
  },
  order: {
    name: 'views_order',
    text: `UPDATE resource_view v SET position = o.place, version = v.version + 1
      FROM (SELECT id, (place - 1)::int AS place FROM unnest($1::text[]) WITH ORDINALITY AS o(id, place)) AS o
      WHERE v.id = o.id AND v.position <> o.place`,
  },
  remove: { name: 'view_delete', text: 'DELETE FROM resource_view WHERE id = $1' },
  clear: {
    name: 'views_clear',
    text: `WITH gone AS (DELETE FROM resource_view WHERE $1::text[] IS NULL OR type = ANY ($1) RETURNING id)
      SELECT count(*)::int AS n FROM gone`,
  },
} satisfies Record<string, Statement>;

const factsOf = (row: FactColumns): DatasetFacts => ({
  id: row.datasetId,
  state: row.state,
  private: row.private,
  ownerOrganizationId: row.ownerOrganizationId,
  creatorId: row.creatorId,
});

function owned(row: ViewRecord & FactColumns): OwnedView {
  const { state: _s, private: _p, ownerOrganizationId: _o, creatorId: _c, ...view } = row;
  return { view, dataset: factsOf(row) };
}

/** Views of these resources, by place. */
export const listViews = (sql: Sql, resourceIds: readonly string[]): Promise<ViewRecord[]> =>
  sql.rows(statements.byResources, [resourceIds]);

/** Views by id, in no order; missing ones are left out. */
export const listOwnedViews = async (sql: Sql, ids: readonly string[]): Promise<OwnedView[]> =>
  (await sql.rows<ViewRecord & FactColumns>(statements.byIds, [ids])).map(owned);

/** Locks a view until the transaction ends; null when there is none. */
export async function lockView(sql: Sql, id: string): Promise<OwnedView | null> {
  const [row] = await sql.rows<ViewRecord & FactColumns>(statements.lock, [id]);
  return row ? owned(row) : null;
}

/** Locks those of the resources that there are until the transaction ends; by id. */
export async function lockResources(sql: Sql, ids: readonly string[]): Promise<OwnedResource[]> {
  const rows = await sql.rows<Viewable & FactColumns>(statements.lockResources, [ids]);
  return rows.map((row) => ({ ...viewable(row), dataset: factsOf(row) }));
}

/** A dataset's facts and its resources by place; null when there is none. An id wins over a name. */
export async function findDatasetResources(
  sql: Sql,
  idOrName: string,
): Promise<{ dataset: DatasetFacts; resources: Viewable[] } | null> {
  const rows = await sql.rows<Viewable & FactColumns>(statements.datasetResources, [idOrName]);
  if (!rows[0]) return null;
  return { dataset: factsOf(rows[0]), resources: rows.filter(({ id }) => id !== null).map(viewable) };
}

const viewable = ({ id, format, inDatastore }: Viewable): Viewable => ({ id, format, inDatastore });

/** How many views a resource has. */
export async function countViews(sql: Sql, resourceId: string): Promise<number> {
  const [row] = await sql.rows<{ n: number }>(statements.counts, [resourceId]);
  return row!.n;
}

/** Adds views at the end of their resources, in this order. */
export const insertViews = async (sql: Sql, views: readonly NewView[]): Promise<void> =>
  void (await sql.rows(statements.insert, [recordsOf(views)]));

/** The same, but for resources that have a view of the type already. Ids of those that were added, in no order. */
export const insertMissingViews = async (sql: Sql, views: readonly NewView[]): Promise<string[]> =>
  (await sql.rows<{ id: string }>(statements.insertMissing, [recordsOf(views)])).map(({ id }) => id);

/** Writes a view as it shall be; with another resource it goes to the end there. The type stays. */
export const updateView = async (sql: Sql, view: NewView): Promise<void> =>
  void (await sql.rows(statements.update, [recordsOf([view])]));

function recordsOf(views: readonly NewView[]): string {
  const places = new Map<string, number>();
  return JSON.stringify(
    views.map(({ resourceId, ...view }) => {
      const place = places.get(resourceId) ?? 0;
      places.set(resourceId, place + 1);
      return { ...view, resource_id: resourceId, place };
    }),
  );
}

/** Gives views of one resource their places, from 0. */
export const orderViews = async (sql: Sql, ids: readonly string[]): Promise<void> =>
  void (await sql.rows(statements.order, [ids]));

export const deleteView = async (sql: Sql, id: string): Promise<void> => void (await sql.rows(statements.remove, [id]));

/** Deletes the views of these types, or (null) all, and says how many there were. */
export async function clearViews(sql: Sql, types: readonly string[] | null): Promise<number> {
  const [row] = await sql.rows<{ n: number }>(statements.clear, [types]);
  return row!.n;
}
