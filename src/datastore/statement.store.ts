/** Runs callers' statements: read-only, as the role that only reads, with a limit of rows, bytes and time. */
import type { Datastore } from '../kernel/datastore.ts';
import { CatalogError, invalidField } from '../kernel/errors.ts';
import type { Column } from './fields.rules.ts';
import { sql, statementOf } from './fragment.ts';
import { refusal, run } from './run.store.ts';
import type { NumberForm } from './search.sql.ts';
import { shownRows, wrapped } from './statement.sql.ts';

/** What a statement found: the columns, and the rows as the text of a JSON list. */
export interface Found {
  readonly columns: readonly Column[];
  readonly records: string;
}

export interface Bounds {
  /** ms. */
  readonly timeout: number;
  readonly rows: number;
  /** Of the answer's text. */
  readonly bytes: number;
  /** Texts when left out. */
  readonly numbers?: NumberForm;
}

/** Runs a statement that was checked. @throws CatalogError VALIDATION, LIMIT, CONFLICT, RATE_LIMIT, UNAVAILABLE */
export async function runStatement(store: Datastore, caller: string, text: string, bounds: Bounds): Promise<Found> {
  return store.read(caller, bounds.timeout, async (db, describe) => {
    const { statement, values } = statementOf('datastore_describe', wrapped(text));
    const fields = await describe(statement, values).catch((thrown: unknown) => {
      throw refusal(thrown);
    });
    if (fields.length === 0) throw invalidField('query', 'Nothing is selected');
    const types = await run<{ oid: number; name: string }>(
      db,
      'datastore_types',
      sql`SELECT oid::int8::float8 AS oid, typname::text AS name FROM pg_type WHERE oid = ANY (${[...new Set(fields.map(({ type }) => type))]}::oid[])`,
    );
    const nameOf = new Map(types.map(({ oid, name }) => [oid, name]));
    const columns = fields.map(({ name, type }): Column => ({ id: name, type: nameOf.get(type)!, info: null }));
    const [row] = await run<{ rows: number; bytes: number; records: string | null }>(
      db,
      'datastore_search_sql',
      shownRows(text, columns, bounds),
    );
    const { rows, bytes, records } = row!;
    if (rows > bounds.rows)
      throw new CatalogError(
        'LIMIT',
        `More than ${bounds.rows} rows (catalog.datastore.max_rows): add a LIMIT, or download the table`,
      );
    if (records === null)
      throw new CatalogError('LIMIT', `An answer of ${bytes} bytes is too long: at most ${bounds.bytes}`);
    return { columns, records };
  });
}
