/** Writes lists of groups. In SQL because Prisma has no upsert of several rows: one statement changes those that differ and counts them. */
import { firstValue, type Sql, type Statement } from '../../infra/postgres/db.ts';

/** `owner` is the group; `key` and `value` are the columns of the pairs. */
const list = (name: string, table: string, owner: string, key: string, value: string): Statement => ({
  name: `group_write_${name}`,
  text: `WITH given AS (SELECT * FROM unnest($2::text[], $3::text[]) AS g(key, value)),
    gone AS (DELETE FROM ${table} WHERE ${owner} = $1 AND ${key} NOT IN (SELECT key FROM given) RETURNING 1),
    written AS (INSERT INTO ${table} (id, ${owner}, ${key}, ${value}, revision_id) SELECT gen_random_uuid()::text, $1, key, value, $4 FROM given
      ON CONFLICT (${owner}, ${key}) DO UPDATE SET ${value} = EXCLUDED.${value}, revision_id = EXCLUDED.revision_id
      WHERE ${table}.${value} <> EXCLUDED.${value} RETURNING 1)
    SELECT (SELECT count(*) FROM gone)::int + (SELECT count(*) FROM written)::int AS n`,
});

const statements = {
  extras: list('extras', 'group_extra', 'group_id', 'key', 'value'),
  users: list('users', 'membership', 'group_id', 'user_id', 'capacity'),
  parents: list('parents', 'group_parent', 'child_id', 'parent_id', 'capacity'),
};

/** Values by key, or capacities by id, of a whole list. Keys that stay keep their row and its id. */
export type Pairs = ReadonlyMap<string, string>;

/** Replaces one list of a group; true if anything changed. */
export async function writeList(
  sql: Sql,
  list: keyof typeof statements,
  groupId: string,
  pairs: Pairs,
  revisionId: string,
): Promise<boolean> {
  const values = [groupId, [...pairs.keys()], [...pairs.values()], revisionId];
  return (await firstValue<number>(sql, statements[list], values)) > 0;
}
