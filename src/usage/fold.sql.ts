/**
 * Stores counted uses and sums them. In SQL because Prisma has no CTE that deletes and returns: sums change by set, in the statement that
 * removes the batches. `fold` adds up to 100 batches, `roll` moves the recent numbers to another day. Call both under lockUsage.
 */
import { firstValue, type Sql, type Statement } from '../infra/postgres/db.ts';
import { lockAlone } from '../infra/postgres/transaction-lock.sql.ts';
import { RECENT_DAYS, USE } from '../kernel/usage.ts';
import { scopeOf, scopesOf } from '../statistics/facts.sql.ts';
import type { Batch } from './counter.ts';

/** Maximum number of batches in one transaction. */
export const FOLD_AT_ONCE = 100;
/** Maximum distinct words of empty searches per day. */
const MAX_SEARCHES = 1_000;
/** Days for which words that occurred once are stored. */
const MAX_SINGLE_DAYS = 30;
/** Maximum documents that Solr indexes again at a time. */
const MAX_INDEXED = 1_000;

/** Sums of days in the recent window up to $1, and in the one before. */
const WINDOWS = `coalesce(sum(count) FILTER (WHERE day > $1::date - ${RECENT_DAYS} AND day <= $1::date), 0) AS recent,
  coalesce(sum(count) FILTER (WHERE day > $1::date - ${2 * RECENT_DAYS} AND day <= $1::date - ${RECENT_DAYS}), 0) AS before`;

/** Adds `used` (object, kind, day, count) to all tables. $1 is the day of the recent numbers. */
const ADDED = `parts AS MATERIALIZED (
    SELECT d.id AS dataset_id, '' AS resource_id, u.kind, u.day, u.count FROM used u JOIN dataset d ON d.id = substr(u.object, 2) WHERE left(u.object, 1) = 'd'
    UNION ALL SELECT r.dataset_id, r.id, u.kind, u.day, u.count FROM used u JOIN resource r ON r.id = substr(u.object, 2) WHERE left(u.object, 1) = 'r'),
  summed AS MATERIALIZED (SELECT dataset_id, resource_id, kind, day, sum(count)::bigint AS count FROM (SELECT * FROM parts
    UNION ALL SELECT dataset_id, '', kind, day, count FROM parts WHERE resource_id <> '') p GROUP BY 1, 2, 3, 4),
  days AS (INSERT INTO usage_day AS o (dataset_id, resource_id, kind, day, count) SELECT * FROM summed
    ON CONFLICT (dataset_id, resource_id, kind, day) DO UPDATE SET count = o.count + EXCLUDED.count),
  totals AS (INSERT INTO usage_total AS o (dataset_id, resource_id, kind, total, recent, before, indexed)
    SELECT dataset_id, resource_id, kind, sum(count), ${WINDOWS}, false FROM summed GROUP BY 1, 2, 3
    ON CONFLICT (dataset_id, resource_id, kind) DO UPDATE SET total = o.total + EXCLUDED.total, recent = o.recent + EXCLUDED.recent,
      before = o.before + EXCLUDED.before, indexed = false),
  scoped AS (SELECT x.scope, y.organization_id, s.kind, s.day, s.count FROM summed s JOIN dataset d ON d.id = s.dataset_id
      CROSS JOIN LATERAL ${scopesOf(scopeOf('d'))} x(scope)
      CROSS JOIN LATERAL (SELECT '' UNION SELECT d.owner_organization_id WHERE d.owner_organization_id IS NOT NULL) y(organization_id)
      WHERE s.resource_id = ''
    UNION ALL SELECT x.scope, '', u.kind, u.day, u.count FROM used u CROSS JOIN (VALUES ('public'), ('all')) x(scope) WHERE u.object = ''),
  scopes AS (INSERT INTO usage_scope AS o (scope, organization_id, kind, day, count)
    SELECT scope, organization_id, kind, day, sum(count) FROM scoped GROUP BY 1, 2, 3, 4
    ON CONFLICT (scope, organization_id, kind, day) DO UPDATE SET count = o.count + EXCLUDED.count)`;

const statements = {
  add: {
    text: `INSERT INTO usage_batch (id, day, objects, kinds, counts) VALUES ($1, $2::date, $3::text[], $4::smallint[], $5::integer[])
      ON CONFLICT (id) DO NOTHING`,
  },
  any: { text: 'SELECT EXISTS (SELECT 1 FROM usage_batch) AS any' },
  day: {
    text: 'SELECT (SELECT day::text FROM usage_cursor) AS day',
  },
  fold: {
    text: `WITH taken AS (DELETE FROM usage_batch WHERE id IN (SELECT id FROM usage_batch ORDER BY day, id LIMIT ${FOLD_AT_ONCE})
        RETURNING day, objects, kinds, counts),
      used AS MATERIALIZED (SELECT u.object, u.kind, t.day, sum(u.count)::bigint AS count
        FROM taken t CROSS JOIN LATERAL unnest(t.objects, t.kinds, t.counts) u(object, kind, count) GROUP BY 1, 2, 3),
      ${ADDED},
      known AS (SELECT day, count(*) AS words FROM usage_search WHERE day IN (SELECT day FROM used WHERE left(object, 1) = 'w') GROUP BY 1),
      ranked AS (SELECT u.day, substr(u.object, 2) AS words, u.count,
          row_number() OVER (PARTITION BY u.day, s.words IS NULL ORDER BY u.count DESC, u.object) AS place, s.words IS NOT NULL AS is_known
        FROM used u LEFT JOIN usage_search s ON s.day = u.day AND s.words = substr(u.object, 2) COLLATE "C" WHERE left(u.object, 1) = 'w'),
      searches AS (INSERT INTO usage_search AS o (day, words, count)
        SELECT r.day, r.words, r.count FROM ranked r LEFT JOIN known k ON k.day = r.day
        WHERE r.is_known OR r.place + coalesce(k.words, 0) <= ${MAX_SEARCHES}
        ON CONFLICT (day, words) DO UPDATE SET count = o.count + EXCLUDED.count)
      SELECT count(*)::int AS count FROM taken`,
  },
  // Counts of another catalog ($2, as JSON).
  imported: {
    text: `WITH given AS (SELECT * FROM jsonb_to_recordset($2::jsonb) AS g(type text, key text, kind smallint, day date, count bigint)),
      located AS (SELECT 'd' || d.id AS object, d.id AS dataset_id, '' AS resource_id, g.kind, g.day, g.count FROM given g JOIN dataset d ON d.id = g.key WHERE g.type = 'd'
        UNION ALL SELECT 'r' || r.id, r.dataset_id, r.id, g.kind, g.day, g.count FROM given g JOIN resource r ON r.id = g.key WHERE g.type = 'r'
        UNION ALL SELECT 'r' || r.id, r.dataset_id, r.id, g.kind, g.day, g.count FROM given g JOIN resource r ON r.url = g.key WHERE g.type = 'u'),
      used AS MATERIALIZED (SELECT l.object, l.kind, l.day, (sum(l.count) - coalesce(max(o.count), 0))::bigint AS count
        FROM located l LEFT JOIN usage_day o USING (dataset_id, resource_id, kind, day)
        GROUP BY 1, 2, 3 HAVING sum(l.count) > coalesce(max(o.count), 0)),
      ${ADDED}
      SELECT count(*)::int AS count FROM (SELECT DISTINCT object, day FROM located) k`,
  },
  roll: {
    text: `WITH sums AS MATERIALIZED (SELECT dataset_id, resource_id, kind, ${WINDOWS}
        FROM usage_day WHERE day > $1::date - ${2 * RECENT_DAYS} AND day <= $1::date GROUP BY 1, 2, 3),
      moved AS (UPDATE usage_total u SET recent = n.recent, before = n.before, indexed = u.indexed AND u.recent = n.recent
        FROM (SELECT o.dataset_id, o.resource_id, o.kind, coalesce(s.recent, 0) AS recent, coalesce(s.before, 0) AS before
          FROM usage_total o LEFT JOIN sums s USING (dataset_id, resource_id, kind)) n
        WHERE (u.dataset_id, u.resource_id, u.kind) = (n.dataset_id, n.resource_id, n.kind)
          AND (u.recent, u.before) IS DISTINCT FROM (n.recent, n.before))
      INSERT INTO usage_cursor (id, day) VALUES (1, $1::date) ON CONFLICT (id) DO UPDATE SET day = EXCLUDED.day`,
  },
  merge: {
    text: `WITH old AS (DELETE FROM usage_day WHERE day < date_trunc('month', $1::timestamp)::date AND day <> date_trunc('month', day::timestamp)::date
        RETURNING dataset_id, resource_id, kind, date_trunc('month', day::timestamp)::date AS day, count)
      INSERT INTO usage_day AS o (dataset_id, resource_id, kind, day, count)
      SELECT dataset_id, resource_id, kind, day, sum(count) FROM old GROUP BY 1, 2, 3, 4
      ON CONFLICT (dataset_id, resource_id, kind, day) DO UPDATE SET count = o.count + EXCLUDED.count`,
  },
  // Words that occurred once are not shown, and may be those of a person.
  forget: {
    text: `DELETE FROM usage_search s WHERE day < $1::date OR (day < $2::date - ${MAX_SINGLE_DAYS} AND count < 2
        AND NOT EXISTS (SELECT FROM usage_search o WHERE o.words = s.words AND o.day <> s.day))`,
  },
  // The index row is the log that Solr follows.
  index: {
    text: `WITH changed AS MATERIALIZED (SELECT dataset_id, resource_id, kind FROM usage_total
        WHERE NOT indexed AND resource_id = '' AND kind = ${USE.view} ORDER BY recent DESC LIMIT ${MAX_INDEXED}),
      noted AS (UPDATE usage_total u SET indexed = true FROM changed c
        WHERE (u.dataset_id, u.resource_id, u.kind) = (c.dataset_id, c.resource_id, c.kind))
      UPDATE dataset_search s SET written = pg_current_xact_id() FROM changed c WHERE s.dataset_id = c.dataset_id AND s.state <> 'purged'`,
  },
} satisfies Record<string, Statement>;

/** Stores a batch. A batch that is stored already is ignored. */
export const addBatch = async (sql: Sql, { id, day, objects, kinds, counts }: Batch): Promise<void> =>
  void (await sql.rows(statements.add, [id, day, objects, kinds, counts]));

/** Whether any stored batch is not summed yet. */
export const isAnyBatch = (sql: Sql): Promise<boolean> => firstValue(sql, statements.any);

/** Locks the sums until the end of the transaction. */
export const lockUsage = (sql: Sql): Promise<void> => lockAlone(sql, 'usage');

/** The day of the recent numbers; null before the first one. */
export const dayOfCursor = (sql: Sql): Promise<string | null> => firstValue(sql, statements.day);

/** Sums the next batches; how many. */
export const foldBatches = (sql: Sql, day: string): Promise<number> => firstValue(sql, statements.fold, [day]);

/** A count of another catalog. Types of keys: d dataset id, r resource id, u URL of resources. */
export interface Imported {
  readonly type: 'd' | 'r' | 'u';
  readonly key: string;
  readonly kind: number;
  readonly day: string;
  readonly count: number;
}

/** Raises the counts of days to those of another catalog; how many days of known objects there were. */
export const raiseDays = (sql: Sql, day: string, counts: readonly Imported[]): Promise<number> =>
  firstValue(sql, statements.imported, [day, JSON.stringify(counts)]);

/** Moves the recent numbers to a day. */
export const rollTo = async (sql: Sql, day: string): Promise<void> => void (await sql.rows(statements.roll, [day]));

/** Merges days of months before this day, and removes words of searches that are older, or that occurred once. */
export async function mergeBefore(sql: Sql, day: string, today: string): Promise<void> {
  await sql.rows(statements.merge, [day]);
  await sql.rows(statements.forget, [day, today]);
}

/** Lets Solr index the datasets again whose views changed, a bounded number at a time. */
export const indexChanged = async (sql: Sql): Promise<void> => void (await sql.rows(statements.index));
