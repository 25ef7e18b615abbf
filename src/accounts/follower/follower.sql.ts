/**
 * Reads pages of followers, and counts them. In SQL because a count costs 0.1 ms of CPU, and 0.4 ms through Prisma. One statement reads a
 * page for each of many objects (Prisma: one for each).
 */
import { hidden } from '../../infra/postgres/columns.ts';
import type { Sql, Statement } from '../../infra/postgres/db.ts';
import type { Keyset } from '../../kernel/connection.ts';
import { beyond, formOf, orderOf, type SortKey, WHOLE } from '../../kernel/keyset.sql.ts';
import { columnsOf, type FollowKey, keyText } from './follower.store.ts';

/** For each object `k`: columns of its active followers `u`. */
const ofEach = (name: string, columns: string, followers: string, end = ''): Statement => ({
  name: `followers_${name}`,
  text: `SELECT k.type || ' ' || k.id AS key, ${columns} FROM unnest(${hidden('$1', 'text[]')}, ${hidden('$2', 'text[]')}) WITH ORDINALITY AS k(type, id, at)
    CROSS JOIN LATERAL (SELECT ${followers}) u ${end}`,
});
const OF_OBJECT = 'f.object_type = k.type AND f.object_id = k.id';
const FOLLOWERS = `FROM follower f JOIN user_account u ON u.id = f.follower_id AND u.state = 'active' WHERE ${OF_OBJECT}`;
/** The look-up by key is as fast without statistics, which PostgreSQL lacks for small tables. */
const COUNTED = `FROM follower f WHERE ${OF_OBJECT} AND (SELECT u.state FROM user_account u WHERE u.id = f.follower_id) = 'active'`;

const KEYS: readonly SortKey[] = [
  { sql: 'u.display_name', type: 'text' },
  { sql: 'u.name', type: 'text' },
];
const COUNTS: Statement = { ...ofEach('count', 'u.n', `count(*)::int AS n ${COUNTED}`), isShort: true };

/** Ids of one page of active followers of each object (one more than its limit), or of all; by display name, in reading order, per keyText. */
export async function pagesOfFollowers(
  sql: Sql,
  keys: readonly FollowKey[],
  page: Keyset = WHOLE,
): Promise<Map<string, string[]>> {
  const order = orderOf(KEYS, page);
  const statement = ofEach(
    `page_${formOf(page)}`,
    'u.id',
    `u.id, u.display_name, u.name ${FOLLOWERS} AND ${beyond(KEYS, page, 4)} ORDER BY ${order} LIMIT $3::bigint`,
    `ORDER BY k.at, ${order}`,
  );
  const values = [...columnsOf(keys), page.limit + 1, ...(page.from ?? [])];
  const pages = new Map<string, string[]>(keys.map((key) => [keyText(key), []]));
  for (const { key, id } of await sql.rows<{ key: string; id: string }>(statement, values)) pages.get(key)!.push(id);
  return pages;
}

/** Number of active followers per object, by keyText. */
export async function countFollowers(sql: Sql, keys: readonly FollowKey[]): Promise<Map<string, number>> {
  const rows = await sql.rows<{ key: string; n: number }>(COUNTS, columnsOf(keys));
  return new Map(rows.map(({ key, n }) => [key, n]));
}
