/**
 * Bounds the growth of a statement when PostgreSQL inlines its subqueries. Each level that uses a column twice doubles it, so one line of
 * text could exhaust the server's memory before it runs, and a timeout does not help. Pure.
 */
import { isTree } from './statement.names.ts';
import type { Tree } from './statement.parser.ts';

/** Expressions of a FROM or WITH item: of its largest column, and of a whole row. */
interface Size {
  readonly column: number;
  readonly row: number;
}

interface Scope {
  /** Largest source of columns in this or an outer scope. */
  readonly from: Size;
  /** Table names in FROM; a bare name means the whole row. */
  readonly names: ReadonlySet<string>;
  readonly given: ReadonlyMap<string, Size>;
}

const ONE: Size = { column: 1, row: 1 };
const greater = (a: Size, b: Size): Size => ({ column: Math.max(a.column, b.column), row: a.row + b.row });

/** Number of expressions after inlining. The statement must have passed statement.rules.ts. */
export function sizeOfStatement(select: Tree): number {
  let total = 0;

  function query(select: Tree, around: Scope): Size {
    const given = new Map(around.given);
    for (const cte of ((select.withClause as Tree | undefined)?.ctes ?? []) as Tree[]) {
      const { ctename, ctequery } = cte.CommonTableExpr as { ctename: string; ctequery: Tree };
      given.set(ctename, query(ctequery.SelectStmt as Tree, { ...around, given }));
    }
    let scope: Scope = { ...around, given };
    if (select.larg) {
      const left = query(select.larg as Tree, scope);
      const right = query(select.rarg as Tree, scope);
      expression([select.sortClause, select.limitCount, select.limitOffset], scope);
      return { column: Math.max(left.column, right.column), row: Math.max(left.row, right.row) };
    }
    for (const item of (select.fromClause ?? []) as Tree[]) scope = source(item, scope);
    const targets = (select.targetList ?? select.valuesLists ?? []) as Tree[];
    const sizes = targets.map((target) => column(target, scope));
    const { withClause: _with, fromClause: _from, targetList: _target, valuesLists: _values, ...others } = select;
    expression(others, scope);
    const widest = sizes.reduce((max, size) => Math.max(max, size.column), 1);
    return { column: widest, row: Math.max(1, sum(sizes.map((size) => size.row))) };
  }

  /** The scope plus one FROM item. The item can refer to those before it. */
  function source(item: Tree, scope: Scope): Scope {
    const [kind, parts] = Object.entries(item)[0] as [string, Tree];
    if (kind === 'JoinExpr') {
      const both = source(parts.rarg as Tree, source(parts.larg as Tree, scope));
      if (parts.quals) expression(parts.quals, both);
      return named(both, parts, ONE);
    }
    if (kind === 'RangeVar')
      return named(scope, parts, scope.given.get(String(parts.relname)) ?? ONE, String(parts.relname));
    if (kind === 'RangeSubselect')
      return named(scope, parts, query((parts.subquery as Tree).SelectStmt as Tree, scope));
    const size = expression(parts, scope);
    return named(scope, parts, { column: Math.max(1, size), row: Math.max(1, size) });
  }

  /** One selected expression. A `*` adds every column unchanged. */
  function column(target: Tree, scope: Scope): Size {
    const size = expression(target, scope);
    const isStar = ((target.ResTarget as Tree | undefined)?.val as Tree | undefined)?.ColumnRef !== undefined;
    return isStar && size === scope.from.row ? scope.from : { column: size, row: size };
  }

  function expression(part: unknown, scope: Scope): number {
    if (Array.isArray(part)) return sum(part.map((one) => expression(one, scope)));
    if (!isTree(part)) return 0;
    if (part.ColumnRef) return counted(reference(part.ColumnRef as Tree, scope));
    if (part.SelectStmt) return query(part.SelectStmt as Tree, scope).row;
    return sum(Object.values(part).map((inner) => expression(inner, scope)));
  }

  function reference({ fields }: Tree, { from, names }: Scope): number {
    const last = (fields as Tree[]).at(-1)!;
    const name = (last.String as { sval?: string } | undefined)?.sval;
    return name === undefined || names.has(name) ? from.row : from.column;
  }

  function counted(size: number): number {
    total += size;
    return size;
  }

  query(select, { from: { column: 1, row: 0 }, names: new Set(), given: new Map() });
  return total;
}

function named(scope: Scope, { alias }: Tree, size: Size, name?: string): Scope {
  const known = (alias as { aliasname?: string } | undefined)?.aliasname ?? name;
  return {
    ...scope,
    from: greater(scope.from, size),
    names: known === undefined ? scope.names : new Set([...scope.names, known]),
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((before, number) => before + number, 0);
