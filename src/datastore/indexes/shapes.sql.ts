/**
 * Stores shapes of reads. In SQL because Prisma has no upsert of several rows, and no power(), by which uses halve every week. One
 * statement adds a whole batch: 1,000 shapes take 15 ms.
 */
import type { Sql, Statement } from '../../infra/postgres/db.ts';
import type { ShapeCount } from './counter.ts';

/** Maximum shapes of a table in the database. */
const MAX_STORED = 40;

/** Uses at `at`, a bound time: they halve every seven days. */
const usesAt = (at: string): string =>
  `s.uses * power(0.5::float8, greatest(0, extract(epoch FROM ${at}::timestamptz - s.used_at))::float8 / 604800)`;

const statements = {
  add: {
    name: 'table_shapes_add',
    text: `INSERT INTO table_shape AS s (resource_id, shape, uses, used_at)
      SELECT r.id, u.shape, u.uses, $4 FROM unnest($1::text[], $2::text[], $3::float8[]) u (id, shape, uses) JOIN resource r ON r.id = u.id
      ORDER BY r.id, u.shape
      ON CONFLICT (resource_id, shape) DO UPDATE SET uses = ${usesAt('EXCLUDED.used_at')} + EXCLUDED.uses, used_at = EXCLUDED.used_at`,
  },
  prune: {
    name: 'table_shapes_prune',
    text: `DELETE FROM table_shape d USING (SELECT s.resource_id, s.shape,
        row_number() OVER (PARTITION BY s.resource_id ORDER BY s.shape = '' DESC, ${usesAt('$2')} DESC) AS place
      FROM table_shape s WHERE s.resource_id = ANY ($1)) o
      WHERE o.place > ${MAX_STORED} AND d.resource_id = o.resource_id AND d.shape = o.shape`,
  },
  list: {
    name: 'table_shapes',
    text: `SELECT s.resource_id AS table, s.shape, ${usesAt('$1')} AS uses FROM table_shape s JOIN resource r ON r.id = s.resource_id
      WHERE r.datastore_active AND s.resource_id IN (SELECT unnest($2::text[]) UNION SELECT s.resource_id FROM table_shape s
        WHERE s.shape <> '' AND s.uses >= $3 AND ${usesAt('$1')} >= $3) ORDER BY s.resource_id, uses DESC, s.shape`,
  },
} satisfies Record<string, Statement>;

/** Adds counts. Unknown tables are skipped. */
export async function addShapes(sql: Sql, counts: readonly ShapeCount[], at: Date): Promise<void> {
  if (counts.length === 0) return;
  const tables = counts.map(({ table }) => table);
  const values = [tables, counts.map(({ shape }) => shape), counts.map(({ uses }) => uses), at];
  await sql.rows(statements.add, values);
  await sql.rows(statements.prune, [tables, at]);
}

/** Shapes with their uses at this time, most used first in each table: of these tables, and of those with a shape of at least `minUses`. */
export const listShapesAt = (sql: Sql, at: Date, tables: readonly string[], minUses: number): Promise<ShapeCount[]> =>
  sql.rows(statements.list, [at, tables, minUses]);
