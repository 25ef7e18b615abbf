/** Lists objects that users follow and the reader may read. In SQL because Prisma has no UNION, and the lists merge three tables. */
import { readable } from '../../catalog/document/readable.ts';
import type { Counted } from '../../infra/postgres/by-keys.sql.ts';
import { hidden } from '../../infra/postgres/columns.ts';
import type { Sql, Statement } from '../../infra/postgres/db.ts';
import type { Keyset } from '../../kernel/connection.ts';
import { beyond, formOf, orderOf, type SortKey, WHOLE } from '../../kernel/keyset.sql.ts';
import type { FollowKind } from './follower.policy.ts';

/** Kinds of followed objects, as readers distinguish them. */
export type FolloweeKind = FollowKind | 'ORGANIZATION';

/** Filter of followed objects: null for every kind, and for any prefix of the display name. */
export interface FolloweeChoice {
  readonly kinds: readonly FolloweeKind[] | null;
  readonly startsWith: string | null;
}

/** A followed object with its follower. */
export interface ListedFollowee {
  readonly userId: string;
  readonly kind: FolloweeKind;
  readonly id: string;
  readonly name: string;
  readonly displayName: string;
  readonly followedAt: Date;
}

/** Values of readerOf (catalog/document/readable.ts): $1 to $4. */
type Reader = readonly unknown[];

const TITLE = `coalesce(nullif(o.title, ''), o.name)`;
const KINDS = hidden('$6', 'text[]');
/** Objects that the user `k` follows, by the read policies: mayReadDataset, mayReadGroup; everyone may read users. Nothing deleted. */
const FOLLOWED = `FROM (
    SELECT 'USER' AS kind, o.id, o.name, o.display_name AS "displayName", f.created_at AS "followedAt"
      FROM follower f JOIN user_account o ON o.id = f.object_id
      WHERE f.follower_id = k.id AND f.object_type = 'user' AND o.state <> 'deleted'
    UNION ALL SELECT 'DATASET', o.id, o.name, ${TITLE}, f.created_at FROM follower f JOIN dataset o ON o.id = f.object_id
      WHERE f.follower_id = k.id AND f.object_type = 'dataset' AND o.state <> 'deleted' AND ${readable('o', 1)}
    UNION ALL SELECT CASE WHEN o.is_organization THEN 'ORGANIZATION' ELSE 'GROUP' END, o.id, o.name, ${TITLE}, f.created_at
      FROM follower f JOIN group_account o ON o.id = f.object_id
      WHERE f.follower_id = k.id AND f.object_type = 'group' AND o.state <> 'deleted'
        AND ($1::boolean OR o.state = 'active' OR o.id = ANY ($3::text[]))) AS o
  WHERE (${KINDS} IS NULL OR kind = ANY (${KINDS}))`;
/** The planner expects few objects with a prefix, so a statement without one does not name it. */
const PREFIXED = {
  false: 'AND $7::text IS NULL',
  true: 'AND starts_with(lower("displayName" COLLATE "default"), lower($7))',
};
const KEYS: readonly SortKey[] = ['"displayName"', 'name', 'kind'].map((name) => ({
  sql: `${name} COLLATE "C"`,
  type: 'text',
}));

/** Objects that each of the users $5 follows. */
const followed = (
  name: string,
  { startsWith }: FolloweeChoice,
  parent: string,
  columns: string,
  page = '',
  end = '',
): Statement => ({
  name: `followee_${name}${startsWith === null ? '' : '_prefixed'}`,
  text: `SELECT k.id AS "${parent}", page.* FROM unnest(${hidden('$5', 'text[]')}) AS k(id) CROSS JOIN LATERAL (
    SELECT ${columns} ${FOLLOWED} ${PREFIXED[startsWith === null ? 'false' : 'true']} ${page}) AS page ${end}`,
});

/** One page of what each user follows (one more than its limit), or all; by display name, in reading order. */
export function pagesOfFollowees(
  sql: Sql,
  userIds: readonly string[],
  choice: FolloweeChoice,
  reader: Reader,
  page: Keyset = WHOLE,
): Promise<ListedFollowee[]> {
  const order = orderOf(KEYS, page);
  const rows = `AND ${beyond(KEYS, page, 9)} ORDER BY ${order} LIMIT $8::bigint`;
  const statement = followed(`pages_${formOf(page)}`, choice, 'userId', '*', rows, `ORDER BY k.id, ${order}`);
  return sql.rows(statement, [...valuesOf(userIds, choice, reader), page.limit + 1, ...(page.from ?? [])]);
}

/** Number of these objects, by user. */
export const countsOfFollowees = (
  sql: Sql,
  userIds: readonly string[],
  choice: FolloweeChoice,
  reader: Reader,
): Promise<Counted[]> =>
  sql.rows(followed('counts', choice, 'id', 'count(*)::int AS n'), valuesOf(userIds, choice, reader));

const valuesOf = (userIds: readonly string[], { kinds, startsWith }: FolloweeChoice, reader: Reader): unknown[] => [
  ...reader,
  userIds,
  kinds,
  startsWith,
];
