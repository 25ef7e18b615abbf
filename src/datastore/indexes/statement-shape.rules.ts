/** Shape of a caller's statement that reads or groups rows of one table. Pure; reads names of columns only. */
import type { Tree } from '../statement/statement.parser.ts';
import { type SortKey, shapeOfAggregate, shapeOfRows } from './shape.rules.ts';

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

/** Columns of conditions. */
interface Filters {
  readonly eq: Set<string>;
  readonly ranges: Set<string>;
  isOrdered: boolean;
}

/** Adds the columns of a condition; false if there is another kind of condition. */
function addFilter(node: unknown, filters: Filters): boolean {
  const { eq, ranges } = filters;
  const all = part(node, 'BoolExpr');
  if (all) return all.boolop === 'AND_EXPR' && all.args.every((one: unknown) => addFilter(one, filters));
  const expression = part(node, 'A_Expr');
  const id = columnOf(expression?.lexpr);
  if (id === null) return false;
  const sign = part(expression.name?.[0], 'String')?.sval;
  const values = part(expression.rexpr, 'List')?.items as Nodes;
  if (values) {
    const fits = (sign === '=' || expression.kind.startsWith('AEXPR_BETWEEN')) && values.every(isValue);
    if (fits) (sign === '=' ? eq : ranges).add(id);
    if (sign === '=' && values.length > 1) filters.isOrdered = false;
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

const DIRECTIONS: Readonly<Record<string, SortKey[1]>> = {
  'SORTBY_DEFAULT SORTBY_NULLS_DEFAULT': '',
  'SORTBY_ASC SORTBY_NULLS_DEFAULT': '',
  'SORTBY_DEFAULT SORTBY_NULLS_LAST': '',
  'SORTBY_ASC SORTBY_NULLS_LAST': '',
  'SORTBY_DEFAULT SORTBY_NULLS_FIRST': 'NULLS FIRST',
  'SORTBY_ASC SORTBY_NULLS_FIRST': 'NULLS FIRST',
  'SORTBY_DESC SORTBY_NULLS_DEFAULT': 'DESC',
  'SORTBY_DESC SORTBY_NULLS_FIRST': 'DESC',
  'SORTBY_DESC SORTBY_NULLS_LAST': 'DESC NULLS LAST',
};

/** Sort columns; empty if a key is not a column of the table. */
function sortOf(sortClause: Nodes, targets: Nodes): SortKey[] {
  const keys = (sortClause ?? []).map((one): SortKey | null => {
    const { node, sortby_dir, sortby_nulls } = part(one, 'SortBy');
    const id = columnOf(node);
    const direction = DIRECTIONS[`${sortby_dir} ${sortby_nulls}`];
    return id === null || direction === undefined || isAlias(node, targets) ? null : [id, direction];
  });
  return keys.includes(null) ? [] : (keys as SortKey[]);
}

/** Shape of the statement; null for statements other than filtered or sorted reads of one table. */
export function shapeOfStatement(tree: Tree): string | null {
  const select = part(tree, 'SelectStmt');
  const { fromClause, whereClause, targetList, groupClause, havingClause, sortClause } = select ?? {};
  if (fromClause?.length !== 1 || !part(fromClause[0], 'RangeVar') || select.withClause) return null;
  const filters: Filters = { eq: new Set(), ranges: new Set(), isOrdered: true };
  if (whereClause && !addFilter(whereClause, filters)) return null;
  const eq = [...filters.eq];
  const ranges = [...filters.ranges].filter((id) => !filters.eq.has(id));
  const hasFigure = targetList?.some((one: unknown) => part(part(one, 'ResTarget')?.val, 'FuncCall'));
  if (!groupClause && !hasFigure) {
    if (select.distinctClause || select.windowClause) return null;
    // Without a limit, PostgreSQL sorts the rows that it finds: an index by the order would be slower.
    const sort = select.limitCount ? sortOf(sortClause, targetList) : [];
    return shapeOfRows({ eq, ranges, isOrdered: filters.isOrdered, sort });
  }
  if (!whereClause) return null;
  const more = new Set<string>();
  const { relname, alias } = part(fromClause[0], 'RangeVar');
  const table = alias?.aliasname ?? relname;
  const named = (groupClause ?? []).filter((one: unknown) => !isAlias(one, targetList));
  if (!addColumns([targetList, named, havingClause], table, more)) return null;
  const groups = named.length === (groupClause ?? []).length ? named.map(columnOf) : [];
  return shapeOfAggregate({ eq, ranges, groups: groups.includes(null) ? [] : groups, more: [...more] });
}
