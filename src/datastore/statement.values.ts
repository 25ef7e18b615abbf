/**
 * How great the values of a statement may become, from its tree: literals count as they are, columns by how often they come. A short
 * text could ask for more memory than a server has, or for work that PostgreSQL does not interrupt. Pure.
 */
import { CatalogError, invalidField } from '../kernel/errors.ts';
import {
  beside,
  COLUMN,
  GROWTH,
  type Growth,
  OPERATOR_GROWTH,
  SMALL,
  together,
  type Value,
  widest,
} from './statement.growth.ts';
import type { Tree } from './statement.parser.ts';
import { rowsOfSeries } from './statement.series.ts';

/** What a statement may make. */
const MAX_FIXED = 8e6;
const MAX_TIMES = 256;
/** Of all columns of a row. */
const MAX_ROW_FIXED = 32e6;
/** About two seconds. */
const MAX_WORK = 2e9;

/** What a FROM or WITH gives: its columns by name, where names are known, and the greatest of the others. */
interface Source {
  readonly columns: ReadonlyMap<string, Value>;
  readonly others: Value;
  readonly row: Value;
  /** Rows that series give it, multiplied. */
  readonly rows: number;
}

interface Scope {
  readonly sources: readonly { readonly name: string | undefined; readonly source: Source }[];
  readonly given: ReadonlyMap<string, Source>;
  readonly around: Scope | null;
}

const TABLE: Source = { columns: new Map(), others: COLUMN, row: { ...COLUMN, times: 4 }, rows: 1 };
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;
const textOf = (node: unknown): string | undefined => (node as { String?: { sval?: string } }).String?.sval;
const lastName = (nodes: unknown): string => textOf((nodes as unknown[]).at(-1)) ?? '';
const tooGreat = (what: string): CatalogError =>
  new CatalogError('LIMIT', `The statement is too complex: ${what}. Ask for less at a time.`);

/**
 * Whether sizes must be checked while the statement runs; it must have passed statement.rules.ts otherwise. Series give `maxRows` rows
 * at most, those that are joined multiplied. @throws CatalogError LIMIT, VALIDATION
 */
export function checkValues(select: Tree, maxRows: number): boolean {
  let isChecked = false;

  function made(value: Value): Value {
    if (value.checked) isChecked = true;
    if (value.fixed > MAX_FIXED) throw tooGreat('it makes values that are too long of short ones');
    if (value.times > MAX_TIMES) throw tooGreat('it makes values that are too long of columns');
    if (value.work > MAX_WORK) throw tooGreat('it takes too much work for each row');
    return value;
  }

  function query(select: Tree, outer: Scope | null, inherited: ReadonlyMap<string, Source>): Source {
    const given = new Map(inherited);
    for (const cte of ((select.withClause as Tree | undefined)?.ctes ?? []) as Tree[]) {
      const { ctename, ctequery, aliascolnames } = cte.CommonTableExpr as Tree;
      const found = query((ctequery as Tree).SelectStmt as Tree, outer, given);
      given.set(String(ctename), aliascolnames ? renamed(found) : found);
    }
    let scope: Scope = { sources: [], given, around: outer };
    if (select.larg) {
      const left = query(select.larg as Tree, outer, given);
      const right = query(select.rarg as Tree, outer, given);
      return series({
        columns: new Map(),
        others: widest([largest(left), largest(right)]),
        row: widest([left.row, right.row]),
        rows: left.rows + right.rows,
      });
    }
    let rows = 1;
    for (const item of (select.fromClause ?? []) as Tree[]) {
      const joined = from(item, scope);
      scope = joined.scope;
      rows = series({ ...TABLE, rows: rows * joined.rows }).rows;
    }
    const columns = new Map<string, Value>();
    const unnamed: Value[] = [];
    const add = (name: string | undefined, value: Value) => {
      const before = name === undefined ? undefined : columns.get(name);
      if (name === undefined) unnamed.push(value);
      else columns.set(name, before ? widest([before, value]) : value);
    };
    const inRow: Value[] = [];
    for (const target of (select.targetList ?? []) as Tree[]) {
      const { name, val } = target.ResTarget as { name?: string; val: Tree };
      const value = expression(val, scope);
      inRow.push(value);
      if (isStar(val))
        for (const { source } of scope.sources) {
          for (const [column, size] of source.columns) add(column, size);
          unnamed.push(source.others);
        }
      else add(name ?? calledOf(val), value);
      rows *= seriesIn(val);
    }
    for (const list of (select.valuesLists ?? []) as Tree[]) {
      const values = ((list.List as Tree).items as Tree[]).map((item) => expression(item, scope));
      unnamed.push(...values);
      inRow.push(...values);
    }
    const { withClause: _with, fromClause: _from, targetList: _target, valuesLists: _values, ...others } = select;
    expression(others, scope);
    const row = beside(inRow);
    if (select.valuesLists === undefined && row.fixed > MAX_ROW_FIXED) throw tooGreat('its rows are too long');
    const limit = (select.limitCount as { A_Const?: { ival?: { ival?: number } } } | undefined)?.A_Const?.ival?.ival;
    series({ ...TABLE, rows });
    return { columns, others: widest(unnamed), row, rows: limit === undefined ? rows : Math.min(rows, limit) };
  }

  function series(source: Source): Source {
    if (source.rows > maxRows && source.rows > 1)
      throw new CatalogError(
        'LIMIT',
        `generate_series: at most ${maxRows} rows (catalog.datastore.max_rows), those that are joined multiplied`,
      );
    return source;
  }

  function seriesIn(part: unknown): number {
    if (Array.isArray(part)) return part.reduce((rows: number, one) => rows * seriesIn(one), 1);
    if (!isTree(part) || part.SelectStmt) return 1;
    const call = part.FuncCall as Tree | undefined;
    const own = call && lastName(call.funcname) === 'generate_series' ? seriesOf(call) : 1;
    return Object.values(part).reduce((rows: number, inner) => rows * seriesIn(inner), own);
  }

  function seriesOf({ args }: Tree): number {
    const rows = rowsOfSeries((args ?? []) as unknown[]);
    if (rows === null)
      throw invalidField(
        'query',
        'generate_series needs literal bounds and a literal step that is not zero: numbers, or dates as 2020-01-31 with a step as 1 day',
      );
    return rows;
  }

  /** The scope with one more item of FROM in it, and how many rows it has; what it is made of may look at those before it. */
  function from(item: Tree, scope: Scope): { scope: Scope; rows: number } {
    const [kind, parts] = Object.entries(item)[0] as [string, Tree];
    const { aliasname, colnames } = (parts.alias ?? {}) as { aliasname?: string; colnames?: unknown };
    const within = (source: Source, name = aliasname) => ({
      scope: { ...scope, sources: [...scope.sources, { name, source: colnames ? renamed(source) : source }] },
      rows: source.rows,
    });
    if (kind === 'JoinExpr') {
      const left = from(parts.larg as Tree, scope);
      const right = from(parts.rarg as Tree, left.scope);
      if (parts.quals) expression(parts.quals, right.scope);
      const all = right.scope.sources.map(({ source }) => source);
      const sources = aliasname
        ? [...right.scope.sources, { name: aliasname, source: merged(all) }]
        : right.scope.sources;
      return { scope: { ...right.scope, sources }, rows: left.rows * right.rows };
    }
    if (kind === 'RangeVar') {
      const name = String(parts.relname);
      return within(parts.schemaname === undefined ? (scope.given.get(name) ?? TABLE) : TABLE, aliasname ?? name);
    }
    if (kind === 'RangeSubselect')
      return within(query((parts.subquery as Tree).SelectStmt as Tree, scope, scope.given));
    const value = expression(parts.functions, scope);
    return within({ columns: new Map(), others: value, row: value, rows: seriesIn(parts.functions) });
  }

  function expression(part: unknown, scope: Scope): Value {
    if (Array.isArray(part)) return beside(part.map((one) => expression(one, scope)));
    if (!isTree(part)) return NOTHING;
    const [kind, parts] = Object.entries(part)[0] ?? [];
    if (kind === 'TypeName' || kind === 'Alias') return NOTHING;
    const known = kind === undefined ? undefined : KINDS[kind];
    if (known) return made(known(parts as Tree, scope));
    return beside(Object.values(part).map((inner) => (isTree(inner) ? expression(inner, scope) : NOTHING)));
  }

  const each = (nodes: unknown, scope: Scope): Value[] =>
    ((nodes ?? []) as Tree[]).map((node) => expression(node, scope));

  const KINDS: Readonly<Record<string, (parts: Tree, scope: Scope) => Value>> = {
    A_Const: literal,
    ColumnRef: ({ fields }, scope) => reference((fields as Tree[]).map(textOf), scope),
    SelectStmt: (parts, scope) => query(parts, scope, scope.given).row,
    TypeCast: ({ arg, typeName }, scope) => cast(expression(arg, scope), typeName as Tree),
    FuncCall({ funcname, args, func_variadic, over, agg_filter, agg_order, agg_within_group }, scope) {
      const values = each(args, scope);
      const around = [over, agg_filter, agg_order].map((one) => expression(one, scope));
      const name = lastName(funcname);
      const grown = (GROWTH.get(name) ?? together)(
        agg_within_group ? [...values, expression(agg_order, scope)] : func_variadic ? spread(values) : values,
      );
      // PostgreSQL resolves these names where the grammar does, not where sizes are checked.
      if (grown.checked && (funcname as unknown[]).length > 1)
        throw invalidField(
          'query',
          `${name}: write it as a function without a schema, such as strpos(text, part) or btrim(text, characters)`,
        );
      if (name === 'generate_series') seriesOf({ args });
      return { ...grown, work: grown.work + beside(around).work };
    },
    A_Expr({ kind, name, lexpr, rexpr }, scope) {
      const values = [lexpr, rexpr].filter(Boolean).map((one) => expression(one, scope));
      const growth: Growth | undefined = OPERATOR_GROWTH.get(lastName(name));
      if (growth && (kind === 'AEXPR_OP' || kind === 'AEXPR_LIKE' || kind === 'AEXPR_ILIKE')) return growth(values);
      if (growth && (kind === 'AEXPR_OP_ANY' || kind === 'AEXPR_OP_ALL')) {
        const [left = SMALL, right = SMALL] = values;
        return growth([left, { ...right, literal: undefined } as Value]);
      }
      return kind === 'AEXPR_OP' ? together(values) : { ...beside(values), fixed: 64, times: 0 };
    },
    CaseExpr: ({ arg, args, defresult }, scope) => {
      const whens = ((args ?? []) as { CaseWhen: Tree }[]).map(({ CaseWhen }) => CaseWhen);
      const before = beside([expression(arg, scope), ...whens.map(({ expr }) => expression(expr, scope))]);
      const result = widest([...whens.map(({ result }) => expression(result, scope)), expression(defresult, scope)]);
      return { ...result, work: result.work + before.work };
    },
    CoalesceExpr: ({ args }, scope) => widest(each(args, scope)),
    MinMaxExpr: ({ args }, scope) => widest(each(args, scope)),
    BoolExpr: ({ args }, scope) => ({ ...beside(each(args, scope)), fixed: 1, times: 0 }),
    NullTest: ({ arg }, scope) => ({ ...expression(arg, scope), fixed: 1, times: 0 }),
    A_ArrayExpr: ({ elements }, scope) => together([...each(elements, scope), SMALL], 1),
    CollateClause: ({ arg }, scope) => expression(arg, scope),
  };

  const found = query(select, null, new Map());
  made({ ...found.row, times: 0, fixed: 0 });
  return isChecked;
}

const NOTHING: Value = { fixed: 0, times: 0, work: 0 };

/** Of a list that is given as the arguments: each of its items may be as long as all of it. */
const spread = (values: readonly Value[]): Value[] =>
  values.map((value, place) => (place === 0 ? value : { ...value, times: value.times + (value.times > 0 ? 1 : 0) }));

const literal = (parts: Tree): Value => {
  const { sval, fval, ival, bsval } = parts as Record<
    string,
    { sval?: string; fval?: string; ival?: number; bsval?: string }
  >;
  if (ival) return { ...SMALL, literal: String(ival.ival ?? 0) };
  const text = sval?.sval ?? fval?.fval ?? bsval?.bsval ?? '';
  const digits = fval && /e/i.test(text) ? 150_000 : 0;
  return { fixed: Math.max(Buffer.byteLength(text), digits), times: 0, work: 0, literal: text };
};

const TEXTS = /^(text|varchar|json|jsonb|bytea|tsvector|tsquery|inet|cidr)$/;

function cast(value: Value, { names, typmods, arrayBounds }: Tree): Value {
  const name = lastName(names);
  const { literal: text, ...other } = value;
  const length = ((typmods ?? []) as Tree[]).map((node) => Number(literal((node.A_Const ?? {}) as Tree).literal ?? 0));
  if (arrayBounds !== undefined) return together([other], 8);
  if (name === 'bpchar' || name === 'bit') return { ...other, fixed: Math.max(value.fixed, length[0] ?? 1) };
  if (name === 'numeric' || name === 'decimal') {
    const digits = length.length > 0 ? length.reduce((all, one) => all + Math.abs(one), 8) : null;
    return { ...value, fixed: digits ?? (text !== undefined && !/e/i.test(text) ? text.length : 150_000), times: 0 };
  }
  if (name === 'varbit') return value;
  // A text stays as it is; what else becomes one is quoted, or written in hexadecimal.
  if (TEXTS.test(name)) return text !== undefined || value === COLUMN ? { ...value } : together([other], 2);
  return { ...value, fixed: 64, times: 0 };
}

function reference(names: readonly (string | undefined)[], scope: Scope): Value {
  const name = names.at(-1);
  const of = names.length > 1 ? names[0] : undefined;
  for (let at: Scope | null = scope; at; at = at.around) {
    const sources = at.sources.filter((one) => of === undefined || one.name === of).map(({ source }) => source);
    if (sources.length === 0) continue;
    if (name === undefined) return beside(sources.map(({ row }) => row));
    const whole = of === undefined ? at.sources.find((one) => one.name === name)?.source : undefined;
    const known = sources.flatMap(({ columns }) => columns.get(name) ?? []);
    const unknown = sources.map(({ others }) => others);
    const isSure = known.length > 0 && sources.length === 1;
    const found = isSure ? known : [...known, ...unknown, ...(whole ? [whole.row] : [])];
    if (found.length === 1) return found[0]!;
    if (found.length > 0) return widestOf(found);
  }
  return COLUMN;
}

/** Of one among them, nobody knows which: not the work on all. */
function widestOf(values: readonly Value[]): Value {
  return { ...widest(values), work: Math.max(...values.map(({ work }) => work)) };
}

const largest = ({ columns, others }: Source): Value => widestOf([...columns.values(), others]);
const renamed = (source: Source): Source => ({ ...source, columns: new Map(), others: largest(source) });
const merged = (sources: readonly Source[]): Source => ({
  columns: new Map(),
  others: widestOf(sources.map(largest)),
  row: beside(sources.map(({ row }) => row)),
  rows: 1,
});

const isStar = (node: Tree): boolean =>
  ((node.ColumnRef as { fields?: Tree[] } | undefined)?.fields?.at(-1) as Tree | undefined)?.A_Star !== undefined;

/** What PostgreSQL calls a column that has no name of its own. */
function calledOf(node: Tree): string | undefined {
  if (node.ColumnRef) return textOf((node.ColumnRef as { fields: unknown[] }).fields.at(-1));
  if (node.FuncCall) return lastName((node.FuncCall as Tree).funcname);
  if (node.TypeCast) return calledOf((node.TypeCast as { arg: Tree }).arg);
  return undefined;
}
