/**
 * Locks, logins, and counts per user. In SQL because Prisma has no FOR UPDATE, does not use the index on lower(email), compares no columns
 * of two tables, and binds each id of a list.
 */
import type { Sql, Statement } from '../../infra/postgres/db.ts';

/** Whose private datasets and drafts are counted; null stands for everybody's. */
export type Everything = readonly string[] | null;

const statements = {
  lock: {
    name: 'user_lock',
    text: 'SELECT id FROM user_account WHERE id = $1 OR name = $1 ORDER BY (id = $1) DESC LIMIT 1 FOR UPDATE',
  },
  login: {
    name: 'users_by_login',
    text: `SELECT id FROM user_account WHERE state = ANY ($2) AND (name = $1 OR lower(email) = lower($1) OR ($3::boolean AND id = $1))
      ORDER BY (name = $1 OR id = $1) DESC, created_at, id COLLATE "C" LIMIT $4::int`,
  },
  /**
   * Revisions per author. As older clients know the number, creating or changing an account does not count, nor do vocabularies and
   * their tags, related items, ratings, translations and activities that programs write. Deleting an account counts. So does, as
   * recorded of `admin`, being created by the operator, who has no account to count it for.
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

/** Locks a user by id or name, an id wins, until the transaction ends. Returns the id; null if there is none. */
export const lockUserRow = async (sql: Sql, idOrName: string): Promise<string | null> =>
  (await sql.rows<{ id: string }>(statements.lock, [idOrName]))[0]?.id ?? null;

export interface Login {
  /** Name, e-mail address in any case or, with `byId`, id. */
  readonly login: string;
  readonly byId: boolean;
  readonly states: readonly string[];
}

/** Ids of up to `limit` users with a login: the one with that name or id first, then the oldest accounts with that e-mail address. */
export const idsByLogin = async (sql: Sql, { login, byId, states }: Login, limit: number): Promise<string[]> =>
  (await sql.rows<{ id: string }>(statements.login, [login, states, byId, limit])).map(({ id }) => id);

/** Edits per user id; ids without any are left out. */
export const editsOfUsers = async (sql: Sql, ids: readonly string[]): Promise<Map<string, number>> =>
  toMap(await sql.rows(statements.edits, [ids]));

/** Counted datasets per creator; ids without any are left out. */
export const datasetsOfUsers = async (
  sql: Sql,
  ids: readonly string[],
  everything: Everything,
): Promise<Map<string, number>> => toMap(await sql.rows(statements.datasets, [ids, everything]));

const toMap = (rows: readonly { id: string; n: number }[]): Map<string, number> =>
  new Map(rows.map(({ id, n }) => [id, n]));
