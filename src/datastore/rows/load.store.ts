/** Puts a table made out of a file into the place of the one there is, whole or not at all. */
import { randomUUID } from 'node:crypto';
import type { CopyIn, Datastore } from '../../infra/postgres/datastore.ts';
import type { Sql } from '../../infra/postgres/db.ts';
import { statementOf } from '../fragment.ts';
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

/** A table that is being made has a name that no resource can have. All of it is one transaction: a process that ends leaves nothing. */
const newName = (): string => `_load_${randomUUID()}`;

/** ms that readers of the old table may keep the new one waiting. */
const TIMEOUT = 10 * 60_000;

export interface Loaded {
  readonly fields: readonly Field[];
  readonly delimiter: string;
  /** What COPY shall read; asked for once. */
  readonly rows: () => AsyncIterable<Buffer>;
  /** Rows that came; asked for when all have come. */
  readonly count: () => number;
  readonly signal: AbortSignal;
}

/** Makes the table and puts it in place. @throws whatever `rows` throws, and what PostgreSQL says of the rows */
export function replaceTable(store: Datastore, table: string, loaded: Loaded): Promise<void> {
  return store.write(async (sql, copy) => {
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
    await putInPlace(sql, store, name, table, loaded.count(), loaded.signal);
  }, loaded.signal);
}

export interface ReplacedBy {
  readonly fields: readonly Field[];
  readonly primaryKey: readonly string[];
  readonly aliases: readonly string[];
  readonly pages: () => AsyncIterable<readonly JsonRecord[]>;
  readonly signal: AbortSignal;
}

/**
 * Makes the table of records that come as JSON and puts it in place, with its key and aliases. Answers the number of rows, and the
 * aliases that nothing else was called. @throws whatever `pages` throws, and CatalogError for what PostgreSQL says of the records
 */
export function replaceByRecords(
  store: Datastore,
  table: string,
  { fields, primaryKey, aliases, pages, signal }: ReplacedBy,
): Promise<{ rows: number; aliases: string[] }> {
  return store.write(async (sql) => {
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
    await putInPlace(sql, store, name, table, rows, signal, { aliases: free, isKeyNew: true });
    return { rows, aliases: free };
  }, signal);
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

/** The new table takes the name of the old one, its aliases where it has none of its own, and its indexes as far as their columns are there. */
async function putInPlace(
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

/** Gives rows the words that a search looks for. Writers of the table wait; readers do not. */
export function addWords(store: Datastore, table: string, signal: AbortSignal): Promise<void> {
  return store.write(async (sql) => {
    if ((await listColumns(sql, table)).length === 0) return;
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
    await putInPlace(sql, store, name, table, row!.n, signal);
  }, signal);
}
