/** Runs statements on the DataStore's database, and converts PostgreSQL's errors. */
import type { Sql } from '../infra/postgres/db.ts';
import { CatalogError, invalid } from '../kernel/errors.ts';
import { type Fragment, statementOf } from './fragment.ts';
import { MAX_BYTES } from './rows/search.plan.ts';

const DATA_INVALID =
  'The data was invalid (for example: a numeric value is out of range or was inserted into a text field).';

/** A message of to_tsquery that PostgreSQL reports as an internal error (XX000): more than 32 operators waiting for a word. */
const WORDS_TOO_DEEP = 'tsquery stack too small';

/** Rows of a statement. `isFixed`: its text never varies, so PostgreSQL plans it once. @throws CatalogError as `refusal` describes */
export async function run<Row>(db: Sql, name: string, fragment: Fragment, isFixed = false): Promise<Row[]> {
  const { statement, values } = statementOf(name, fragment);
  try {
    return await db.rows<Row>(isFixed ? { ...statement, name } : statement, values);
  } catch (thrown) {
    throw refusal(thrown);
  }
}

/** Converts PostgreSQL's errors about a caller's data to a CatalogError; others stay unchanged. */
export function refusal(thrown: unknown): unknown {
  if (thrown instanceof CatalogError || !(thrown instanceof Error)) return thrown;
  const { code = '', message, detail } = thrown as Error & { code?: string; detail?: string };
  const problem = (path: string[], text: string) => invalid([{ path, message: text }]);
  if (code.startsWith('22')) return problem([], `${DATA_INVALID} ${message}`);
  if (code === '23505')
    return problem(
      ['constraints'],
      `Cannot insert records or create index because of uniqueness constraint: ${detail ?? message}`,
    );
  if (code === '42P01') return new CatalogError('NOT_FOUND', 'Resource was not found.');
  if (code === '42501') return new CatalogError('NOT_AUTHORIZED', 'Not authorized to read resource.');
  if (code === '57014') return new CatalogError('LIMIT', 'The query took too long (catalog.datastore.sql_timeout)');
  if (code.startsWith('54') || message === WORDS_TOO_DEEP)
    return Object.assign(new CatalogError('LIMIT', message), { cause: thrown });
  if (/^(42|23|0A|21|2B|2F)/.test(code)) return problem(['query'], `Invalid query: ${message}`);
  return thrown;
}

/** @throws CatalogError LIMIT, always */
export function tooLong(): never {
  throw new CatalogError(
    'LIMIT',
    `The answer is longer than ${MAX_BYTES} bytes: ask for fewer rows or fields, or download the table`,
  );
}
