/** Parses SQL with PostgreSQL's own parser into the tree that the server would build, and names its form. statement.rules.ts decides what is allowed. */
import { loadModule, parseSync } from 'libpg-query';
import { CatalogError, invalidField, located } from '../../kernel/errors.ts';

/** A node: its kind → its parts, by the parser's names. */
export type Tree = Readonly<Record<string, unknown>>;

/** Maximum characters of a statement. */
const MAX_LENGTH = 100_000;

/** Parses text that must be exactly one statement. `text` has no semicolon. @throws CatalogError VALIDATION, LIMIT */
export async function parseStatement(text: string): Promise<{ tree: Tree; text: string }> {
  if (text.length > MAX_LENGTH)
    throw new CatalogError('LIMIT', `The statement must have at most ${MAX_LENGTH} characters`);
  if (text.includes('\0')) throw invalidField('query', 'A query must not contain NUL characters'); // the parser stops at it
  await loadModule();
  const statements = parsed(text);
  if (statements.length !== 1) throw invalidField('query', 'Query is not a single statement.');
  const { stmt, stmt_location: start = 0, stmt_len: length = 0 } = statements[0]!;
  const bytes = Buffer.from(text);
  return { tree: stmt as Tree, text: bytes.subarray(start, length > 0 ? start + length : undefined).toString() };
}

function parsed(text: string) {
  try {
    return parseSync(text).stmts ?? [];
  } catch (thrown) {
    if (text.trim() === '') return [];
    const deep = thrown instanceof RangeError || thrown instanceof WebAssembly.RuntimeError;
    const { message, sqlDetails } = thrown as Error & { sqlDetails?: { cursorPosition?: number } };
    const refusal = invalidField('query', deep ? 'The statement is too complex' : `Invalid query: ${message}`);
    throw sqlDetails?.cursorPosition === undefined ? refusal : located(refusal, sqlDetails.cursorPosition);
  }
}

/** Names, texts and numbers of a statement. */
const PARTS = /"[^"]*"|'[^']*'|\b\d[\d._]*/g;
/** Maximum digits of a number that is an `int4` for certain. */
const SHORT = 9;

/**
 * A statement without its values, but with their kinds: texts, decimals and small integers. Statements with one form usually have the same
 * columns.
 */
export const formOf = (statement: string): string =>
  statement.replace(PARTS, (part) => {
    if (part.startsWith("'")) return "''";
    if (part.startsWith('"') || part.length > SHORT) return part;
    return part.includes('.') ? '.0' : '0';
  });
