/**
 * Reads what Solr must index since a position. In SQL because Prisma has neither transaction numbers (xid8) nor advisory locks: the
 * search index on PostgreSQL is the log of changes.
 */
import type { Sql, Statement } from '../../infra/postgres/db.ts';
import { GENERATION } from '../postgres/facets.sql.ts';
import type { IndexRow } from './document.ts';

/** Any number that nobody else uses. */
const LOCK = '7356110984';

const statements = {
  lock: { name: 'solr_feed_lock', text: `SELECT pg_try_advisory_lock(${LOCK}) AS mine` },
  waitForLock: { name: 'solr_feed_wait', text: `SELECT pg_advisory_lock(${LOCK})` },
  unlock: { name: 'solr_feed_unlock', text: `SELECT pg_advisory_unlock(${LOCK})` },
  // Numbers of transactions begin anew in a database that was restored elsewhere: its oid tells.
  head: {
    name: 'solr_feed_head',
    text: `SELECT (SELECT oid FROM pg_database WHERE datname = current_database()) || ' ' || ${GENERATION} AS generation,
      pg_snapshot_xmin(pg_current_snapshot())::text AS settled`,
  },
  written: {
    name: 'solr_feed_written',
    text: `SELECT number, written::text AS written FROM dataset_search
      WHERE written >= $1::xid8 AND (written, number) > ($1::xid8, $2::int) ORDER BY dataset_search.written, number LIMIT $3`,
  },
  rows: {
    name: 'solr_feed_rows',
    text: `SELECT s.dataset_id AS id, s.number, s.written::text AS written, s.state, s.private, s.owner_organization_id, s.creator_id,
        s.name, s.title, s.created_at, s.modified_at, s.resource_count, s.tag_count, s.length_factor, s.words::text AS words, s.field_words::text AS field_words,
        COALESCE((SELECT json_agg(json_build_array(k.field, k.value)) FROM search_value k WHERE k.code = ANY (s.facets)), '[]') AS values,
        CASE WHEN s.state <> 'purged' THEN d.document END AS document
      FROM dataset_search s LEFT JOIN dataset_document d ON d.dataset_id = s.dataset_id WHERE s.number = ANY ($1)`,
  },
  waiting: {
    name: 'solr_feed_waiting',
    text: 'SELECT count(*)::int AS count FROM dataset_search WHERE written >= $1::xid8',
  },
  numbered: {
    name: 'solr_feed_numbered',
    text: `SELECT dataset_id AS id, number, written::text AS written FROM dataset_search WHERE number > $1 AND state <> 'purged' ORDER BY number LIMIT $2`,
  },
} satisfies Record<string, Statement>;

/** Where the database is. */
export interface Head {
  /** Tells one filling of the tables from another. */
  readonly generation: string;
  /** What older transactions than this one wrote is all there. */
  readonly settled: string;
}

export interface WrittenRow {
  readonly number: number;
  readonly written: string;
}

/** One process feeds at a time. The lock belongs to the connection. */
export const tryLock = async (sql: Sql): Promise<boolean> =>
  (await sql.rows<{ mine: boolean }>(statements.lock))[0]!.mine;
export const waitForLock = async (sql: Sql): Promise<void> => void (await sql.rows(statements.waitForLock));
export const unlock = async (sql: Sql): Promise<void> => void (await sql.rows(statements.unlock));

export const readHead = async (sql: Sql): Promise<Head> => (await sql.rows<Head>(statements.head))[0]!;

/** What was written by this transaction (behind this number) or by later ones, in order. */
export const listWritten = (sql: Sql, since: string, number: number, limit: number): Promise<WrittenRow[]> =>
  sql.rows<WrittenRow>(statements.written, [since, number, limit]);

export const readRows = (sql: Sql, numbers: readonly number[]): Promise<IndexRow[]> =>
  sql.rows<IndexRow>(statements.rows, [numbers]);

export const countWaiting = async (sql: Sql, since: string): Promise<number> =>
  (await sql.rows<{ count: number }>(statements.waiting, [since]))[0]!.count;

export const listNumbered = (sql: Sql, after: number, limit: number): Promise<(WrittenRow & { id: string })[]> =>
  sql.rows(statements.numbered, [after, limit]);
