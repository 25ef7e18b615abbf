/**
 * Bounds the size of a statement's values from its tree: literals by length, columns by number of uses. A short text could request more
 * memory than a server has, or work that PostgreSQL does not interrupt. Pure.
 */
import { CatalogError, invalidField } from '../../kernel/errors.ts';
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
import {
  calledOf,
  isStar,
  largest,
  lastName,
  merged,
  onlyCall,
  reference,
  renamed,
  type Scope,
  type Source,
  starred,
  TABLE,
  textOf,
} from './statement.names.ts';
import type { Tree } from './statement.parser.ts';
import { rowsOfSeries } from './statement.series.ts';

/** Maximum bytes of a value, besides columns. */
const MAX_FIXED = 8e6;
const MAX_TIMES = 256;
/** Maximum bytes of all columns of a row. */
const MAX_ROW_FIXED = 32e6;
/** Maximum work in bytes: about two seconds. */
const MAX_WORK = 2e9;

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;
const tooGreat = (what: string): CatalogError =>
  new CatalogError('LIMIT', `The statement is too complex: ${what}. Simplify it, or query less at a time.`);

/**
 * Whether sizes must be checked while the statement runs. The statement must have passed statement.rules.ts. Each series produces at most
 * `maxRows` rows; joined series multiply.
 * @throws CatalogError LIMIT, VALIDATION
 */
export function checkValues(select: Tree, maxRows: number): boolean {
  let isChecked = false;
  const measured = new Set<unknown>();

  function made(value: Value): Value {
    if (value.checked) isChecked = true;
    if (value.fixed > MAX_FIXED) throw tooGreat('it creates very long values from short ones');
    if (value.times > MAX_TIMES) throw tooGreat('it creates very long values from columns');
    if (value.work > MAX_WORK) throw tooGreat('it requires too much work per row');
    return value;
  }

  function query(select: Tree, outer: Scope | null, inherited: ReadonlyMap<string, Source>): Source {
    const given = new Map(inherited);
    for (const cte of ((select.withClause as Tree | undefined)?.ctes ?? []) as Tree[]) {
      const { ctename, ctequery, aliascolnames } = cte.CommonTableExpr as Tree;
      measured.add((ctequery as Tree).SelectStmt);
      const found = query((ctequery as Tree).SelectStmt as Tree, outer, given);
      given.set(String(ctename), renamed(found, aliascolnames));
    }
    let scope: Scope = { sources: [], given, around: outer };
    if (select.larg) {
      const left = query(select.larg as Tree, outer, given);
      const right = query(select.rarg as Tree, outer, given);
      const { withClause: _with, larg: _left, rarg: _right, ...others } = select;
      const value = widest([largest(left), largest(right)]);
      const both = series({
        columns: new Map([...left.columns.keys()].map((name) => [name, value])),
        others: value,
        row: widest([left.row, right.row]),
        rows: left.rows + right.rows,
      });
      expression(others, { ...scope, sources: [{ name: undefined, source: both }] });
      return series({ ...both, rows: both.rows * seriesIn(others) });
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
    const counted = new Set<string>();
    for (const target of (select.targetList ?? []) as Tree[]) {
      const { name, val } = target.ResTarget as { name?: string; val: Tree };
      const value = expression(val, scope);
      inRow.push(value);
      if (isStar(val))
        for (const source of starred(val, scope)) {
          for (const [column, size] of source.columns) add(column, size);
          unnamed.push(source.others);
        }
      else add(name ?? calledOf(val), value);
      rows *= seriesIn(val);
      seriesIn(val, counted);
    }
    for (const list of (select.valuesLists ?? []) as Tree[]) {
      const values = ((list.List as Tree).items as Tree[]).map((item) => expression(item, scope));
      values.forEach((value, index) => {
        add(`column${index + 1}`, value);
      });
      inRow.push(...values);
    }
    const { withClause: _with, fromClause: _from, targetList: _target, valuesLists: _values, ...others } = select;
    expression(others, scope);
    const row = beside(inRow);
    if (select.valuesLists === undefined && row.fixed > MAX_ROW_FIXED) throw tooGreat('its rows are too long');
    const limit = (select.limitCount as { A_Const?: { ival?: { ival?: number } } } | undefined)?.A_Const?.ival?.ival;
    rows *= seriesIn(others, counted);
    series({ ...TABLE, rows });
    const isLimited = limit !== undefined && select.limitOption !== 'LIMIT_OPTION_WITH_TIES';
    return { columns, others: widest(unnamed), row, rows: isLimited ? Math.min(rows, limit) : rows };
  }

  function series(source: Source): Source {
    if (source.rows > maxRows && source.rows > 1)
      throw new CatalogError(
        'LIMIT',
        `generate_series must return at most ${maxRows} rows (catalog.datastore.max_rows); joined series are multiplied`,
      );
    return source;
  }

  /** Product of the row counts of its series. Skips series whose text is in `counted`, and adds the others to it. */
  function seriesIn(part: unknown, counted?: Set<string>): number {
    if (Array.isArray(part)) return part.reduce((rows: number, one) => rows * seriesIn(one, counted), 1);
    if (!isTree(part) || part.SelectStmt) return 1;
    const call = part.FuncCall as Tree | undefined;
    if (call && lastName(call.funcname) === 'generate_series') {
      const text = JSON.stringify(call.args, (key, value) => (key === 'location' ? undefined : value));
      if (counted?.has(text)) return 1;
      counted?.add(text);
      return seriesOf(call);
    }
    return Object.values(part).reduce((rows: number, inner) => rows * seriesIn(inner, counted), 1);
  }

  function seriesOf({ args }: Tree): number {
    const rows = rowsOfSeries((args ?? []) as unknown[]);
    if (rows === null)
      throw invalidField(
        'query',
        'generate_series requires literal bounds and a literal non-zero step: numbers, or dates such as 2020-01-31 with a step such as 1 day',
      );
    return rows;
  }

  /** The scope plus one FROM item, and its number of rows. The item can refer to those before it. */
  function from(item: Tree, scope: Scope): { scope: Scope; rows: number } {
    const [kind, parts] = Object.entries(item)[0] as [string, Tree];
    const { aliasname, colnames } = (parts.alias ?? {}) as { aliasname?: string; colnames?: unknown };
    const within = (source: Source, name = aliasname) => ({
      scope: { ...scope, sources: [...scope.sources, { name, source: renamed(source, colnames) }] },
      rows: source.rows,
    });
    if (kind === 'JoinExpr') {
      const left = from(parts.larg as Tree, scope);
      const right = from(parts.rarg as Tree, left.scope);
      const { larg: _left, rarg: _right, ...others } = parts;
      // PostgreSQL searches names in the join only, or outside the whole FROM.
      const own = right.scope.sources.slice(scope.sources.length);
      expression(others, { ...scope, sources: own });
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
      measured.add((parts.subquery as Tree).SelectStmt);
      return within(query((parts.subquery as Tree).SelectStmt as Tree, seen, scope.given));
    }
    const value = expression(parts.functions, scope);
    const only = onlyCall(parts.functions);
    const name = aliasname ?? only;
    const columns = new Map(only === 'generate_series' ? [[name ?? only, value] as const] : []);
    return within({ columns, others: value, row: value, rows: seriesIn(parts.functions), isFunction: true }, name);
  }

  function expression(part: unknown, scope: Scope): Value {
    if (Array.isArray(part)) return beside(part.map((one) => expression(one, scope)));
    if (!isTree(part)) return NOTHING;
    const [kind, parts] = Object.entries(part)[0] ?? [];
    if (kind === 'TypeName' || kind === 'Alias') return NOTHING;
    const known = kind === undefined ? undefined : KINDS[kind];
    if (known) {
      measured.add(parts);
      return made(known(parts as Tree, scope));
    }
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
      const joined = name === 'concat_ws' && func_variadic;
      const grown = joined
        ? GROWTH.get('array_to_string')!([beside(values.slice(1)), values[0] ?? SMALL])
        : (GROWTH.get(name) ?? together)(
            agg_within_group ? [...values, expression(agg_order, scope)] : func_variadic ? spread(values) : values,
          );
      if (joined && grown.checked)
        throw invalidField('query', 'concat_ws: with VARIADIC, write array_to_string(list, separator)');
      // PostgreSQL would resolve these names in its grammar, where no size check runs.
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
    SubLink({ subLinkType, testexpr, subselect, operName }, scope) {
      const values = [testexpr, subselect].filter(Boolean).map((one) => expression(one, scope));
      if (subLinkType === 'ARRAY_SUBLINK') return GROWTH.get('array_agg')!(values);
      const growth = operName === undefined ? undefined : OPERATOR_GROWTH.get(lastName(operName));
      const [left = SMALL, right = SMALL] = values;
      return growth ? growth([left, { ...right, literal: undefined } as Value]) : beside(values);
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

  /** Refuses nodes at a position that the measurement does not cover. */
  function allMeasured(part: unknown): void {
    if (Array.isArray(part)) for (const one of part) allMeasured(one);
    else if (isTree(part))
      for (const [key, inner] of Object.entries(part)) {
        if (key === 'TypeName' || key === 'typeName') continue;
        if (KINDS[key] && !measured.has(inner)) throw invalidField('query', `Not allowed in a query here: ${key}`);
        allMeasured(inner);
      }
  }

  const found = query(select, null, new Map());
  made({ ...found.row, times: 0, fixed: 0 });
  allMeasured(select);
  return isChecked;
}

const NOTHING: Value = { fixed: 0, times: 0, work: 0 };

/** A VARIADIC list as arguments: each item may be as long as the whole list. */
const spread = (values: readonly Value[]): Value[] =>
  values.map((value, index) => (index === 0 ? value : { ...value, times: value.times + (value.times > 0 ? 1 : 0) }));

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
  // A text stays unchanged; other types are quoted or written in hexadecimal.
  if (TEXTS.test(name)) return text !== undefined || value === COLUMN ? { ...value } : together([other], 2);
  return { ...value, fixed: 64, times: 0 };
}
