/** Writes statements that create a table from a file and index its words. In SQL because Prisma has no CREATE TABLE and no COPY. Pure. */

import { type Fragment, ident, joined, literal, sql } from '../fragment.ts';
import type { Column, Field } from '../tables/fields.rules.ts';
import { createTable, words } from './write.sql.ts';

/** Without the key, which is cheaper to create after all rows are inserted. */
export const createLoaded = (table: string, fields: readonly Field[]): Fragment => createTable(table, fields, sql``);

/** Rows for a table created in the same transaction. Empty values are null, quoted or not. */
export const copyRows = (table: string, ids: readonly string[], delimiter: string): Fragment => {
  const columns = joined(ids.map(ident), ', ');
  return sql`COPY ${ident(table)} (${columns}) FROM STDIN (FORMAT csv, FREEZE, NULL '', DELIMITER ${literal(delimiter)}, FORCE_NULL (${columns}), ENCODING 'UTF8')`;
};

export const addKey = (table: string): Fragment => sql`ALTER TABLE ${ident(table)} ADD PRIMARY KEY (_id)`;
export const renameTable = (from: string, to: string): Fragment =>
  sql`ALTER TABLE ${ident(from)} RENAME TO ${ident(to)}`;
/** A table with the same columns and their comments. */
export const createAlike = (table: string, like: string): Fragment =>
  sql`CREATE TABLE ${ident(table)} (LIKE ${ident(like)} INCLUDING COMMENTS INCLUDING IDENTITY)`;
export const countOf = (table: string): Fragment => sql`SELECT count(*)::float8 AS n FROM ${ident(table)}`;
/** Locks out all other transactions until this one ends. */
export const lockAlone = (table: string): Fragment => sql`LOCK TABLE ${ident(table)} IN ACCESS EXCLUSIVE MODE`;
/** Prevents the table from being replaced until the transaction ends. Takes no snapshot. */
export const lockReading = (table: string): Fragment => sql`LOCK TABLE ${ident(table)} IN ACCESS SHARE MODE`;
/** Locks out writers until the transaction ends. */
export const lockWriters = (table: string): Fragment => sql`LOCK TABLE ${ident(table)} IN SHARE ROW EXCLUSIVE MODE`;

/** Copies all rows into a new table, and computes missing words. */
export function copyWithWords(from: string, to: string, columns: readonly Column[]): Fragment {
  const own = columns.filter(({ id }) => id !== '_id').map(({ id }) => ident(id));
  return sql`INSERT INTO ${ident(to)} (${joined([sql`_id`, sql`_full_text`, ...own], ', ')})
    SELECT ${joined([sql`_id`, sql`coalesce(_full_text, ${words(own)})`, ...own], ', ')} FROM ${ident(from)} ORDER BY _id`;
}

/** Sets the sequence after the existing numbers. */
export const countOn = (table: string): Fragment =>
  sql`SELECT setval(pg_get_serial_sequence(${literal(`"${table.replaceAll('"', '""')}"`)}, '_id'), max(_id)) FROM ${ident(table)} HAVING max(_id) IS NOT NULL`;

export const hasWordless = (table: string): Fragment =>
  sql`SELECT EXISTS (SELECT FROM ${ident(table)} WHERE _full_text IS NULL) AS found`;
