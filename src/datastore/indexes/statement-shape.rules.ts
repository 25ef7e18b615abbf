/** Shape of a caller's statement that reads or groups rows of one table. Pure; reads names of columns only. */
import { AGGREGATES } from '../statement/statement.allowed.ts';
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

/** A single name that can be a column: not that of the table, which is a whole row. */
function ownColumn(node: unknown, table: string): string | null {
  const id = columnOf(node);
  return id === table && part(node, 'ColumnRef').fields.length === 1 ? null : id;
}

/** Columns of conditions. */
interface Filters {
  readonly table: string;
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
  const id = ownColumn(expression?.lexpr, filters.table);
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
    const id = ownColumn(node, table);
    if (id === null) return false;
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

/** Whether a sort key may mean a result column, which PostgreSQL prefers: it names some after their expression. */
const meansResult = (node: unknown, targets: Nodes): boolean =>
  isAlias(node, targets) ||
  (part(node, 'ColumnRef')?.fields.length === 1 &&
    (targets ?? []).some((one) => {
      const { name, val } = part(one, 'ResTarget');
      return name === undefined && part(val, 'ColumnRef') === undefined;
    }));

/** Sort columns; empty if a key is not a column of the table. */
function sortOf(sortClause: Nodes, targets: Nodes, table: string): SortKey[] {
  const keys = (sortClause ?? []).map((one): SortKey | null => {
    const { node, sortby_dir, sortby_nulls } = part(one, 'SortBy');
    const id = ownColumn(node, table);
    const direction = DIRECTIONS[`${sortby_dir} ${sortby_nulls}`];
    return id === null || direction === undefined || meansResult(node, targets) ? null : [id, direction];
  });
  return keys.includes(null) ? [] : (keys as SortKey[]);
}

/** Whether something below a node is computed from many rows, apart from subqueries. */
function hasFigure(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(hasFigure);
  if (typeof node !== 'object' || node === null || part(node, 'SubLink')) return false;
  const call = part(node, 'FuncCall');
  if (call && !call.over && AGGREGATES.has(part(call.funcname.at(-1), 'String')?.sval)) return true;
  return Object.values(node).some(hasFigure);
}

/** Shape of the statement; null for statements other than filtered or sorted reads of one table. */
export function shapeOfStatement(tree: Tree): string | null {
  const select = part(tree, 'SelectStmt');
  const { fromClause, whereClause, targetList, groupClause, havingClause, sortClause } = select ?? {};
  const { relname, alias } = part(fromClause?.[0], 'RangeVar') ?? {};
  // Columns that the caller renames are texts of the caller.
  if (fromClause?.length !== 1 || relname === undefined || alias?.colnames || select.withClause) return null;
  const table = alias?.aliasname ?? relname;
  const filters: Filters = { table, eq: new Set(), ranges: new Set(), isOrdered: true };
  if (whereClause && !addFilter(whereClause, filters)) return null;
  const eq = [...filters.eq];
  const ranges = [...filters.ranges].filter((id) => !filters.eq.has(id));
  if (!groupClause && !hasFigure(targetList)) {
    if (select.distinctClause || select.windowClause) return null;
    // Without a limit, PostgreSQL sorts the rows that it finds: an index by the order would be slower.
    const isLimited = select.limitCount && !part(select.limitCount, 'A_Const')?.isnull;
    const sort = isLimited ? sortOf(sortClause, targetList, table) : [];
    return shapeOfRows({ eq, ranges, isOrdered: filters.isOrdered, sort });
  }
  if (!whereClause) return null;
  const more = new Set<string>();
  const named = (groupClause ?? []).filter((one: unknown) => !isAlias(one, targetList));
  if (!addColumns([targetList, named, havingClause], table, more)) return null;
  const groups = named.length === (groupClause ?? []).length ? named.map(columnOf) : [];
  return shapeOfAggregate({ eq, ranges, groups: groups.includes(null) ? [] : groups, more: [...more] });
}
