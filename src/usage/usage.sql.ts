/**
 * Reads uses. In SQL because Prisma has no array_agg(), and cannot sort by a difference: one statement reads the days of many objects, and
 * one ranks datasets that the caller may read.
 */
import { readable } from '../catalog/document/readable.ts';
import { hidden } from '../infra/postgres/columns.ts';
import type { Sql, Statement } from '../infra/postgres/db.ts';

/** Days as numbers since 1970, which need no parsing. */
const days = (
  key: string,
  from: string,
): string => `SELECT ${key} AS id, kind, array_agg(day - date '1970-01-01' ORDER BY day) AS days,
  array_agg(count::float8 ORDER BY day) AS counts FROM ${from} GROUP BY 1, 2`;

const BETWEEN = 'day >= $2::date AND day < $3::date';

const top = (order: string, where: string): Statement => ({
  text: `SELECT u.dataset_id AS id, u.total::float8 AS total, u.recent::float8 AS recent, u.before::float8 AS before
    FROM usage_total u JOIN dataset_document d ON d.dataset_id = u.dataset_id
    WHERE u.resource_id = '' AND u.kind = $1 AND ${where} AND d.state = 'active' AND ($3::text IS NULL OR d.owner_organization_id = $3) AND ${readable('d', 4)}
    ORDER BY ${order} DESC, u.dataset_id LIMIT $2`,
});

const IDS = hidden('$1', 'text[]');

/** Sums with whether any counts are not in them yet: one row at least, with a null id if there are none. */
const totals = (of: 'dataset' | 'resource', from: string): Statement => ({
  name: `usage_totals_${of}`,
  isShort: true,
  text: `SELECT b.is_late AS "isLate", u.${of}_id AS id, u.kind, u.total::float8 AS total, u.recent::float8 AS recent, u.before::float8 AS before
    FROM (SELECT EXISTS (SELECT FROM usage_batch) AS is_late) b LEFT JOIN (${from}) u ON true`,
});

const statements = {
  datasets: {
    text: days('dataset_id', `usage_day WHERE dataset_id = ANY ($1) AND resource_id = '' AND ${BETWEEN}`),
  },
  resources: {
    text: days(
      'resource_id',
      `usage_day WHERE (dataset_id, resource_id) IN (SELECT dataset_id, id FROM resource WHERE id = ANY ($1)) AND ${BETWEEN}`,
    ),
  },
  organizations: {
    text: days(
      'organization_id',
      `(SELECT organization_id, kind, day, sum(count) AS count FROM usage_scope
        WHERE scope = ANY ($4) AND organization_id = ANY ($1) AND ${BETWEEN} GROUP BY 1, 2, 3) s`,
    ),
  },
  totalsOfDatasets: totals('dataset', `SELECT * FROM usage_total WHERE dataset_id = ANY (${IDS}) AND resource_id = ''`),
  totalsOfResources: totals(
    'resource',
    `SELECT t.* FROM resource r JOIN usage_total t ON (t.dataset_id, t.resource_id) = (r.dataset_id, r.id) WHERE r.id = ANY (${IDS})`,
  ),
  recent: top('u.recent', 'u.recent > 0'),
  total: top('u.total', 'u.total > 0'),
  rising: top('u.recent - u.before', 'u.recent > 0 AND u.recent > u.before'),
  searches: {
    text: `SELECT words, sum(count)::float8 AS count FROM usage_search WHERE day >= $1::date AND day < $2::date
      GROUP BY words HAVING sum(count) > 1 ORDER BY 2 DESC, 1 LIMIT $3`,
  },
} satisfies Record<string, Statement>;

/** Uses of one kind of one object. */
export interface DaysRow {
  readonly id: string;
  readonly kind: number;
  /** Days with uses, in days since 1970, ascending. */
  readonly days: readonly number[];
  readonly counts: readonly number[];
}

export type Of = 'datasets' | 'resources' | 'organizations';

/** Uses of objects per day, from the day `from` until before the day `to`. Organizations: `''` is the catalog. */
export const daysOf = (
  sql: Sql,
  of: Of,
  ids: readonly string[],
  { from, to, scopes }: { from: string; to: string; scopes: readonly string[] },
): Promise<DaysRow[]> => sql.rows(statements[of], of === 'organizations' ? [ids, from, to, scopes] : [ids, from, to]);

export interface Figures {
  readonly total: number;
  readonly recent: number;
  readonly before: number;
}

interface TotalsRow extends Figures {
  readonly id: string;
  readonly kind: number;
}

export interface FoundTotals {
  readonly rows: readonly TotalsRow[];
  /** Whether the sums lack some counts. */
  readonly isLate: boolean;
}

/** Sums of uses of objects, by kind. */
export async function totalsOf(sql: Sql, of: 'datasets' | 'resources', ids: readonly string[]): Promise<FoundTotals> {
  const statement = of === 'datasets' ? statements.totalsOfDatasets : statements.totalsOfResources;
  const rows = await sql.rows<TotalsRow & { readonly isLate: boolean }>(statement, [ids]);
  return { rows: rows.filter(({ id }) => id !== null), isLate: rows.some(({ isLate }) => isLate) };
}

export interface TopChoice {
  readonly kind: number;
  readonly limit: number;
  /** Id of the owner; null for any. */
  readonly organization: string | null;
  /** Values of readerOf. */
  readonly reader: readonly unknown[];
}

/** Ids of the most used datasets with their sums. */
export const topDatasets = (
  sql: Sql,
  by: 'recent' | 'total' | 'rising',
  { kind, limit, organization, reader }: TopChoice,
): Promise<(Figures & { id: string })[]> => sql.rows(statements[by], [kind, limit, organization, ...reader]);

/** Words of searches without a result that occurred more than once, the most frequent first. */
export const listEmptySearches = (
  sql: Sql,
  from: string,
  to: string,
  limit: number,
): Promise<{ words: string; count: number }[]> => sql.rows(statements.searches, [from, to, limit]);
