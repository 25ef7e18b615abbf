/** Who follows what, in SQL. Lists are in code point order of the display name, then of the name. Policy is the caller's. */
import type { Sql, Statement } from '../../kernel/db.ts';
import type { FollowKind } from './follower.policy.ts';

/** What a follower can follow, told apart as readers do. Groups and organizations are stored as one type. */
export type FolloweeKind = FollowKind | 'ORGANIZATION';

/** An object that can be followed: what policies, lists and messages need of it. */
export interface FollowableRecord {
  readonly kind: FolloweeKind;
  readonly id: string;
  readonly name: string;
  readonly displayName: string;
  readonly state: string;
  readonly isOrganization: boolean;
  readonly private: boolean;
  readonly ownerOrganizationId: string | null;
  readonly creatorId: string | null;
}

/** One of them, followed. */
export type FollowedRecord = FollowableRecord & { readonly followedAt: Date };

/** An object by stored type and id. */
export interface FollowKey {
  readonly kind: FollowKind;
  readonly id: string;
}

interface Source {
  readonly type: string;
  /** Where rows that must not vanish are locked. */
  readonly table: string;
  readonly from: string;
  readonly columns: string;
}

/** Where objects of each kind are, as `o`. */
const SOURCES: Readonly<Record<FollowKind, Source>> = {
  USER: {
    type: 'user',
    table: 'user_account',
    from: 'user_account o',
    columns: `'USER' AS kind, o.id, o.name, coalesce(nullif(btrim(o.full_name), ''), o.name) AS "displayName", o.state, false AS "isOrganization",
      false AS private, NULL::text AS "ownerOrganizationId", NULL::text AS "creatorId"`,
  },
  DATASET: {
    type: 'dataset',
    table: 'dataset',
    from: 'dataset o',
    columns: `'DATASET' AS kind, o.id, o.name, coalesce(nullif(o.title, ''), o.name) AS "displayName", o.state, false AS "isOrganization",
      o.private, o.owner_organization_id AS "ownerOrganizationId", o.creator_id AS "creatorId"`,
  },
  GROUP: {
    type: 'group',
    table: 'group_account',
    from: 'group_account o',
    columns: `CASE WHEN o.is_organization THEN 'ORGANIZATION' ELSE 'GROUP' END AS kind, o.id, o.name,
      coalesce(nullif(o.title, ''), o.name) AS "displayName", o.state, o.is_organization AS "isOrganization",
      false AS private, NULL::text AS "ownerOrganizationId", NULL::text AS "creatorId"`,
  },
};
const KINDS = Object.keys(SOURCES) as FollowKind[];
const TYPES = Object.fromEntries(KINDS.map((kind) => [SOURCES[kind].type, kind]));

/** One statement for each kind of object. */
const each = (name: string, textOf: (source: Source) => string): Record<FollowKind, Statement> =>
  Object.fromEntries(
    KINDS.map((kind) => [kind, { name: `${name}_${SOURCES[kind].type}`, text: textOf(SOURCES[kind]) }]),
  ) as Record<FollowKind, Statement>;

const DISPLAY = `coalesce(nullif(btrim(u.full_name), ''), u.name) COLLATE "C"`;
/** Users who cannot sign in any more follow nothing. */
const FOLLOWERS = `FROM follower f JOIN user_account u ON u.id = f.follower_id AND u.state = 'active'`;

/** What a user follows; of each kind those that a condition holds for. */
export const followedBy = (user: string, told: Partial<Record<FollowKind, string>> = {}): string =>
  KINDS.map((kind) => {
    const { type, from, columns } = SOURCES[kind];
    return `SELECT ${columns}, f.created_at AS "followedAt" FROM follower f JOIN ${from} ON o.id = f.object_id
      WHERE f.follower_id = ${user} AND f.object_type = '${type}' ${told[kind] ? `AND ${told[kind]}` : ''}`;
  }).join(' UNION ALL ');

const statements = {
  find: each(
    'follow_find',
    ({ columns, from }) =>
      `SELECT ${columns} FROM ${from} WHERE o.id = $1 OR o.name = $1 ORDER BY (o.id = $1) DESC LIMIT 1`,
  ),
  // The lock keeps the object from being removed between the look and the write.
  insert: each(
    'follow_insert',
    ({ type, table }) => `INSERT INTO follower (follower_id, object_type, object_id, created_at)
      SELECT $1, '${type}', o.id, $3 FROM (SELECT id FROM ${table} WHERE id = $2 FOR KEY SHARE) o
      ON CONFLICT DO NOTHING RETURNING object_id`,
  ),
  delete: {
    name: 'follow_delete',
    text: 'DELETE FROM follower WHERE follower_id = $1 AND object_type = $2 AND object_id = $3 RETURNING object_id',
  },
  counts: {
    name: 'follower_counts',
    text: `SELECT f.object_type AS type, f.object_id AS id, count(*)::int AS n ${FOLLOWERS}
      WHERE (f.object_type, f.object_id) IN (SELECT * FROM unnest($1::text[], $2::text[])) GROUP BY 1, 2`,
  },
  followed: {
    name: 'followed_among',
    text: `SELECT object_type AS type, object_id AS id FROM follower
      WHERE follower_id = $1 AND (object_type, object_id) IN (SELECT * FROM unnest($2::text[], $3::text[]))`,
  },
  page: {
    name: 'followers_page',
    text: `SELECT k.type, k.id AS object, p.id FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS k(type, id, at) CROSS JOIN LATERAL (
        SELECT u.id, row_number() OVER (ORDER BY ${DISPLAY}, u.name COLLATE "C") AS place ${FOLLOWERS}
        WHERE f.object_type = k.type AND f.object_id = k.id AND ($3::text IS NULL OR (${DISPLAY}, u.name COLLATE "C") > ($3, $4))
        ORDER BY place LIMIT $5::int) p ORDER BY k.at, p.place`,
  },
  followees: {
    name: 'followees',
    text: `SELECT * FROM (${followedBy('$1')}) AS o WHERE $2::text[] IS NULL OR kind = ANY ($2) ORDER BY "displayName" COLLATE "C", name COLLATE "C"`,
  },
} satisfies Record<string, Statement | Record<FollowKind, Statement>>;

/** By id or name, an id wins; null when there is none. */
export const findFollowable = async (sql: Sql, kind: FollowKind, idOrName: string): Promise<FollowableRecord | null> =>
  (await sql.rows<FollowableRecord>(statements.find[kind], [idOrName]))[0] ?? null;

/** False when the user follows it already. */
export const insertFollower = async (sql: Sql, userId: string, { kind, id }: FollowKey, now: Date): Promise<boolean> =>
  (await sql.rows(statements.insert[kind], [userId, id, now])).length > 0;

/** False when the user did not follow it. */
export const deleteFollower = async (sql: Sql, userId: string, { kind, id }: FollowKey): Promise<boolean> =>
  (await sql.rows(statements.delete, [userId, SOURCES[kind].type, id])).length > 0;

/** Identity of a key in maps. */
export const keyText = ({ kind, id }: FollowKey): string => `${kind} ${id}`;

/** Active followers per object, by keyText; objects without any are left out. */
export async function countFollowers(sql: Sql, keys: readonly FollowKey[]): Promise<Map<string, number>> {
  const rows = await sql.rows<{ type: string; id: string; n: number }>(statements.counts, columns(keys));
  return new Map(rows.map(({ type, id, n }) => [keyText({ kind: TYPES[type]!, id }), n]));
}

/** Which of the objects the user follows, by keyText. */
export async function followedAmong(sql: Sql, userId: string, keys: readonly FollowKey[]): Promise<Set<string>> {
  const rows = await sql.rows<{ type: string; id: string }>(statements.followed, [userId, ...columns(keys)]);
  return new Set(rows.map(({ type, id }) => keyText({ kind: TYPES[type]!, id })));
}

/**
 * Ids of active followers of each object, after the one with this display name and name, by keyText; null begins at the beginning,
 * a null limit gives all.
 */
export async function pagesOfFollowers(
  sql: Sql,
  keys: readonly FollowKey[],
  after: readonly string[] | null,
  limit: number | null,
): Promise<Map<string, string[]>> {
  const values = [...columns(keys), after?.[0] ?? null, after?.[1] ?? null, limit];
  const pages = new Map<string, string[]>(keys.map((key) => [keyText(key), []]));
  for (const { type, object, id } of await sql.rows<{ type: string; object: string; id: string }>(
    statements.page,
    values,
  ))
    pages.get(keyText({ kind: TYPES[type]!, id: object }))!.push(id);
  return pages;
}

/** All that a user follows, whatever its state; of some kinds, or (null) of every kind. */
export const listFollowees = (
  sql: Sql,
  userId: string,
  kinds: readonly FolloweeKind[] | null,
): Promise<FollowedRecord[]> => sql.rows(statements.followees, [userId, kinds]);

const columns = (keys: readonly FollowKey[]): string[][] => [
  keys.map(({ kind }) => SOURCES[kind].type),
  keys.map(({ id }) => id),
];
