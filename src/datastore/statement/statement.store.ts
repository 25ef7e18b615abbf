/** Runs callers' statements: read-only, with the read-only role, and limits of rows, bytes, memory and time. */
import type { Reading } from '../../infra/postgres/bounded-read.ts';
import type { Datastore } from '../../infra/postgres/datastore.ts';
import { CatalogError, invalidField, located } from '../../kernel/errors.ts';
import { JsonText } from '../../kernel/json.ts';
import { type Fragment, statementOf } from '../fragment.ts';
import type { NumberForm } from '../rows/search.sql.ts';
import { refusal } from '../run.store.ts';
import type { Column } from '../tables/fields.rules.ts';
import { areChecksThere } from './checked.sql.ts';
import { shownRows, wrapped } from './statement.sql.ts';

/** Columns of a statement, and its rows as a JSON list. */
export interface Found {
  readonly columns: readonly Column[];
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
  /** Called with the process id of a PostgreSQL backend that still runs two seconds after it was terminated. */
  readonly onOutlive?: (process: number) => void;
}

/** Maximum ms for a PostgreSQL backend to end. */
const MAX_ENDING = 2_000;

/**
 * Runs a checked statement. On timeout the caller gets the error at once; the slot is released when PostgreSQL has ended the backend.
 * @throws CatalogError VALIDATION, LIMIT, CONFLICT, RATE_LIMIT, UNAVAILABLE
 */
export function runStatement(
  store: Datastore,
  caller: string,
  text: string,
  { timeout, checked, onOutlive, ...bounds }: Bounds,
): Promise<Found> {
  return new Promise((resolve, reject) => {
    let late: NodeJS.Timeout | undefined;
    const read = store.read(caller, { timeout, checked }, (reading) => {
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
  bounds: Pick<Bounds, 'rows' | 'isCut' | 'bytes' | 'numbers'>,
): Promise<Found> {
  if (checked) await mustCheck(reading);
  const { statement } = statementOf('datastore_describe', wrapped(text));
  const fields = await reading.describe(statement.text).catch((thrown: unknown) => {
    throw atPosition(thrown, statement.text.indexOf(text));
  });
  if (fields.length === 0) throw invalidField('query', 'Nothing is selected');
  const nameOf = await typeNames(reading, [...new Set(fields.map(({ type }) => type))]);
  const columns = fields.map(({ name, type }): Column => ({ id: name, type: nameOf.get(type)!, info: null }));
  return { columns, records: await recordsOf(reading, shownRows(text, columns, bounds), bounds) };
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
      'The query may make values that are too long, and this DataStore cannot check that as it runs (see "SQL of callers" in its documentation)',
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

async function recordsOf(
  reading: Reading,
  fragment: Fragment,
  max: Pick<Bounds, 'rows' | 'isCut' | 'bytes'>,
): Promise<JsonText> {
  const { statement, values } = statementOf('datastore_search_sql', fragment);
  const tooLong = () => new CatalogError('LIMIT', `The answer is too long: at most ${max.bytes} bytes`);
  const full: Buffer[] = [];
  let bytes = 0;
  let rows = 0;
  let text = '[';
  const flush = () => {
    const chunk = Buffer.from(text);
    bytes += chunk.length;
    if (bytes > max.bytes) throw tooLong();
    full.push(chunk);
    text = '';
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
    text += rows === 1 ? record : `,${record}`;
    if (text.length > MAX_TEXT) flush();
  };
  await refused(reading.rows(statement.text, values, take, true));
  text += ']';
  if (full.length === 0) return new JsonText(text);
  flush();
  return new JsonText(Buffer.concat(full));
}
