/**
 * Synchronizes Solr with the catalog. The PostgreSQL index, written in the transaction of every change, is the log: each row has the id of
 * the transaction that last wrote it. The position is stored in Solr itself, in the same batches, so it is correct after a kill, an outage,
 * or a restored backup.
 */
import type { Sql } from '../../infra/postgres/db.ts';
import { CatalogError } from '../../kernel/errors.ts';
import { type Command, type Solr, solrAt } from './client.ts';
import { type IndexRow, solrDocument } from './document.ts';
import {
  countWaiting,
  type Head,
  listNumbered,
  listWritten,
  readHead,
  readRows,
  tryLock,
  unlock,
  type WrittenRow,
  waitForLock,
} from './feed.sql.ts';
import { FEED_ID } from './names.ts';

/** Datasets per request to Solr. */
const BATCH = 100;
const CHECKED = 1_000;

/** The position: Solr has everything written by transactions older than `since`. */
interface Position {
  readonly generation: string;
  readonly since: string;
}

export interface Feed {
  /**
   * Brings Solr up to date. Returns the number of datasets written; null while another process does it.
   * @throws CatalogError UNAVAILABLE
   */
  follow(): Promise<number | null>;
  /** Rewrites every dataset and removes extra documents. Yields the number per batch. */
  rebuild(): AsyncGenerator<number>;
  /** Compares Solr with the catalog. Yields the number checked and the faults per batch. */
  check(): AsyncGenerator<{ checked: number; faults: FeedFault[] }>;
  status(): Promise<FeedStatus>;
}

export interface FeedFault {
  readonly id: string;
  /** `(missing)`: not in Solr; `(removed)`: in Solr only; `(older)`: written by another transaction. */
  readonly fault: '(missing)' | '(removed)' | '(older)';
}

export interface FeedStatus {
  /** Number of datasets in Solr, in any state. */
  readonly indexed: number;
  /** Number of recently written datasets that Solr may lack; null when Solr was fed from other contents of the tables, or never. */
  readonly waiting: number | null;
}

/** ms between checks of the position in Solr, which may have been emptied or restored from a backup. */
const LOOK_AFTER = 10_000;

/** State of the Solr index, as known to this process. */
interface State {
  readonly solr: Solr;
  /** Rows already in Solr although an older transaction is still open. */
  sent: Map<number, string>;
  position: Position | null;
  readonly sql: Sql;
  /** Whether Solr may hold uncommitted documents, also those sent before a kill. */
  isPending: boolean;
  lookedAt: number;
  readonly lookAfter: number;
}

/** `sql` must be a single connection, because it holds the lock. */
export function feedOf(sql: Sql, solrUrls: readonly string[], lookAfter = LOOK_AFTER): Feed {
  const solr = solrAt(solrUrls);
  const state: State = { sql, solr, lookAfter, sent: new Map(), position: null, isPending: true, lookedAt: 0 };

  return {
    async follow() {
      if (!(await isAnythingNew(state))) return 0;
      if (!(await tryLock(sql))) return null;
      try {
        let written = 0;
        for await (const count of pass(state)) written += count;
        return written;
      } finally {
        await unlock(sql);
      }
    },

    async *rebuild() {
      await waitForLock(sql);
      try {
        const { generation } = await readHead(sql);
        [state.position, state.sent] = [null, new Map()];
        await solr.update([['add', { doc: { id: FEED_ID, feed: JSON.stringify({ generation, since: '0' }) } }]], true);
        yield* pass(state);
        for await (const { faults } of compare(sql, solr)) {
          const strays = faults.filter(({ fault }) => fault === '(removed)').map(({ id }) => id);
          if (strays.length > 0) await solr.update([['delete', strays]], true);
        }
      } finally {
        await unlock(sql);
      }
    },

    check: () => compare(sql, solr),

    async status() {
      const [stored, { generation }] = await Promise.all([storedPosition(solr), readHead(sql)]);
      const { response } = await solr.query({ query: 'state:[* TO *]', limit: 0 });
      const waiting = stored?.generation === generation ? await countWaiting(sql, stored.since) : null;
      return { indexed: response.numFound, waiting };
    },
  };
}

/** The position in Solr. Drops this process's state when the position has changed. */
async function findPosition(state: State, head: Head): Promise<Position> {
  const stored = await storedPosition(state.solr);
  const isOurs = stored?.generation === head.generation && BigInt(stored.since) <= BigInt(head.settled);
  if (!isOurs) {
    // The position belongs to another database, or to this one before it was emptied, so all state is invalid.
    state.sent = new Map();
    await state.solr.update([['delete', { query: '*:*' }]], true);
    return { generation: head.generation, since: '0' };
  }
  if (state.position?.since !== stored.since) state.sent = new Map();
  return stored;
}

const isNew = (state: State, { number, written }: WrittenRow) => state.sent.get(number) !== written;

/** Sends everything written since the position, in batches, and commits at the end. */
async function* pass(state: State): AsyncGenerator<number> {
  const head = await readHead(state.sql);
  state.position = await findPosition(state, head);
  let at = { written: state.position.since, number: 0 };
  for (;;) {
    const page = await listWritten(state.sql, at.written, at.number, BATCH);
    const rows = page.filter((row) => isNew(state, row));
    const last = page.at(-1);
    if (last) at = last;
    // With this batch, all rows of transactions before its last one are in Solr.
    const since = last && page.length === BATCH ? earlier(last.written, head.settled) : head.settled;
    const isEnd = page.length < BATCH;
    if (rows.length > 0 || state.position.since !== since || (isEnd && state.isPending)) {
      await write(state, rows, { generation: head.generation, since }, isEnd);
      for (const { number, written } of rows) state.sent.set(number, written);
      yield rows.length;
    }
    if (isEnd) break;
  }
  // While Solr replays its own log after a crash, it accepts documents and ignores commits.
  if (!(await isAtPosition(state, state.position))) {
    state.isPending = true;
    throw new CatalogError('UNAVAILABLE', 'Solr is not ready for indexing. Try again later.');
  }
  for (const [number, written] of state.sent)
    if (BigInt(written) < BigInt(state.position.since)) state.sent.delete(number);
}

async function write(state: State, rows: readonly WrittenRow[], next: Position, commit: boolean): Promise<void> {
  const read =
    rows.length === 0
      ? []
      : await readRows(
          state.sql,
          rows.map(({ number }) => number),
        );
  const gone = read.filter(({ document }) => document === null).map(({ id }) => id);
  const commands: Command[] = [
    ...(gone.length > 0 ? [['delete', gone] as const] : []),
    ...read.filter(hasDocument).map((row): Command => ['add', { doc: solrDocument(row) }]),
    ['add', { doc: { id: FEED_ID, feed: JSON.stringify(next) } }],
  ];
  state.isPending = true;
  await state.solr.update(commands, commit);
  state.isPending = !commit;
  state.position = next;
}

async function isAtPosition(state: State, { generation, since }: Position): Promise<boolean> {
  const stored = await storedPosition(state.solr);
  state.lookedAt = Date.now();
  return stored?.generation === generation && stored.since === since;
}

async function isAnythingNew(state: State): Promise<boolean> {
  if (!state.position || state.isPending) return true;
  if (Date.now() - state.lookedAt >= state.lookAfter && !(await isAtPosition(state, state.position))) return true;
  const page = await listWritten(state.sql, state.position.since, 0, BATCH);
  return page.length === BATCH || page.some((row) => isNew(state, row));
}

const hasDocument = (row: IndexRow): row is IndexRow & { document: string } => row.document !== null;

const earlier = (a: string, b: string): string => (BigInt(a) < BigInt(b) ? a : b);

async function storedPosition(solr: Solr): Promise<Position | null> {
  const { response } = await solr.query({ query: `{!term f=id v='${FEED_ID}'}`, fields: ['feed'], limit: 1 });
  return response.docs[0] ? (JSON.parse(String(response.docs[0].feed)) as Position) : null;
}

/** Compares both sides by ranges of numbers: each range must be identical. */
async function* compare(sql: Sql, solr: Solr): AsyncGenerator<{ checked: number; faults: FeedFault[] }> {
  for (let after = 0; ; ) {
    const rows = await listNumbered(sql, after, CHECKED);
    const isEnd = rows.length < CHECKED;
    const until = isEnd ? '*' : String(rows.at(-1)!.number);
    const { response } = await solr.query({
      query: `number:{${after} TO ${until}]`,
      fields: ['id', 'written'],
      limit: 2 * CHECKED,
      sort: 'number asc',
    });
    const indexed = new Map(response.docs.map(({ id, written }) => [String(id), String(written)]));
    const faults = rows.flatMap(({ id, written }): FeedFault[] => {
      const has = indexed.get(id);
      indexed.delete(id);
      if (has === written) return [];
      return [{ id, fault: has === undefined ? '(missing)' : '(older)' }];
    });
    for (const id of indexed.keys()) faults.push({ id, fault: '(removed)' });
    if (rows.length + faults.length > 0) yield { checked: rows.length, faults };
    if (isEnd) return;
    after = rows.at(-1)!.number;
  }
}
