/**
 * Keeps Solr at what the catalog says. The index on PostgreSQL, written in the transaction of every change, is the log: each
 * of its rows carries the transaction that wrote it last. Until where Solr has them is written in Solr itself, in the same
 * batches, so it is true after a kill, an outage, or a backup that was put back.
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

/** Datasets in one request to Solr. */
const BATCH = 100;
const CHECKED = 1_000;

/** Until where Solr has what was written: all of older transactions than `since`. */
interface Place {
  readonly generation: string;
  readonly since: string;
}

export interface Feed {
  /** Brings Solr up to date; how many datasets were written. Null while another process does it. @throws CatalogError UNAVAILABLE */
  follow(): Promise<number | null>;
  /** Writes every dataset anew and removes what is none; yields how many after each batch. */
  rebuild(): AsyncGenerator<number>;
  /** Compares Solr with the catalog; yields after each batch how many datasets it held and what is wrong. */
  check(): AsyncGenerator<{ checked: number; faults: FeedFault[] }>;
  status(): Promise<FeedStatus>;
}

export interface FeedFault {
  readonly id: string;
  /** `(missing)`: not in Solr; `(removed)`: in Solr only; `(older)`: another writing of it. */
  readonly fault: '(missing)' | '(removed)' | '(older)';
}

export interface FeedStatus {
  /** Datasets in Solr, of any state. */
  readonly indexed: number;
  /** Datasets written lately that Solr may not have yet; null where it was fed from another filling of the tables, or never. */
  readonly waiting: number | null;
}

/** ms after which Solr is asked whether it still is where we left it: it may have been emptied, or put back from a backup. */
const LOOK_AFTER = 10_000;

/** `sql` must be one connection, for the lock is the connection's. */
export function feedOf(sql: Sql, address: string, lookAfter = LOOK_AFTER): Feed {
  const solr = solrAt(address);
  /** Rows that are in Solr already although an older transaction is still open. */
  let sent = new Map<number, string>();
  let place: Place | null = null;
  /** Whether anything may be in Solr that is not found yet: also what was sent before a kill. */
  let isPending = true;
  let lookedAt = 0;

  /** What Solr says; what this process remembers goes where that is another place. */
  async function findPlace(head: Head): Promise<Place> {
    const kept = await keptPlace(solr);
    const isOurs = kept?.generation === head.generation && BigInt(kept.since) <= BigInt(head.settled);
    if (!isOurs) {
      // Of another database, or of this one before it was emptied: nothing of it is true.
      sent = new Map();
      await solr.update([['delete', { query: '*:*' }]], true);
      return { generation: head.generation, since: '0' };
    }
    if (place?.since !== kept.since) sent = new Map();
    return kept;
  }

  const isNew = ({ number, written }: WrittenRow) => sent.get(number) !== written;

  /** Everything written since the place, in batches; all of it is found from the end on. */
  async function* pass(): AsyncGenerator<number> {
    const head = await readHead(sql);
    place = await findPlace(head);
    let at = { written: place.since, number: 0 };
    for (;;) {
      const page = await listWritten(sql, at.written, at.number, BATCH);
      const rows = page.filter(isNew);
      const last = page.at(-1);
      if (last) at = last;
      // Rows of transactions before the last one of this batch are all in Solr with it.
      const since = last && page.length === BATCH ? earlier(last.written, head.settled) : head.settled;
      const isEnd = page.length < BATCH;
      if (rows.length > 0 || place.since !== since || (isEnd && isPending)) {
        await write(rows, { generation: head.generation, since }, isEnd);
        for (const { number, written } of rows) sent.set(number, written);
        yield rows.length;
      }
      if (isEnd) break;
    }
    // While Solr reads its own log after a crash, it takes documents and passes over commits.
    if (!(await isWhereWeAre(place))) {
      isPending = true;
      throw new CatalogError('UNAVAILABLE', 'Solr is not ready for indexing. Try again later.');
    }
    for (const [number, written] of sent) if (BigInt(written) < BigInt(place.since)) sent.delete(number);
  }

  async function write(rows: readonly WrittenRow[], next: Place, commit: boolean): Promise<void> {
    const read =
      rows.length === 0
        ? []
        : await readRows(
            sql,
            rows.map(({ number }) => number),
          );
    const gone = read.filter(({ document }) => document === null).map(({ id }) => id);
    const commands: Command[] = [
      ...(gone.length > 0 ? [['delete', gone] as const] : []),
      ...read.filter(hasDocument).map((row): Command => ['add', { doc: solrDocument(row) }]),
      ['add', { doc: { id: FEED_ID, feed: JSON.stringify(next) } }],
    ];
    isPending = true;
    await solr.update(commands, commit);
    isPending = !commit;
    place = next;
  }

  async function isWhereWeAre({ generation, since }: Place): Promise<boolean> {
    const kept = await keptPlace(solr);
    lookedAt = Date.now();
    return kept?.generation === generation && kept.since === since;
  }

  async function isAnythingNew(): Promise<boolean> {
    if (!place || isPending) return true;
    if (Date.now() - lookedAt >= lookAfter && !(await isWhereWeAre(place))) return true;
    const page = await listWritten(sql, place.since, 0, BATCH);
    return page.length === BATCH || page.some(isNew);
  }

  return {
    async follow() {
      if (!(await isAnythingNew())) return 0;
      if (!(await tryLock(sql))) return null;
      try {
        let written = 0;
        for await (const count of pass()) written += count;
        return written;
      } finally {
        await unlock(sql);
      }
    },

    async *rebuild() {
      await waitForLock(sql);
      try {
        const { generation } = await readHead(sql);
        [place, sent] = [null, new Map()];
        await solr.update([['add', { doc: { id: FEED_ID, feed: JSON.stringify({ generation, since: '0' }) } }]], true);
        yield* pass();
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
      const [kept, { generation }] = await Promise.all([keptPlace(solr), readHead(sql)]);
      const { response } = await solr.query({ query: 'state:[* TO *]', limit: 0 });
      const waiting = kept?.generation === generation ? await countWaiting(sql, kept.since) : null;
      return { indexed: response.numFound, waiting };
    },
  };
}

const hasDocument = (row: IndexRow): row is IndexRow & { document: string } => row.document !== null;

const earlier = (a: string, b: string): string => (BigInt(a) < BigInt(b) ? a : b);

async function keptPlace(solr: Solr): Promise<Place | null> {
  const { response } = await solr.query({ query: `{!term f=id v='${FEED_ID}'}`, fields: ['feed'], limit: 1 });
  return response.docs[0] ? (JSON.parse(String(response.docs[0].feed)) as Place) : null;
}

/** Both sides by number, piece by piece: what lies between two numbers must be the same. */
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
