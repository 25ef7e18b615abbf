/** Reads sums of scores. In SQL because Prisma cannot sum items of lists, or read the last row before each of several days. */
import { firstValue, type Sql } from '../infra/postgres/db.ts';
import type { SumsRow } from './score.sql.ts';

/** Sums of these scopes and owners. */
export const sumsOfOwners = (sql: Sql, scopes: readonly string[], owners: readonly string[]): Promise<SumsRow[]> =>
  sql.rows(
    {
      text: `SELECT c.scope, c.owner, array_to_json(c.sums) AS sums FROM quality_count c
        WHERE c.scope = ANY ($1::text[]) AND c.owner = ANY ($2::text[])`,
    },
    [scopes, owners],
  );

/** Mean of an organization. */
export interface MeanRow {
  readonly id: string;
  readonly datasets: number;
  readonly points: number;
}

/** Organizations by the mean of their datasets in these scopes. */
export const meansOfOwners = (
  sql: Sql,
  scopes: readonly string[],
  isBestFirst: boolean,
  limit: number,
): Promise<MeanRow[]> =>
  sql.rows(
    {
      text: `SELECT g.id, sum(c.sums[1])::float8 AS datasets, sum(c.sums[2])::float8 AS points
        FROM quality_count c JOIN group_account g ON g.id = c.owner AND g.state = 'active'
        WHERE c.scope = ANY ($1::text[]) GROUP BY g.id, g.name HAVING sum(c.sums[1]) > 0
        ORDER BY sum(c.sums[2]) / sum(c.sums[1]) ${isBestFirst ? 'DESC' : 'ASC'}, g.name COLLATE "C" LIMIT $2`,
    },
    [scopes, limit],
  );

/** Number of organizations with scores in these scopes. */
export const countOwners = (sql: Sql, scopes: readonly string[]): Promise<number> =>
  firstValue(
    sql,
    {
      text: `SELECT count(DISTINCT g.id)::float8 AS count FROM quality_count c
        JOIN group_account g ON g.id = c.owner AND g.state = 'active' WHERE c.scope = ANY ($1::text[]) AND c.sums[1] > 0`,
    },
    [scopes],
  );

/** Sums before a day. */
export interface PastRow {
  readonly owner: string;
  /** Place of the day, from 1. */
  readonly n: number;
  readonly sums: readonly number[];
}

/** An owner, and days (`YYYY-MM-DD`). */
export interface OwnerDays {
  readonly id: string;
  readonly days: readonly string[];
}

/** Sums of owners before each of these days, in each scope that has some. */
export const sumsBefore = (
  sql: Sql,
  scopes: readonly string[],
  owners: readonly string[],
  days: readonly string[],
): Promise<PastRow[]> =>
  sql.rows(
    {
      text: `SELECT s.owner, e.n::int AS n, array_to_json(p.sums) AS sums
        FROM (SELECT DISTINCT scope, owner FROM quality_day WHERE scope = ANY ($1::text[]) AND owner = ANY ($2::text[])) s
        CROSS JOIN unnest($3::date[]) WITH ORDINALITY AS e(day, n)
        CROSS JOIN LATERAL (SELECT d.sums FROM quality_day d WHERE d.scope = s.scope AND d.owner = s.owner AND d.day < e.day
          ORDER BY d.day DESC LIMIT 1) p`,
    },
    [scopes, owners, days],
  );
