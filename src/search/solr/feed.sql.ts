/**
 * Reads what Solr must index since a position. In SQL because Prisma has no transaction numbers (xid8) and no advisory locks: the search
 * index on PostgreSQL is the log of changes.
 */
import { firstValue, type RowOf, type Sql, type Statement } from '../../infra/postgres/db.ts';
import { GENERATION } from '../postgres/facets.sql.ts';
import { VIEWS, viewsOf } from '../postgres/writing.ts';
import type { IndexRow } from './document.ts';

/** An arbitrary unique number. */
const LOCK = '7356110984';

const lock = (step: 'try_advisory_lock' | 'advisory_lock' | 'advisory_unlock'): Statement => ({
  name: `solr_feed_${step}`,
  text: `SELECT pg_${step}(${LOCK})::text AS done`,
});

const written = (name: string, which: string): Statement => ({
  name: `solr_feed_${name}`,
  text: `SELECT dataset_id AS id, number, written::text AS written FROM dataset_search WHERE ${which}`,
});

const statements = {
  // Transaction numbers restart in a restored database, which has another oid.
  head: {
    name: 'solr_feed_head',
    text: `SELECT (SELECT oid FROM pg_database WHERE datname = current_database()) || ' ' || ${GENERATION} AS generation,
      pg_snapshot_xmin(pg_current_snapshot())::text AS settled`,
  },
  written: written(
    'written',
    'written >= $1::xid8 AND (written, number) > ($1::xid8, $2::int) ORDER BY dataset_search.written, number LIMIT $3',
  ),
  rows: {
    name: 'solr_feed_rows',
    text: `SELECT s.dataset_id AS id, s.number, s.written::text AS written, s.state, s.private, s.owner_organization_id, s.creator_id,
        s.name, s.title, s.created_at, s.modified_at, s.resource_count, s.tag_count, ${viewsOf('total')} AS views_total, ${viewsOf('recent')} AS views_recent, s.length_factor, s.words::text AS words, s.field_words::text AS field_words,
        COALESCE((SELECT json_agg(json_build_array(k.field, k.value)) FROM search_value k WHERE k.code = ANY (s.facets)), '[]') AS values,
        CASE WHEN s.state <> 'purged' THEN d.document END AS document
      FROM dataset_search s LEFT JOIN dataset_document d ON d.dataset_id = s.dataset_id ${VIEWS} WHERE s.number = ANY ($1)`,
  },
  waiting: {
    name: 'solr_feed_waiting',
    text: 'SELECT count(*)::int AS count FROM dataset_search WHERE written >= $1::xid8',
  },
  numbered: written('numbered', `number > $1 AND state <> 'purged' ORDER BY number LIMIT $2`),
} satisfies Record<string, Statement>;

/** The current position of the database. */
export interface Head {
  /** Identifies the contents of the tables. */
  readonly generation: string;
  /** All writes of transactions older than this one are visible. */
  readonly settled: string;
}

export type WrittenRow = RowOf<'DatasetSearch', 'number'> & { readonly written: string };

/** Only one process feeds at a time. The connection owns the lock. */
export const tryLock = async (sql: Sql): Promise<boolean> =>
  (await firstValue(sql, lock('try_advisory_lock'))) === 'true';
export const waitForLock = async (sql: Sql): Promise<void> => void (await sql.rows(lock('advisory_lock')));
export const unlock = async (sql: Sql): Promise<void> => void (await sql.rows(lock('advisory_unlock')));

export const readHead = async (sql: Sql): Promise<Head> => (await sql.rows<Head>(statements.head))[0]!;

/** Rows written by this transaction (after this number) or by later ones, in order. */
export const listWritten = (sql: Sql, since: string, number: number, limit: number): Promise<WrittenRow[]> =>
  sql.rows<WrittenRow>(statements.written, [since, number, limit]);

export const readRows = (sql: Sql, numbers: readonly number[]): Promise<IndexRow[]> =>
  sql.rows<IndexRow>(statements.rows, [numbers]);

export const countWaiting = (sql: Sql, since: string): Promise<number> => firstValue(sql, statements.waiting, [since]);

export const listNumbered = (sql: Sql, after: number, limit: number): Promise<(WrittenRow & { id: string })[]> =>
  sql.rows(statements.numbered, [after, limit]);
