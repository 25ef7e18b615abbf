/**
 * Lists users, finds those of a login, and counts per user. In SQL because 1,000 users cost 9 ms of CPU, and 21 ms through Prisma. Prisma
 * cannot use the index on lower(email), or compare columns of two tables.
 */
import type { Counted } from '../../infra/postgres/by-keys.sql.ts';
import { columnsOf } from '../../infra/postgres/columns.ts';
import type { Sql, Statement } from '../../infra/postgres/db.ts';
import type { Key, Keyset } from '../../kernel/connection.ts';
import {
  beyond,
  formOf,
  keyColumn,
  keysIn,
  type Order,
  orderOf,
  type SortKey,
  startOf,
} from '../../kernel/keyset.sql.ts';
import { USER, type UserChoice, type UserRecord } from './user.store.ts';

/** Creators whose private datasets and drafts are counted; null means all. */
export type Everything = readonly string[] | null;

const usersWhere = (name: string, condition: string, more = ''): Statement => ({
  name: `users_${name}`,
  text: `SELECT ${columnsOf(USER)}${more} FROM user_account WHERE ${condition}`,
});

/** Users with a text in name, full name or, for some readers, e-mail address. */
const conditionOf = ({ sysadmin, deleted = false }: Pick<UserChoice, 'sysadmin' | 'deleted'>): string =>
  `state = '${deleted ? 'deleted' : 'active'}'${sysadmin === undefined ? '' : ` AND sysadmin = ${sysadmin}`}
  AND ($1::text IS NULL OR name ILIKE $1 OR full_name ILIKE $1 OR ($2::boolean AND email ILIKE $1))`;

const SHOWN = startOf('display_name');

/** Sort keys of the fields, in the direction of their indexes. */
export const USER_FIELDS = {
  NAME: [
    { sql: SHOWN, type: 'text' },
    { sql: 'name', type: 'text' },
  ],
  CREATED: [
    { sql: 'created_at', type: 'instant', descending: true },
    { sql: 'name', type: 'text' },
  ],
} satisfies Record<string, readonly SortKey[]>;

/** A user with the key of a list. */
export type ListedUser = UserRecord & { readonly key: Key };

const statements = {
  chosen: usersWhere('chosen', `${conditionOf({})} ORDER BY ${SHOWN}, name LIMIT $3`),
  login: {
    name: 'users_by_login',
    text: `SELECT id FROM user_account WHERE state = ANY ($2) AND (name = $1 OR lower(email) = lower($1) OR ($3::boolean AND id = $1))
      ORDER BY (name = $1 OR id = $1) DESC, created_at, id COLLATE "C" LIMIT $4::int`,
  },
  /**
   * Revisions per author. As older clients expect, creating or changing an account does not count, nor do vocabularies
   * and their tags, related items, ratings, translations and activities that programs write. Deleting an account
   * counts. So does, as recorded of `admin`, being created by the operator, who has no account.
   */
  edits: {
    name: 'user_edits',
    text: `SELECT r.author_id AS id, count(*)::int AS n FROM revision r
      WHERE r.author_id = ANY ($1) AND NOT EXISTS (SELECT FROM change c WHERE c.revision_id = r.id
        AND (c.object_type IN ('vocabulary', 'tag', 'related', 'rating', 'translation') OR c.action = 'noted'
          OR (c.object_type = 'user' AND c.action <> 'deleted'
            AND NOT (c.action = 'created' AND c.object_id = r.author_id AND c.detail @> '{"by": "operator"}')))) GROUP BY 1`,
  },
  datasets: {
    name: 'user_datasets',
    text: `SELECT creator_id AS id, count(*)::int AS n FROM dataset WHERE creator_id = ANY ($1) AND ((state = 'active' AND NOT private)
      OR (state IN ('active', 'draft') AND ($2::text[] IS NULL OR creator_id = ANY ($2)))) GROUP BY 1`,
  },
} satisfies Record<string, Statement>;

/** Active users with the text, by display name; a null limit returns all. */
export const listUsers = (sql: Sql, choice: UserChoice, limit: number | null = null): Promise<UserRecord[]> =>
  sql.rows(statements.chosen, [...chosen(choice), limit]);

/** A page of them, one more than its limit, in reading order. */
export function pageOfUsers(
  sql: Sql,
  choice: UserChoice,
  order: Order<keyof typeof USER_FIELDS>,
  page: Keyset,
): Promise<ListedUser[]> {
  const keys = keysIn(USER_FIELDS, order);
  const kind = `${choice.deleted ? '_deleted' : ''}${choice.sysadmin === undefined ? '' : `_sysadmin_${choice.sysadmin}`}`;
  const name = `page_${order.replace(' ', '_')}_${formOf(page)}${kind}`;
  const condition = `${conditionOf(choice)} AND ${beyond(keys, page, 4)} ORDER BY ${orderOf(keys, page)} LIMIT $3`;
  const values = [...chosen(choice), page.limit + 1, ...(page.from ?? [])];
  return sql.rows(usersWhere(name, condition, `, ${keyColumn(keys)}`), values);
}

const chosen = ({ text, byEmail }: UserChoice) => [text === null ? null : `%${text}%`, byEmail];

export interface Login {
  /** Name, e-mail address (ignoring case) or, with `byId`, id. */
  readonly login: string;
  readonly byId: boolean;
  readonly states: readonly string[];
}

/** Ids of up to `limit` users for a login: the one with that name or id first, then the oldest accounts with that e-mail address. */
export const idsByLogin = async (sql: Sql, { login, byId, states }: Login, limit: number): Promise<string[]> =>
  (await sql.rows<Pick<UserRecord, 'id'>>(statements.login, [login, states, byId, limit])).map(({ id }) => id);

/** Edits per user id; ids without any are omitted. */
export const editsOfUsers = (sql: Sql, ids: readonly string[]): Promise<Counted[]> => sql.rows(statements.edits, [ids]);

/** Counted datasets per creator; ids without any are omitted. */
export const datasetsOfUsers = (sql: Sql, ids: readonly string[], everything: Everything): Promise<Counted[]> =>
  sql.rows(statements.datasets, [ids, everything]);
