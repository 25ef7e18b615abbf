/**
 * Bounds the size of a statement's values from its tree: literals by length, columns by number of uses. A short text could request more
 * memory than a server has, or work that PostgreSQL does not interrupt. Pure.
 */
import { CatalogError, invalidField } from '../../kernel/errors.ts';
import { beside, type Value, widest } from './statement.growth.ts';
import { KINDS, NOTHING } from './statement.kinds.ts';
import {
  calledOf,
  isStar,
  isTree,
  largest,
  merged,
  onlyCall,
  renamed,
  type Scope,
  type Source,
  starred,
  TABLE,
} from './statement.names.ts';
import type { Tree } from './statement.parser.ts';
import { seriesIn } from './statement.series.ts';

/** Maximum bytes of a value, besides columns. */
const MAX_FIXED = 8e6;
const MAX_TIMES = 256;
/** Maximum bytes of all columns of a row. */
const MAX_ROW_FIXED = 32e6;
/** Maximum work in bytes: about two seconds. */
const MAX_WORK = 2e9;

const tooGreat = (what: string): CatalogError =>
  new CatalogError('LIMIT', `The statement is too complex: ${what}. Simplify it, or query less at a time.`);

interface Measure {
  readonly maxRows: number;
  /** Nodes that were bounded. */
  readonly measured: Set<unknown>;
  isChecked: boolean;
}

/**
 * Whether sizes must be checked while the statement runs. The statement must have passed statement.rules.ts. Each series produces at most
 * `maxRows` rows; joined series multiply.
 * @throws CatalogError LIMIT, VALIDATION
 */
export function checkValues(select: Tree, maxRows: number): boolean {
  const measure: Measure = { maxRows, measured: new Set(), isChecked: false };
  const found = query(measure, select, null, new Map());
  made(measure, { ...found.row, times: 0, fixed: 0 });
  allMeasured(measure, select);
  return measure.isChecked;
}

function made(measure: Measure, value: Value): Value {
  if (value.checked) measure.isChecked = true;
  if (value.fixed > MAX_FIXED) throw tooGreat('it creates very long values from short ones');
  if (value.times > MAX_TIMES) throw tooGreat('it creates very long values from columns');
  if (value.work > MAX_WORK) throw tooGreat('it requires too much work per row');
  return value;
}

function query(measure: Measure, select: Tree, outer: Scope | null, inherited: ReadonlyMap<string, Source>): Source {
  const given = new Map(inherited);
  for (const cte of ((select.withClause as Tree | undefined)?.ctes ?? []) as Tree[]) {
    const { ctename, ctequery, aliascolnames } = cte.CommonTableExpr as Tree;
    measure.measured.add((ctequery as Tree).SelectStmt);
    const found = query(measure, (ctequery as Tree).SelectStmt as Tree, outer, given);
    given.set(String(ctename), renamed(found, aliascolnames));
  }
  const scope: Scope = { sources: [], given, around: outer };
  return select.larg ? union(measure, select, scope) : selection(measure, select, scope);
}

/** Two queries joined by UNION, INTERSECT or EXCEPT. */
function union(measure: Measure, select: Tree, scope: Scope): Source {
  const { withClause: _with, larg, rarg, ...others } = select;
  const left = query(measure, larg as Tree, scope.around, scope.given);
  const right = query(measure, rarg as Tree, scope.around, scope.given);
  const value = widest([largest(left), largest(right)]);
  const both = series(measure, {
    columns: new Map([...left.columns.keys()].map((name) => [name, value])),
    others: value,
    row: widest([left.row, right.row]),
    rows: left.rows + right.rows,
  });
  expression(measure, others, { ...scope, sources: [{ name: undefined, source: both }] });
  return series(measure, { ...both, rows: both.rows * seriesIn(others) });
}

function selection(measure: Measure, select: Tree, outer: Scope): Source {
  const { withClause: _with, fromClause, targetList, valuesLists, ...others } = select;
  let scope = outer;
  let rows = 1;
  for (const item of (fromClause ?? []) as Tree[]) {
    const joined = from(measure, item, scope);
    scope = joined.scope;
    rows = series(measure, { ...TABLE, rows: rows * joined.rows }).rows;
  }
  const columns = createColumns();
  const counted = new Set<string>();
  for (const target of (targetList ?? []) as Tree[]) {
    const { name, val } = target.ResTarget as { name?: string; val: Tree };
    const value = expression(measure, val, scope);
    if (isStar(val)) columns.addStar(starred(val, scope), value);
    else columns.add(name ?? calledOf(val), value);
    rows *= seriesIn(val);
    seriesIn(val, counted);
  }
  for (const list of (valuesLists ?? []) as Tree[])
    ((list.List as Tree).items as Tree[]).forEach((item, index) => {
      columns.add(`column${index + 1}`, expression(measure, item, scope));
    });
  expression(measure, others, scope);
  const row = columns.row();
  if (valuesLists === undefined && row.fixed > MAX_ROW_FIXED) throw tooGreat('its rows are too long');
  const limit = (select.limitCount as { A_Const?: { ival?: { ival?: number } } } | undefined)?.A_Const?.ival?.ival;
  rows *= seriesIn(others, counted);
  series(measure, { ...TABLE, rows });
  const isLimited = limit !== undefined && select.limitOption !== 'LIMIT_OPTION_WITH_TIES';
  return { ...columns.source(), row, rows: isLimited ? Math.min(rows, limit) : rows };
}

/** Collects the columns of a selection. Columns with the same name are as large as the widest of them. */
function createColumns() {
  const columns = new Map<string, Value>();
  const unnamed: Value[] = [];
  const inRow: Value[] = [];
  const put = (name: string | undefined, value: Value) => {
    const before = name === undefined ? undefined : columns.get(name);
    if (name === undefined) unnamed.push(value);
    else columns.set(name, before ? widest([before, value]) : value);
  };
  return {
    add(name: string | undefined, value: Value) {
      inRow.push(value);
      put(name, value);
    },
    /** `value`: that of all columns of the star. */
    addStar(sources: readonly Source[], value: Value) {
      inRow.push(value);
      for (const source of sources) {
        for (const [column, size] of source.columns) put(column, size);
        unnamed.push(source.others);
      }
    },
    row: () => beside(inRow),
    source: () => ({ columns, others: widest(unnamed) }),
  };
}

function series(measure: Measure, source: Source): Source {
  if (source.rows > measure.maxRows && source.rows > 1)
    throw new CatalogError(
      'LIMIT',
      `generate_series must return at most ${measure.maxRows} rows (catalog.datastore.max_rows); joined series are multiplied`,
    );
  return source;
}

/** The scope plus one FROM item, and its number of rows. The item can refer to those before it. */
function from(measure: Measure, item: Tree, scope: Scope): { scope: Scope; rows: number } {
  const [kind, parts] = Object.entries(item)[0] as [string, Tree];
  const { aliasname, colnames } = (parts.alias ?? {}) as { aliasname?: string; colnames?: unknown };
  const within = (source: Source, name = aliasname) => ({
    scope: { ...scope, sources: [...scope.sources, { name, source: renamed(source, colnames) }] },
    rows: source.rows,
  });
  if (kind === 'JoinExpr') {
    const left = from(measure, parts.larg as Tree, scope);
    const right = from(measure, parts.rarg as Tree, left.scope);
    const { larg: _left, rarg: _right, ...others } = parts;
    // PostgreSQL searches names in the join only, or outside the whole FROM.
    const own = right.scope.sources.slice(scope.sources.length);
    expression(measure, others, { ...scope, sources: own });
    const called = (parts.join_using_alias as { aliasname?: string } | undefined)?.aliasname;
    const both = merged(own.map(({ source }) => source));
    const found = aliasname
      ? [{ name: aliasname, source: renamed(both, colnames) }]
      : [...own, ...(called ? [{ name: called, source: both }] : [])];
    return { scope: { ...scope, sources: [...scope.sources, ...found] }, rows: left.rows * right.rows };
  }
  if (kind === 'RangeVar') {
    const name = String(parts.relname);
    return within(parts.schemaname === undefined ? (scope.given.get(name) ?? TABLE) : TABLE, aliasname ?? name);
  }
  if (kind === 'RangeSubselect') {
    const seen = parts.lateral ? scope : { ...scope, sources: [] };
    measure.measured.add((parts.subquery as Tree).SelectStmt);
    return within(query(measure, (parts.subquery as Tree).SelectStmt as Tree, seen, scope.given));
  }
  const value = expression(measure, parts.functions, scope);
  const only = onlyCall(parts.functions);
  const name = aliasname ?? only;
  const columns = new Map(only === 'generate_series' ? [[name ?? only, value] as const] : []);
  return within({ columns, others: value, row: value, rows: seriesIn(parts.functions), isFunction: true }, name);
}

function expression(measure: Measure, part: unknown, scope: Scope): Value {
  const read = (inner: unknown) => expression(measure, inner, scope);
  if (Array.isArray(part)) return beside(part.map(read));
  if (!isTree(part)) return NOTHING;
  const [kind = '', parts] = Object.entries(part)[0] ?? [];
  if (kind === 'TypeName' || kind === 'Alias') return NOTHING;
  if (!isKnown(kind)) return beside(Object.values(part).map(read));
  measure.measured.add(parts);
  const node = parts as Tree;
  return made(
    measure,
    kind === 'SelectStmt' ? query(measure, node, scope, scope.given).row : KINDS[kind]!(node, read, scope),
  );
}

const isKnown = (kind: string): boolean => kind === 'SelectStmt' || KINDS[kind] !== undefined;

/** Refuses nodes at a position that the measurement does not cover. */
function allMeasured(measure: Measure, part: unknown): void {
  if (Array.isArray(part)) for (const one of part) allMeasured(measure, one);
  else if (isTree(part))
    for (const [key, inner] of Object.entries(part)) {
      if (key === 'TypeName' || key === 'typeName') continue;
      if (isKnown(key) && !measure.measured.has(inner))
        throw invalidField('query', `Not allowed in a query here: ${key}`);
      allMeasured(measure, inner);
    }
}
