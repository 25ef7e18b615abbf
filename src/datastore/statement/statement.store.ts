/** Runs callers' statements: read-only, with the read-only role, and limits of rows, bytes, memory and time. */
import type { Reading } from '../../infra/postgres/bounded-read.ts';
import type { Datastore } from '../../infra/postgres/datastore.ts';
import { type DescribedColumn, OtherColumns } from '../../infra/postgres/row-query.ts';
import { CatalogError, invalidField, located } from '../../kernel/errors.ts';
import { JsonText } from '../../kernel/json.ts';
import { statementOf } from '../fragment.ts';
import type { NumberForm } from '../rows/search.sql.ts';
import { refusal } from '../run.store.ts';
import type { Column } from '../tables/fields.rules.ts';
import { areChecksThere } from './checked.sql.ts';
import { shownRows, wrapped } from './statement.sql.ts';

/** Columns of a statement, as PostgreSQL describes them and as callers see them. */
export interface StatementColumns {
  readonly described: readonly DescribedColumn[];
  readonly columns: readonly Column[];
}

/** Columns of a statement, and its rows as a JSON list. */
export interface Found extends StatementColumns {
  readonly records: JsonText;
}

export interface Bounds {
  /** ms. */
  readonly timeout: number;
  readonly rows: number;
  /** Whether further rows are omitted; otherwise they are an error. */
  readonly isCut?: boolean;
  /** Maximum bytes of the response text. */
  readonly bytes: number;
  /** Defaults to text. */
  readonly numbers?: NumberForm;
  /** Whether PostgreSQL must check sizes at run time. */
  readonly checked: boolean;
  /** Columns that the statement had before: if it still has them, its rows take no other round trip. */
  readonly known?: StatementColumns | undefined;
  /** Called when the statement has its permit. An error ends it. */
  readonly onBegin?: () => void;
  /** Called with the bytes of records as they arrive. An error ends it. */
  readonly onBytes?: (bytes: number) => void;
  /** Called with the process id of a PostgreSQL backend that still runs two seconds after it was terminated. */
  readonly onOutlive?: (process: number) => void;
}

/** Maximum ms for a PostgreSQL backend to end. */
const MAX_ENDING = 2_000;

/**
 * Runs a checked statement. On timeout the caller gets the error at once; the slot is released when PostgreSQL has ended the backend.
 * @throws CatalogError VALIDATION, LIMIT, CONFLICT, RATE_LIMIT, UNAVAILABLE
 */
export async function runStatement(store: Datastore, caller: string, text: string, bounds: Bounds): Promise<Found> {
  let began = 0;
  const onBegin = () => {
    began = performance.now();
    bounds.onBegin?.();
  };
  try {
    return await attempt(store, caller, text, { ...bounds, onBegin });
  } catch (thrown) {
    if (!(thrown instanceof OtherColumns)) throw thrown;
    const timeout = Math.max(1, bounds.timeout - (performance.now() - began));
    return attempt(store, caller, text, { ...bounds, timeout, known: undefined });
  }
}

/** @throws OtherColumns if the statement has others than `known`, besides what runStatement throws */
function attempt(
  store: Datastore,
  caller: string,
  text: string,
  { timeout, checked, onBegin, onOutlive, ...bounds }: Bounds,
): Promise<Found> {
  return new Promise((resolve, reject) => {
    let late: NodeJS.Timeout | undefined;
    const read = store.read(caller, { timeout, checked }, (reading) => {
      onBegin?.();
      reading.cut.catch((thrown: unknown) => {
        late = setTimeout(() => onOutlive?.(reading.process), MAX_ENDING).unref();
        reject(thrown);
      });
      return readStatement(reading, text, checked, bounds);
    });
    void read.then(resolve, reject).finally(() => clearTimeout(late));
  });
}

async function readStatement(
  reading: Reading,
  text: string,
  checked: boolean,
  { known, ...bounds }: Pick<Bounds, 'rows' | 'isCut' | 'bytes' | 'numbers' | 'known' | 'onBytes'>,
): Promise<Found> {
  if (checked) await mustCheck(reading);
  const { statement } = statementOf('datastore_describe', wrapped(text));
  const refusedAt = (thrown: unknown): never => {
    throw atPosition(thrown, statement.text.indexOf(text));
  };
  if (known) {
    const expected = { text: statement.text, columns: known.described };
    const records = await recordsOf(bounds, (take) => {
      const rows = rowsOf(text, known, bounds);
      return reading.expectedRows(expected, rows.text, rows.values, take).catch(refusedAt);
    });
    if (records) return { ...known, records };
  }
  const described = await reading.describe(statement.text).catch(refusedAt);
  if (described.length === 0) throw invalidField('query', 'The statement returns no columns. Select at least one');
  const nameOf = await typeNames(reading, [...new Set(described.map(({ type }) => type))]);
  const columns = described.map(({ name, type }): Column => ({ id: name, type: nameOf.get(type)!, info: null }));
  const rows = rowsOf(text, { described, columns }, bounds);
  const records = await recordsOf(bounds, async (take) => {
    await refused(reading.rows(rows.text, rows.values, take, true));
    return true;
  });
  return { described, columns, records: records! };
}

function rowsOf(text: string, { columns }: StatementColumns, bounds: Pick<Bounds, 'rows' | 'bytes' | 'numbers'>) {
  const { statement, values } = statementOf('datastore_search_sql', shownRows(text, columns, bounds));
  return { text: statement.text, values };
}

/** @throws CatalogError LIMIT when the database lacks the checked functions */
async function mustCheck(reading: Reading): Promise<void> {
  let isThere = false;
  await reading.rows(`/* datastore_checks */ SELECT ${areChecksThere}`, [], ([there]) => {
    isThere = there === 't';
  });
  if (!isThere)
    throw new CatalogError(
      'LIMIT',
      'The query may produce values that are too long, and the schema catalog_checked, which checks them, is missing. Simplify the query, or ask the administrator to create the schema (docs/datastore.md, SQL of callers)',
    );
}

const refused = <T>(found: Promise<T>): Promise<T> =>
  found.catch((thrown: unknown) => {
    throw refusal(thrown);
  });

/** The refusal of a statement that begins at `start` in the text which PostgreSQL got. */
function atPosition(thrown: unknown, start: number): unknown {
  const converted = refusal(thrown);
  const position = Number((thrown as { position?: unknown }).position) - 1 - start; // PostgreSQL counts from 1
  return converted instanceof CatalogError && position >= 0 ? located(converted, position) : converted;
}

/** Built-in types, which have the same oids in all databases. */
const ownTypes = new Map<number, string>();
const FIRST_FOREIGN_OID = 16_384;

/** Whether the columns have built-in types only, whose names never change. */
export const areOwnTypes = ({ described }: StatementColumns): boolean =>
  described.every(({ type }) => type < FIRST_FOREIGN_OID);

async function typeNames(reading: Reading, oids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (oids.every((oid) => ownTypes.has(oid))) return ownTypes;
  const found = new Map(ownTypes);
  await refused(
    reading.rows(
      '/* datastore_types */ SELECT oid, typname FROM pg_catalog.pg_type WHERE oid = ANY ($1::oid[])',
      [oids],
      ([oid, name]) => {
        found.set(Number(oid), name!);
        if (Number(oid) < FIRST_FOREIGN_OID) ownTypes.set(Number(oid), name!);
      },
    ),
  );
  return found;
}

/** Maximum characters held as text. Longer results become bytes, outside the JavaScript heap. */
const MAX_TEXT = 256 * 1024;

/** The records that `read` passes on; null if it returns false. */
async function recordsOf(
  { onBytes, ...max }: Pick<Bounds, 'rows' | 'isCut' | 'bytes' | 'onBytes'>,
  read: (take: (row: readonly (string | null)[]) => void) => Promise<boolean>,
): Promise<JsonText | null> {
  const tooLong = () => new CatalogError('LIMIT', `The answer is too long: at most ${max.bytes} bytes`);
  const full: Buffer[] = [];
  let bytes = 0;
  let rows = 0;
  /** Joined once: a text that is added to piece by piece takes several times its length. */
  let pieces = ['['];
  let length = 0;
  const flush = () => {
    const chunk = Buffer.from(pieces.join(''));
    bytes += chunk.length;
    if (bytes > max.bytes) throw tooLong();
    onBytes?.(chunk.length);
    full.push(chunk);
    pieces = [];
    length = 0;
  };
  const take = ([record]: readonly (string | null)[]) => {
    if (record == null) throw tooLong();
    rows += 1;
    if (rows > max.rows && max.isCut) return;
    if (rows > max.rows)
      throw new CatalogError(
        'LIMIT',
        `More than ${max.rows} rows (catalog.datastore.max_rows): add a LIMIT, or download the table`,
      );
    if (rows > 1) pieces.push(',');
    pieces.push(record);
    length += record.length + 1;
    if (length > MAX_TEXT) flush();
  };
  if (!(await read(take))) return null;
  pieces.push(']');
  if (full.length === 0) return new JsonText(pieces.join(''));
  flush();
  return new JsonText(Buffer.concat(full));
}
