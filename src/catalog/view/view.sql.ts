/**
 * Adds default views, and sets new orders of views. In SQL because Prisma cannot set a different value in each row: a new order of up to
 * 10,000 views is one statement (Prisma: one for each view). package_create and resource_create add missing views by one statement in their
 * pipelined writes.
 */
import type { RowOf, Sql, Statement } from '../../infra/postgres/db.ts';
import type { NewView } from './view.store.ts';

const statements = {
  // New resources have no views. A plan from when the table was small would look for theirs in the whole table: 5 ms for 6,000 views.
  insertMissing: {
    name: 'views_insert_missing',
    text: `INSERT INTO resource_view (id, resource_id, position, type, title, description, config, fields)
      SELECT id, resource_id, CASE WHEN is_new THEN place ELSE
          COALESCE((SELECT max(position) + 1 FROM resource_view o WHERE o.resource_id = n.resource_id), 0) + place END,
        type, title, description, config, fields
      FROM jsonb_to_recordset($1::jsonb)
        AS n(is_new bool, place int, id text, resource_id text, type text, title text, description text, config jsonb, fields jsonb)
      WHERE is_new OR NOT EXISTS (SELECT FROM resource_view o WHERE o.resource_id = n.resource_id AND o.type = n.type) RETURNING id`,
  },
  order: {
    name: 'views_order',
    text: `UPDATE resource_view v SET position = o.place, version = v.version + 1
      FROM (SELECT id, (place - 1)::int AS place FROM unnest($1::text[]) WITH ORDINALITY AS o(id, place)) AS o
      WHERE v.id = o.id AND v.position <> o.place`,
  },
} satisfies Record<string, Statement>;

/**
 * Adds views at the end of their resources, in this order, except for resources that already have a view of the type.
 * `isNew`: whether the transaction has created the resource. Returns the ids of the new views, unordered.
 */
export async function insertMissingViews(
  sql: Sql,
  views: readonly NewView[],
  isNew: (resourceId: string) => boolean,
): Promise<string[]> {
  const positions = new Map<string, number>();
  const records = views.map(({ resourceId, ...view }) => {
    const position = positions.get(resourceId) ?? 0;
    positions.set(resourceId, position + 1);
    return { ...view, resource_id: resourceId, is_new: isNew(resourceId), place: position };
  });
  const rows = await sql.rows<RowOf<'ResourceView', 'id'>>(statements.insertMissing, [JSON.stringify(records)]);
  return rows.map(({ id }) => id);
}

/** Sets the positions of one resource's views, from 0. */
export const orderViews = async (sql: Sql, ids: readonly string[]): Promise<void> =>
  void (await sql.rows(statements.order, [ids]));
