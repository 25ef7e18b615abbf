/**
 * Datasets that lists show again and again, kept as they were read, each with the stamp of its row. Who reads a list tells the
 * statement the stamps that are kept, and it brings only what has another by now: what is shown is what the table holds, and an
 * unchanged document is neither sent nor parsed. Nothing is kept at the first time: who reads the whole catalog once leaves nothing
 * behind. Single reads know no stamp: to compare one costs PostgreSQL as much as sending the document.
 */

import { createLru, type Lru } from '../../infra/concurrency/lru.ts';
import type { Sql } from '../../infra/postgres/db.ts';
import { DatasetRecord, type DocumentRow } from './record.ts';

/** A dataset and the stamp of the row that it was read from. */
export interface Stamped {
  readonly stamp: string;
  readonly record: DatasetRecord;
}

/** A row of columnsUnless: all but the id is null where it has the stamp that was told. */
export interface StampedRow extends DocumentRow {
  readonly stamp: string | null;
  readonly document: string;
}

/** Characters of the documents that are kept; parsed ones take about five times as many bytes. */
const ROOM = 8 * 1024 * 1024;
/** Longer ones are not kept: one would take the place of many that are asked for as often. */
const MAX_LENGTH = 16 * 1024;
/** Stamps of datasets that were shown once at least, and ids in pages. */
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

/** The stamp of a row of dataset_document, which is called `alias`: no change leaves the row where it was, written by whom it was. */
export const stampOf = (alias: string): string => `${alias}.xmin::text || ' ' || ${alias}.ctid::text`;

/** A dataset's columns, but for the id null unless `isOther`, and the stamp of the row that they are read from, which is called `stamp`. */
export const columnsUnless = (alias: string, isOther: string, stamp: string): string =>
  [
    `${alias}.dataset_id`,
    ...COLUMNS.map((name) => `CASE WHEN ${isOther} THEN ${alias}.${name} END AS ${name}`),
    `CASE WHEN ${isOther} THEN ${stamp} END AS stamp`,
  ].join(', ');

class KeptDatasets {
  readonly #kept: Lru<Stamped> = createLru(ROOM);
  /** Id → stamp. */
  readonly #met: Lru<string> = createLru(MAX_SEEN);
  /** What was asked for → ids that were found. */
  readonly #found: Lru<readonly string[]> = createLru(MAX_SEEN);

  /** What is kept of the datasets that were found when this was asked last, by id: to be told to the statement. */
  before(asked: string): Map<string, Stamped> {
    const told = new Map<string, Stamped>();
    for (const id of this.#found.get(asked) ?? []) {
      const kept = this.#kept.get(id);
      if (kept) told.set(id, kept);
    }
    return told;
  }

  /** Datasets of the rows that were found. `told`: what the statement was told, whatever was kept since. */
  found(asked: string, rows: readonly StampedRow[], told: ReadonlyMap<string, Stamped>): DatasetRecord[] {
    if (rows.some(({ dataset_id: id }) => !told.has(id))) {
      const ids = [...new Set(rows.map(({ dataset_id: id }) => id))];
      this.#found.set(asked, ids, ids.length + Math.ceil(asked.length / LENGTH_OF_ID));
    }
    return rows.map((row) => this.#shown(row, told.get(row.dataset_id)));
  }

  #shown(row: StampedRow, told: Stamped | undefined): DatasetRecord {
    const { dataset_id: id, stamp, document } = row;
    if (stamp === null) return told!.record;
    const record = new DatasetRecord(row);
    const isMet = this.#met.get(id) === stamp;
    this.#met.set(id, stamp);
    if (isMet && document.length <= MAX_LENGTH) this.#kept.set(id, { stamp, record }, document.length);
    return record;
  }
}

const keptBy = new WeakMap<Sql, KeptDatasets>();

/** Those of a database. A transaction has its own: what it sees may never come to be. */
export function keptDatasets(sql: Sql): KeptDatasets {
  let kept = keptBy.get(sql);
  if (!kept) keptBy.set(sql, (kept = new KeptDatasets()));
  return kept;
}
