/**
 * Cache of frequently listed datasets, validated by row version. A list statement receives the cached versions and
 * returns only rows with another version. Readers therefore see the table's content, and unchanged documents are
 * neither sent nor parsed. A dataset is cached on its second read, so that one walk of the catalog does not fill the
 * cache. Single reads bypass the cache: comparing one version costs PostgreSQL as much as sending the document.
 */

import { createLru, type Lru } from '../../infra/concurrency/lru.ts';
import type { Sql } from '../../infra/postgres/db.ts';
import { BySql } from '../../infra/postgres/traced.ts';
import { DatasetRecord, type DocumentRow } from './record.ts';

/** A dataset and the version of its row. */
export interface Stamped {
  readonly stamp: string;
  readonly record: DatasetRecord;
}

/** A row of columnsUnless: every column except the id is null if the row has the cached version. */
export interface StampedRow extends DocumentRow {
  readonly stamp: string | null;
  readonly document: string;
}

/** Capacity in characters of cached documents; parsed ones take about five times as many bytes. */
const CAPACITY = 8 * 1024 * 1024;
/** Longer documents are not cached: one would displace many that are read as often. */
const MAX_LENGTH = 16 * 1024;
/** Capacity of remembered versions of shown datasets, and of ids in pages. */
const MAX_SEEN = 20_000;
const LENGTH_OF_ID = 36;

const COLUMNS = [
  'name',
  'state',
  'private',
  'owner_organization_id',
  'creator_id',
  'version',
  'linked',
  'document',
] as const;

/**
 * PostgreSQL's version (xmin, ctid) of a dataset_document row with the alias `alias`. Every writer's change moves the
 * row and so alters it.
 */
export const stampOf = (alias: string): string => `${alias}.xmin::text || ' ' || ${alias}.ctid::text`;

/** A dataset's columns, null (except the id) unless `isOther`, and the row version as the column `stamp`. */
export const columnsUnless = (alias: string, isOther: string, stamp: string): string =>
  [
    `${alias}.dataset_id`,
    ...COLUMNS.map((name) => `CASE WHEN ${isOther} THEN ${alias}.${name} END AS ${name}`),
    `CASE WHEN ${isOther} THEN ${stamp} END AS stamp`,
  ].join(', ');

class DatasetCache {
  readonly #cached: Lru<Stamped> = createLru(CAPACITY, 'datasets');
  /** Id → row version. */
  readonly #met: Lru<string> = createLru(MAX_SEEN);
  /** Request key → ids that were found. */
  readonly #found: Lru<readonly string[]> = createLru(MAX_SEEN);

  /** Cached datasets of the previous answer to this request, by id, to pass to the statement. */
  before(requestKey: string): Map<string, Stamped> {
    const known = new Map<string, Stamped>();
    for (const id of this.#found.get(requestKey) ?? []) {
      const cached = this.#cached.get(id);
      if (cached) known.set(id, cached);
    }
    return known;
  }

  /** Datasets of the rows that were found. `known`: the cached datasets that the statement received, unaffected by later evictions. */
  found(requestKey: string, rows: readonly StampedRow[], known: ReadonlyMap<string, Stamped>): DatasetRecord[] {
    if (rows.some(({ dataset_id: id }) => !known.has(id))) {
      const ids = [...new Set(rows.map(({ dataset_id: id }) => id))];
      this.#found.set(requestKey, ids, ids.length + Math.ceil(requestKey.length / LENGTH_OF_ID));
    }
    return rows.map((row) => this.#shown(row, known.get(row.dataset_id)));
  }

  #shown(row: StampedRow, known: Stamped | undefined): DatasetRecord {
    const { dataset_id: id, stamp, document } = row;
    if (stamp === null) return known!.record;
    const record = new DatasetRecord(row);
    const isMet = this.#met.get(id) === stamp;
    this.#met.set(id, stamp);
    if (isMet && document.length <= MAX_LENGTH) this.#cached.set(id, { stamp, record }, document.length);
    return record;
  }
}

const caches = new BySql<DatasetCache>();

/** The cache of a database. A transaction has its own, because its rows may be rolled back. */
export function datasetCache(sql: Sql): DatasetCache {
  let cached = caches.get(sql);
  if (!cached) caches.set(sql, (cached = new DatasetCache()));
  return cached;
}
