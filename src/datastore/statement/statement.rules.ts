/**
 * Decides from a statement's tree, never from its text, whether it is allowed: statement.allowed.ts must list every node kind, node part,
 * function, operator and type. Pure; the service checks read access to the tables.
 */
import { CatalogError, invalidField, notAuthorized } from '../../kernel/errors.ts';
import { CLOCK, FUNCTIONS, NODES, OPERATORS, type Part, TYPES } from './statement.allowed.ts';
import type { Tree } from './statement.parser.ts';
import { sizeOfStatement } from './statement.size.ts';
import { checkValues } from './statement.values.ts';

/** Names used by an allowed statement. */
export interface Spoken {
  /** Names of tables and aliases, without those that WITH defines. */
  readonly tables: readonly string[];
  /** Names that WITH defines. None may equal a name in the database: outside that WITH the name would read it without a check. */
  readonly given: readonly string[];
  /** Whether PostgreSQL must check sizes at run time: see statement.values.ts. */
  readonly checked: boolean;
}

const MAX_NODES = 20_000;
const MAX_DEPTH = 250;
/** Limit after every subquery is inlined. PostgreSQL needs about 100 bytes for each, several times. */
const MAX_EXPRESSIONS = 100_000;

const WRITES = /^(Insert|Update|Delete|Merge)Stmt$|^(intoClause|lockingClause)$/;
const denied = (): CatalogError => notAuthorized('Not authorized to read resource.');
const refused = (what: string): CatalogError => invalidField('query', `Not allowed in a query: ${what}`);

/**
 * Checks a statement. Series may produce at most `maxRows` rows. `onLocation` gets the position (bytes) of each checked node.
 * @throws CatalogError VALIDATION, NOT_AUTHORIZED (writes, system tables), LIMIT
 */
export function checkStatement(tree: Tree, maxRows: number, onLocation = (_bytes: number): void => {}): Spoken {
  const tables = new Set<string>();
  const given = new Set<string>();
  const functions: Source[] = [];
  const qualified: [string, string][] = [];
  let count = 0;

  function node(wrapped: unknown, depth: number): void {
    for (const [kind, parts] of Object.entries(wrapped as Tree)) body(kind, parts as Tree, depth);
  }

  function body(kind: string, parts: Tree, depth: number): void {
    if (++count > MAX_NODES || depth > MAX_DEPTH) throw new CatalogError('LIMIT', 'The statement is too complex');
    if (typeof parts.location === 'number') onLocation(parts.location);
    const known = NODES[kind];
    if (!known) throw WRITES.test(kind) ? denied() : refused(kind);
    CHECKS[kind]?.(parts);
    if (kind === 'RangeVar') tables.add(String(parts.relname));
    if (kind === 'CommonTableExpr') given.add(String(parts.ctename));
    if (kind === 'RangeFunction') functions.push(sourceOf(parts));
    if (kind === 'ColumnRef') {
      const [of, column] = namesOf(parts.fields);
      if (of && column) qualified.push([of, column]);
    }
    for (const [name, part] of Object.entries(parts)) {
      if (name === 'location') continue;
      const how = Object.hasOwn(known, name) ? known[name] : undefined;
      if (how === undefined) throw WRITES.test(name) ? denied() : refused(`${kind}.${name}`);
      look(how, part, depth + 1);
    }
  }

  function look(how: Part, part: unknown, depth: number): void {
    if (how === 'plain') return;
    if (how === 'node') node(part, depth);
    else if (how === 'nodes') for (const one of part as unknown[]) node(one, depth);
    else body(how, part as Tree, depth);
  }

  if (!tree.SelectStmt && NODES[Object.keys(tree)[0]!]) throw refused(Object.keys(tree)[0]!);
  node(tree, 0);
  for (const [of, column] of qualified)
    if (functions.some(({ name, has }) => name === of && !has(column))) throw refused(`${of}.${column}`);
  if (!selects(tree.SelectStmt as Tree)) throw invalidField('query', 'The query selects no columns');
  if (sizeOfStatement(tree.SelectStmt as Tree) > MAX_EXPRESSIONS)
    throw new CatalogError('LIMIT', 'The statement is too complex: nested subqueries multiply its size');
  const checked = checkValues(tree.SelectStmt as Tree, maxRows);
  return { tables: [...tables].filter((name) => !given.has(name)), given: [...given], checked };
}

/** Whether a SELECT has columns. */
const selects = (select: Tree): boolean =>
  select.larg ? selects(select.larg as Tree) : select.targetList !== undefined || select.valuesLists !== undefined;

/** Texts of a list of String nodes. An asterisk becomes null, any other node undefined. */
const namesOf = (nodes: unknown): (string | null | undefined)[] =>
  ((nodes ?? []) as Tree[]).map((node) => (node.A_Star ? null : (node.String as { sval?: string } | undefined)?.sval));

/** A function in FROM, with the name of its columns. */
interface Source {
  readonly name: string;
  readonly has: (column: string) => boolean;
}

/** Column names of functions that return several columns. */
const OWN_COLUMNS = new Set(['key', 'value', 'ordinality']);

/**
 * A function in FROM returns a single value, not a row. PostgreSQL reads `value.f` as `f(value)` for any function, so only columns named
 * here and allowed functions may follow the dot.
 */
function sourceOf({ alias, functions }: Tree): Source {
  const { aliasname, colnames } = (alias ?? {}) as { aliasname?: string; colnames?: unknown };
  const columns = new Set(namesOf(colnames));
  const name = aliasname ?? calledOf(functions);
  if (name === null) throw refused('a value in FROM without a name (AS)');
  return {
    name,
    has: (column) =>
      columns.has(column) ||
      (columns.size === 0 && column === name) ||
      OWN_COLUMNS.has(column) ||
      FUNCTIONS.has(column),
  };
}

/** Name of the first function; null when it has none. */
function calledOf(functions: unknown): string | null {
  const [first] = functions as { List?: { items?: Tree[] } }[];
  const call = first?.List?.items?.[0]?.FuncCall as Tree | undefined;
  return call ? (namesOf(call.funcname).at(-1) ?? null) : null;
}

/** Name of a built-in object of PostgreSQL; null for any other schema. */
function ownName(nodes: unknown): string | null {
  const names = namesOf(nodes);
  return names.length === 1 || (names.length === 2 && names[0] === 'pg_catalog') ? (names.at(-1) ?? null) : null;
}

const listed = (names: ReadonlySet<string>, nodes: unknown, what: string): void => {
  const name = ownName(nodes);
  if (name === null || !names.has(name)) throw refused(`${what} ${namesOf(nodes).join('.')}`);
};

const checkOperator = (nodes: unknown): void => {
  if ((nodes as unknown[]).length > 1) throw refused('an operator with a schema name');
  listed(OPERATORS, nodes, 'operator');
};

const SYSTEM = /^pg_/;

/** Additional checks per node kind, besides its parts. */
const CHECKS: Readonly<Record<string, (parts: Tree) => void>> = {
  RangeVar({ schemaname, relname }) {
    if (SYSTEM.test(String(relname)) || (schemaname !== undefined && schemaname !== 'public'))
      throw notAuthorized('Not authorized to access system tables');
  },
  CommonTableExpr({ ctename }) {
    if (SYSTEM.test(String(ctename))) throw refused(`WITH ${ctename}`);
  },
  FuncCall({ funcname }) {
    if (SYSTEM.test(namesOf(funcname).at(-1) ?? ''))
      throw notAuthorized('Not authorized to call functions of the system');
    listed(FUNCTIONS, funcname, 'function');
  },
  A_Expr: ({ name }) => checkOperator(name),
  SubLink({ operName }) {
    if (operName !== undefined) checkOperator(operName);
  },
  TypeName: ({ names }) => listed(TYPES, names, 'type'),
  CollateClause({ collname }) {
    if (ownName(collname) === null) throw refused('a collation with a schema name');
  },
  SQLValueFunction({ op }) {
    if (!CLOCK.has(String(op))) throw refused(String(op).replace('SVFOP_', '').toLowerCase());
  },
  /** PostgreSQL reads `row.f` as `f(row)` when no such column exists. For functions in FROM see sourceOf. */
  ColumnRef({ fields }) {
    const names = namesOf(fields);
    if (names.length > 2 || (names.length === 2 && SYSTEM.test(names[1] ?? ''))) throw refused(names.join('.'));
  },
  /** `(value).f` can be a function call as well. */
  A_Indirection({ indirection }) {
    if ((indirection as Tree[]).some((step) => step.A_Indices === undefined)) throw refused('( ).name');
  },
};
