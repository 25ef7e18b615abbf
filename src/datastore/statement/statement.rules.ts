/**
 * What a caller's statement may do, decided by its tree and never by its text: every kind of node, every part of one, every
 * function, operator and type must be in statement.allowed.ts. Pure; who may read the tables is the service's to ask.
 */
import { CatalogError, invalidField, notAuthorized } from '../../kernel/errors.ts';
import { CLOCK, FUNCTIONS, NODES, OPERATORS, type Part, TYPES } from './statement.allowed.ts';
import type { Tree } from './statement.parser.ts';
import { sizeOfStatement } from './statement.size.ts';
import { checkValues } from './statement.values.ts';

/** What a statement that is allowed by its form speaks of. */
export interface Spoken {
  /** Names of tables and aliases, those that WITH gives not among them. */
  readonly tables: readonly string[];
  /** Names that WITH gives: none may be that of anything in the database, or a part outside that WITH would read it unasked. */
  readonly given: readonly string[];
  /** Whether PostgreSQL must look at sizes as it runs: see statement.values.ts. */
  readonly checked: boolean;
}

const MAX_NODES = 20_000;
const MAX_DEPTH = 250;
/** With every subquery put in; PostgreSQL needs some 100 bytes for each, several times. */
const MAX_EXPRESSIONS = 100_000;

const WRITES = /^(Insert|Update|Delete|Merge)Stmt$|^(intoClause|lockingClause)$/;
const denied = (): CatalogError => notAuthorized('Not authorized to read resource.');
const refused = (what: string): CatalogError => invalidField('query', `Not allowed in a query: ${what}`);

/** Series give `maxRows` rows at most. @throws CatalogError VALIDATION, NOT_AUTHORIZED (writes, tables of the system), LIMIT */
export function checkStatement(tree: Tree, maxRows: number): Spoken {
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

/** Whether a row of it has columns. */
const selects = (select: Tree): boolean =>
  select.larg ? selects(select.larg as Tree) : select.targetList !== undefined || select.valuesLists !== undefined;

/** Texts of a list of String nodes; an asterisk is null, anything else is undefined. */
const namesOf = (nodes: unknown): (string | null | undefined)[] =>
  ((nodes ?? []) as Tree[]).map((node) => (node.A_Star ? null : (node.String as { sval?: string } | undefined)?.sval));

/** A function in FROM, by the name that its columns are called by. */
interface Source {
  readonly name: string;
  readonly has: (column: string) => boolean;
}

/** Columns of functions that give more than one. */
const OWN_COLUMNS = new Set(['key', 'value', 'ordinality']);

/**
 * What a function in FROM gives is a single value, not a row: PostgreSQL takes `value.f` for `f(value)`, of whatever function. So its
 * columns are those that have a name here, and what may be called anyway.
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

/** What the first of the functions is called; null where it is none with a name. */
function calledOf(functions: unknown): string | null {
  const [first] = functions as { List?: { items?: Tree[] } }[];
  const call = first?.List?.items?.[0]?.FuncCall as Tree | undefined;
  return call ? (namesOf(call.funcname).at(-1) ?? null) : null;
}

/** The name of something of PostgreSQL's own; null where it is in another schema. */
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

/** What is looked at in nodes of one kind besides their parts. */
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
  /** PostgreSQL takes `row.f` for `f(row)` where there is no such column; what functions in FROM give, see sourceOf. */
  ColumnRef({ fields }) {
    const names = namesOf(fields);
    if (names.length > 2 || (names.length === 2 && SYSTEM.test(names[1] ?? ''))) throw refused(names.join('.'));
  },
  /** Nor is `(value).f` a part of a value alone. */
  A_Indirection({ indirection }) {
    if ((indirection as Tree[]).some((step) => step.A_Indices === undefined)) throw refused('( ).name');
  },
};
