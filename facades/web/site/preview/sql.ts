/** Runs a SQL statement of a reader. */
import { h } from 'preact';
import { PagePreviewSqlDocument } from '../../../../src/generated/operations.ts';
import { CatalogError } from '../../../../src/kernel/errors.ts';
import { toJsonText } from '../../../../src/kernel/json.ts';
import { first } from '../search-query.ts';
import { type At, attempt, dataFields, type PreviewRecord, type Shown } from './at.ts';
import { SqlPreview, type SqlResult } from './sql-preview.tsx';
import { MAX_ROWS } from './table-limits.ts';

/** Columns of the statement that the form has at first. */
const COLUMNS = 8;

/** The console: a form with a statement, and its first rows. */
export async function previewSql(at: At): Promise<Shown> {
  const id = at.resource.databaseId;
  const columns = at.resource.table ? dataFields(at.resource.table).slice(0, COLUMNS) : [];
  const names = columns.map((field) => quoted(field.id)).join(', ') || '*';
  const sql = first(at.query.sql).trim() || `SELECT ${names} FROM ${quoted(id)} LIMIT 20`;
  let position: number | undefined;
  const { data, fault, status } = await attempt(() =>
    run(at, sql).catch((thrown: unknown) => {
      if (thrown instanceof CatalogError) position = thrown.problems[0]?.position;
      throw thrown;
    }),
  );
  return { content: h(SqlPreview, { at, sql, data, fault, position }), status, isPart: true };
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

async function run({ visit }: At, sql: string): Promise<SqlResult> {
  const { tableQuery } = await visit.run(PagePreviewSqlDocument, { sql, maxRows: MAX_ROWS + 1 }, visit.call);
  const records = JSON.parse(toJsonText(tableQuery.records)) as PreviewRecord[];
  return { fields: tableQuery.fields, records: records.slice(0, MAX_ROWS), isCut: records.length > MAX_ROWS };
}
