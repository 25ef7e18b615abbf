/** Replaces a table by one made from a file, atomically. */
import { randomUUID } from 'node:crypto';
import type { CopyIn, Datastore, DatastoreWork } from '../../infra/postgres/datastore.ts';
import type { Sql } from '../../infra/postgres/db.ts';
import { statementOf } from '../fragment.ts';
import { noteLoad } from '../indexes/counter.ts';
import { cancelKeeping } from '../indexes/indexes.sql.ts';
import { run } from '../run.store.ts';
import { setCount } from '../tables/counts.store.ts';
import type { Field, JsonRecord } from '../tables/fields.rules.ts';
import { lockPatiently } from '../tables/lock.sql.ts';
import { listAliases, listColumns, listIndexes, listTaken } from '../tables/tables.sql.ts';
import {
  addKey,
  copyRows,
  copyWithWords,
  countOf,
  countOn,
  createAlike,
  createLoaded,
  hasWordless,
  lockWriters,
  renameTable,
} from './load.sql.ts';
import { createIndex, grantReading, insertRows, searchIndex, wordlessIndex } from './write.sql.ts';
import { countRows, describeFields, putAliases, removeTable } from './write.store.ts';

/** A temporary name that no resource can have. All steps share one transaction, so a process that ends leaves nothing. */
const newName = (): string => `_load_${randomUUID()}`;

/** Maximum ms to wait for readers of the old table. */
const TIMEOUT = 10 * 60_000;

export interface Loaded {
  readonly fields: readonly Field[];
  readonly delimiter: string;
  /** Input of COPY. Called once. */
  readonly rows: () => AsyncIterable<Buffer>;
  /** Number of rows. Called when all rows were read. */
  readonly count: () => number;
  readonly signal: AbortSignal;
  /** Awaited before the commit. */
  readonly ready: () => Promise<unknown>;
  /** Commits the change to the catalog. */
  readonly settle: () => Promise<void>;
}

/** Creates the table and replaces the old one. @throws errors of `rows`, and PostgreSQL's refusal of a row */
export async function replaceTable(store: Datastore, table: string, loaded: Loaded): Promise<void> {
  const write: DatastoreWork<void> = async (sql, copy) => {
    const name = newName();
    await run(sql, 'load_create', createLoaded(name, loaded.fields));
    await copyAll(copy, name, loaded);
    await run(sql, 'load_key', addKey(name));
    await run(sql, 'load_index', wordlessIndex(name));
    await describeFields(
      sql,
      name,
      loaded.fields.filter(({ info }) => info != null),
    );
    await loaded.ready();
    await swapTables(sql, store, name, table, loaded.count(), loaded.signal);
  };
  await store.writeWith(write, loaded.settle, loaded.signal);
  noteLoad(store, table, loaded.count());
}

export interface ReplacedBy {
  readonly fields: readonly Field[];
  readonly primaryKey: readonly string[];
  readonly aliases: readonly string[];
  readonly pages: () => AsyncIterable<readonly JsonRecord[]>;
  readonly signal: AbortSignal;
}

/**
 * Creates the table from JSON records and replaces the old one, with key and aliases. `settle` gets the number of rows, and the aliases
 * that were free, and commits the change to the catalog.
 * @throws errors of `pages`, and CatalogError for PostgreSQL's refusal of a record
 */
export async function replaceByRecords<Settled>(
  store: Datastore,
  table: string,
  { fields, primaryKey, aliases, pages, signal }: ReplacedBy,
  settle: (made: { rows: number; aliases: string[] }) => Promise<Settled>,
): Promise<Settled> {
  const write = async (sql: Sql) => {
    const name = newName();
    await run(sql, 'load_create', createLoaded(name, fields));
    const columns = (await listColumns(sql, name)).filter(({ id }) => id !== '_id');
    let rows = 0;
    for await (const records of pages()) {
      signal.throwIfAborted();
      if (records.length > 0) await run(sql, 'load_insert', insertRows(name, { columns, records }));
      rows += records.length;
    }
    await run(sql, 'load_key', addKey(name));
    await run(sql, 'load_index', searchIndex(name));
    await run(sql, 'load_index', wordlessIndex(name));
    const described = fields.filter(({ info }) => info != null);
    await describeFields(sql, name, described);
    if (primaryKey.length > 0) await run(sql, 'load_index', createIndex(name, primaryKey, true));
    const own = new Set(await listAliases(sql, table));
    const taken = new Set((await listTaken(sql, aliases)).filter((alias) => !own.has(alias)));
    const free = aliases.filter((alias) => !taken.has(alias));
    await swapTables(sql, store, name, table, rows, signal, { aliases: free, isKeyNew: true });
    return { rows, aliases: free };
  };
  let rows = 0;
  const settled = await store.writeWith(
    write,
    (made) => {
      rows = made.rows;
      return settle(made);
    },
    signal,
  );
  noteLoad(store, table, rows);
  return settled;
}

const copyAll = (copy: CopyIn, name: string, { fields, delimiter, rows }: Loaded): Promise<void> =>
  copy(
    statementOf(
      'load_copy',
      copyRows(
        name,
        fields.map(({ id }) => id),
        delimiter,
      ),
    ).statement,
    rows(),
  );

/** The new table gets the old one's name, its aliases unless it has aliases of its own, and its indexes whose columns still exist. */
async function swapTables(
  sql: Sql,
  store: Datastore,
  name: string,
  table: string,
  count: number,
  signal: AbortSignal,
  { aliases: given = null, isKeyNew = false }: { aliases?: readonly string[] | null; isKeyNew?: boolean } = {},
): Promise<void> {
  const columns = new Set((await listColumns(sql, name)).map(({ id }) => id));
  for (const index of await listIndexes(sql, [table]))
    if (index.columns.every((id) => columns.has(id)) && !(isKeyNew && index.unique))
      await run(sql, 'load_index', createIndex(name, index.columns, index.unique));
  const isThere = (await listColumns(sql, table)).length > 0;
  if (isThere) await lockPatiently(sql, table, { timeout: TIMEOUT, signal });
  const aliases = given ?? (await listAliases(sql, table));
  await removeTable(sql, table);
  await run(sql, 'load_rename', renameTable(name, table));
  if (store.reader !== null) await run(sql, 'load_grant', grantReading(table, store.reader));
  await putAliases(sql, table, aliases, store.reader);
  await setCount(sql, table, count);
}

/** Whether some rows of a table have no words yet. */
export async function isWordless(store: Datastore, table: string): Promise<boolean> {
  return store.write(async (sql) => {
    if ((await listColumns(sql, table)).length === 0) return false;
    const [row] = await run<{ found: boolean }>(sql, 'load_wordless', hasWordless(table));
    return row!.found;
  });
}

/** Computes the search words of rows. Writers of the table wait; readers do not. */
export function addWords(store: Datastore, table: string, signal: AbortSignal): Promise<void> {
  return store.write(async (sql) => {
    if ((await listColumns(sql, table)).length === 0) return;
    await cancelKeeping(sql, table);
    await run(sql, 'load_lock', lockWriters(table));
    const columns = await listColumns(sql, table);
    const name = newName();
    await run(sql, 'load_create', createAlike(name, table));
    await run(sql, 'load_words', copyWithWords(table, name, columns));
    signal.throwIfAborted();
    await run(sql, 'load_key', addKey(name));
    await run(sql, 'load_index', searchIndex(name));
    await run(sql, 'load_index', wordlessIndex(name));
    await run(sql, 'load_number', countOn(name));
    await countRows(sql, name);
    const [row] = await run<{ n: number }>(sql, 'load_count', countOf(name));
    await swapTables(sql, store, name, table, row!.n, signal);
  }, signal);
}
