/** Runs callers' SQL: PostgreSQL's parser reads the statement, rules check every node, and the table policy checks every table. */
import { createLru } from '../../infra/concurrency/lru.ts';
import { type Call, callerOf, logOf } from '../../kernel/call.ts';
import { CatalogError, invalidField, located } from '../../kernel/errors.ts';
import type { JsonText } from '../../kernel/json.ts';
import { allowReading } from '../access.service.ts';
import { datastoreOf } from '../connected.ts';
import { noteRead } from '../indexes/counter.ts';
import { shapeOfStatement } from '../indexes/statement-shape.rules.ts';
import { betweenVersions, keyOfRequest, storedResult } from '../results.service.ts';
import { MAX_BYTES } from '../rows/search.plan.ts';
import type { NumberForm } from '../rows/search.sql.ts';
import type { Column } from '../tables/fields.rules.ts';
import { findOwners } from '../tables/owner.sql.ts';
import { listRelations, listTaken } from '../tables/tables.sql.ts';
import { dependsOnClock } from './statement.clock.ts';
import { formOf, parseStatement } from './statement.parser.ts';
import { checkStatement, type Spoken } from './statement.rules.ts';
import { areOwnTypes, runStatement, type StatementColumns } from './statement.store.ts';

/** Result of a statement. */
export interface StatementResult {
  readonly fields: readonly Column[];
  /** A list of objects as unparsed JSON. */
  readonly records: JsonText;
}

/** Maximum bytes of the first rows of a statement. */
const MAX_PREVIEW_BYTES = 4 * 1024 * 1024;

/** Runs a statement. `first`: returns only so many rows. @throws CatalogError VALIDATION, NOT_AUTHORIZED, NOT_FOUND, LIMIT, CONFLICT, RATE_LIMIT, UNAVAILABLE */
export async function statementRun(
  call: Call,
  text: string,
  numbers: NumberForm = 'text',
  first?: number | null,
): Promise<StatementResult> {
  if (first != null && first < 1) throw invalidField('maxRows', `Must be at least 1 (got ${first})`);
  const store = datastoreOf(call);
  if (!store.hasReader)
    throw new CatalogError('UNAVAILABLE', 'SQL queries require a read-only role: set catalog.datastore.read_url');
  const maxRows = call.settings['catalog.datastore.max_rows'];
  const key = `${maxRows} ${text}`;
  const understood = await understand(key, text, maxRows);
  const { statement, spoken, shape, isTimeless } = understood;
  const ids = await allowTables(call, spoken);
  const stored = isTimeless ? keyOfRequest([key, ids, numbers, first]) : null;
  const tables = new Set(ids);
  let counted = 0;
  const count = (bytes: number) => {
    counted += bytes;
    call.request.records?.read(bytes);
  };
  const execute = async () => {
    const known = understood.known ?? columnsOf.get(formOf(statement));
    const { records, ...found } = await runStatement(store, callerOf(call.actor), statement, {
      timeout: call.settings['catalog.datastore.sql_timeout'] * 1000,
      rows: Math.min(first ?? maxRows, maxRows),
      isCut: first != null,
      bytes: first == null ? MAX_BYTES : MAX_PREVIEW_BYTES,
      numbers,
      checked: spoken.checked,
      known,
      onBegin: () => call.request.records?.begin(),
      onBytes: count, // as they arrive: statements of one operation run side by side
      onOutlive: (process) =>
        logOf(call).warn({ process }, 'PostgreSQL backend still running after its statement was cancelled'),
    }).catch((thrown: unknown) => {
      // With wrong columns it ran twice, and may have failed for that.
      if (known) columnsOf.delete(formOf(statement));
      if (understood.known) remember(key, { ...understood, known: undefined });
      count(-counted);
      throw thrown;
    });
    if (understood.known?.described !== found.described) remember(key, { ...understood, known: found });
    return { fields: found.columns, records };
  };
  const result = await storedResult(store, tables, stored, (repeat) => betweenVersions(store, tables, repeat, execute));
  if (ids.length === 1) noteRead(store, ids[0], shape);
  count(result.records.size - counted);
  return result;
}

/** An allowed statement, by its text alone. */
interface Understood {
  /** The text without its semicolon. */
  readonly statement: string;
  readonly spoken: Spoken;
  readonly shape: string | null;
  /** Whether its result changes with its tables only. */
  readonly isTimeless: boolean;
  /** Columns of its last run. */
  readonly known?: StatementColumns | undefined;
}

/** Maximum characters of the texts in memory, and those that the rest of an entry counts as. */
const MAX_UNDERSTOOD = 1_000_000;
const OVERHEAD = 1_000;
const COLUMN_OVERHEAD = 100;
/** Dashboards repeat their statements. Nothing in here depends on the caller, and only `known` on the database, which compares it. */
const cached = createLru<Understood>(MAX_UNDERSTOOD, 'datastore_statements');
/** Columns by the form of a statement, for the next one with other values. */
const columnsOf = createLru<StatementColumns>(MAX_UNDERSTOOD);

/** Parses and checks a text. @throws CatalogError VALIDATION, NOT_AUTHORIZED, LIMIT */
async function understand(key: string, text: string, maxRows: number): Promise<Understood> {
  const before = cached.get(key);
  if (before) return before;
  const { tree, text: statement } = await parseStatement(text);
  const spoken = checked(text, (onLocation) => checkStatement(tree, maxRows, onLocation));
  const found = { statement, spoken, shape: shapeOfStatement(tree), isTimeless: !dependsOnClock(tree) };
  remember(key, found);
  return found;
}

function remember(key: string, found: Understood): void {
  const known = found.known && areOwnTypes(found.known) ? found.known : undefined;
  const columns = known?.columns.reduce((sum, { id }) => sum + COLUMN_OVERHEAD + id.length, 0) ?? 0;
  cached.set(key, { ...found, known }, OVERHEAD + key.length + columns);
  if (!found.known) return;
  const form = formOf(found.statement);
  if (known) columnsOf.set(form, known, OVERHEAD + form.length + columns);
  else columnsOf.delete(form);
}

/** Runs a check. An error gets the position of the node that was checked last. */
function checked(text: string, check: (onLocation: (bytes: number) => void) => Spoken): Spoken {
  let last = 0;
  try {
    return check((bytes) => {
      last = bytes;
    });
  } catch (thrown) {
    if (!(thrown instanceof CatalogError)) throw thrown;
    throw located(thrown, Buffer.from(text).subarray(0, last).toString().length);
  }
}

/** Checks each table by the same policy as searches (ruling 14). An alias counts as its table, and a view as all of its tables. Returns the tables. */
async function allowTables(call: Call, { tables, given }: Spoken): Promise<string[]> {
  if (tables.length + given.length === 0) return [];
  const { sql } = datastoreOf(call);
  // Includes internal tables, which the listing omits.
  const [taken] = given.length > 0 ? await listTaken(sql, given) : [];
  if (taken !== undefined) throw invalidField('query', `A WITH name may not be the name of a table: ${taken}`);
  // Most names are those of tables: their owners are looked up at the same time.
  const [there, named] = await Promise.all([listRelations(sql, tables), findOwners(call.sql, tables)]);
  const missing = tables.find((name) => !there.has(name));
  if (missing !== undefined) throw invalidField('query', `Invalid query: relation "${missing}" does not exist`);
  const read = tables.flatMap((name) => there.get(name)!.map((id) => ({ name, id })));
  const ids = read.map(({ id }) => id);
  const others = ids.filter((id) => !tables.includes(id));
  const found = others.length > 0 ? [...named, ...(await findOwners(call.sql, others))] : named;
  const owners = new Map(found.map((owner) => [owner.resourceId, owner]));
  for (const { name, id } of read) allowReading(call, owners.get(id) ?? null, name);
  return ids;
}
