/** Shape of a caller's statement that groups the rows of one table. Pure; reads names of columns only. */
import type { Tree } from '../statement/statement.parser.ts';
import { shapeOfAggregate } from './shape.rules.ts';

const COMPARISONS = new Set(['<', '<=', '>', '>=']);

type Nodes = readonly Tree[] | undefined;
const part = (node: unknown, kind: string): any => (node as Tree | undefined)?.[kind];

/** Name of a column, without its table; null for other nodes. */
function columnOf(node: unknown): string | null {
  const fields = part(node, 'ColumnRef')?.fields as Nodes;
  return fields ? (part(fields.at(-1), 'String')?.sval ?? null) : null;
}

const isValue = (node: unknown): boolean =>
  part(node, 'A_Const') !== undefined || (part(node, 'TypeCast') !== undefined && isValue(part(node, 'TypeCast').arg));

/** Adds the columns of a condition; false if there is another kind of condition. */
function addFilter(node: unknown, eq: Set<string>, ranges: Set<string>): boolean {
  const all = part(node, 'BoolExpr');
  if (all) return all.boolop === 'AND_EXPR' && all.args.every((one: unknown) => addFilter(one, eq, ranges));
  const expression = part(node, 'A_Expr');
  const id = columnOf(expression?.lexpr);
  if (id === null) return false;
  const sign = part(expression.name?.[0], 'String')?.sval;
  const values = part(expression.rexpr, 'List')?.items as Nodes;
  if (values) {
    const fits = (sign === '=' || expression.kind.startsWith('AEXPR_BETWEEN')) && values.every(isValue);
    if (fits) (sign === '=' ? eq : ranges).add(id);
    return fits;
  }
  if (expression.kind !== 'AEXPR_OP' || !isValue(expression.rexpr)) return false;
  if (sign === '=') eq.add(id);
  else if (COMPARISONS.has(sign)) ranges.add(id);
  else return false;
  return true;
}

/** Adds all columns below a node; false for `*` of columns, for whole rows, which have the name of the `table`, and for subqueries. */
function addColumns(node: unknown, table: string, columns: Set<string>): boolean {
  if (Array.isArray(node)) return node.every((one) => addColumns(one, table, columns));
  if (typeof node !== 'object' || node === null) return true;
  return Object.entries(node).every(([kind, inner]) => {
    if (kind === 'SubLink') return false;
    if (kind !== 'ColumnRef') return addColumns(inner, table, columns);
    const id = columnOf(node);
    if (id === null || (inner.fields.length === 1 && id === table)) return false;
    columns.add(id);
    return true;
  });
}

/**
 * Whether a group is the name of a result column: a text of the caller. If the table has a column of that name, PostgreSQL means the column.
 * The shape then omits it, which costs a visit of the rows.
 */
const isAlias = (group: unknown, targets: Nodes): boolean =>
  part(group, 'ColumnRef')?.fields.length === 1 &&
  (targets ?? []).some((one) => part(one, 'ResTarget')?.name === columnOf(group));

/** Shape of the statement; null for statements other than filtered aggregates of one table. */
export function shapeOfStatement(tree: Tree): string | null {
  const select = part(tree, 'SelectStmt');
  const { fromClause, whereClause, targetList, groupClause, havingClause } = select ?? {};
  if (!whereClause || fromClause?.length !== 1 || !part(fromClause[0], 'RangeVar') || select.withClause) return null;
  const hasFigure = targetList?.some((one: unknown) => part(part(one, 'ResTarget')?.val, 'FuncCall'));
  if (!groupClause && !hasFigure) return null;
  const [eq, ranges, more] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const { relname, alias } = part(fromClause[0], 'RangeVar');
  const table = alias?.aliasname ?? relname;
  const named = (groupClause ?? []).filter((one: unknown) => !isAlias(one, targetList));
  if (!addFilter(whereClause, eq, ranges) || !addColumns([targetList, named, havingClause], table, more)) return null;
  const groups = named.length === (groupClause ?? []).length ? named.map(columnOf) : [];
  return shapeOfAggregate({
    eq: [...eq],
    ranges: [...ranges],
    groups: groups.includes(null) ? [] : groups,
    more: [...more],
  });
}
