/** Bounds the value of each kind of expression from the values of its parts. Pure. */
import { invalidField } from '../../kernel/errors.ts';
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
import { lastName, reference, type Scope, textOf } from './statement.names.ts';
import type { Tree } from './statement.parser.ts';
import { seriesOf } from './statement.series.ts';

/** Bounds an expression below the node, in the same scope. */
type Read = (part: unknown) => Value;

/** How each kind of node bounds its value. Other nodes are as large as their parts side by side. */
export const KINDS: Readonly<Record<string, (parts: Tree, read: Read, scope: Scope) => Value>> = {
  A_Const: (parts) => literal(parts),
  ColumnRef: ({ fields }, _read, scope) => reference((fields as Tree[]).map(textOf), scope),
  TypeCast: ({ arg, typeName }, read) => cast(read(arg), typeName as Tree),
  FuncCall({ funcname, args, func_variadic, over, agg_filter, agg_order, agg_within_group }, read) {
    const values = each(args, read);
    const around = [over, agg_filter, agg_order].map(read);
    const name = lastName(funcname);
    const joined = name === 'concat_ws' && func_variadic;
    const grown = joined
      ? GROWTH.get('array_to_string')!([beside(values.slice(1)), values[0] ?? SMALL])
      : (GROWTH.get(name) ?? together)(
          agg_within_group ? [...values, read(agg_order)] : func_variadic ? spread(values) : values,
        );
    if (joined && grown.checked)
      throw invalidField('query', 'concat_ws: with VARIADIC, write array_to_string(list, separator)');
    // PostgreSQL would resolve these names in its grammar, where no size check runs.
    if (grown.checked && (funcname as unknown[]).length > 1)
      throw invalidField(
        'query',
        `${name} with SQL keywords or a schema name is not supported here. Write the plain name of a function, such as strpos(text, part) or btrim(text, characters)`,
      );
    if (name === 'generate_series') seriesOf({ args });
    return { ...grown, work: grown.work + beside(around).work };
  },
  A_Expr({ kind, name, lexpr, rexpr }, read) {
    const values = [lexpr, rexpr].filter(Boolean).map(read);
    const growth: Growth | undefined = OPERATOR_GROWTH.get(lastName(name));
    if (growth && (kind === 'AEXPR_OP' || kind === 'AEXPR_LIKE' || kind === 'AEXPR_ILIKE')) return growth(values);
    if (growth && (kind === 'AEXPR_OP_ANY' || kind === 'AEXPR_OP_ALL')) {
      const [left = SMALL, right = SMALL] = values;
      return growth([left, { ...right, literal: undefined } as Value]);
    }
    return kind === 'AEXPR_OP' ? together(values) : { ...beside(values), fixed: 64, times: 0 };
  },
  SubLink({ subLinkType, testexpr, subselect, operName }, read) {
    const values = [testexpr, subselect].filter(Boolean).map(read);
    if (subLinkType === 'ARRAY_SUBLINK') return GROWTH.get('array_agg')!(values);
    const growth = operName === undefined ? undefined : OPERATOR_GROWTH.get(lastName(operName));
    const [left = SMALL, right = SMALL] = values;
    return growth ? growth([left, { ...right, literal: undefined } as Value]) : beside(values);
  },
  CaseExpr: ({ arg, args, defresult }, read) => {
    const whens = ((args ?? []) as { CaseWhen: Tree }[]).map(({ CaseWhen }) => CaseWhen);
    const before = beside([read(arg), ...whens.map(({ expr }) => read(expr))]);
    const result = widest([...whens.map(({ result }) => read(result)), read(defresult)]);
    return { ...result, work: result.work + before.work };
  },
  CoalesceExpr: ({ args }, read) => widest(each(args, read)),
  MinMaxExpr: ({ args }, read) => widest(each(args, read)),
  BoolExpr: ({ args }, read) => ({ ...beside(each(args, read)), fixed: 1, times: 0 }),
  NullTest: ({ arg }, read) => ({ ...read(arg), fixed: 1, times: 0 }),
  A_ArrayExpr: ({ elements }, read) => together([...each(elements, read), SMALL], 1),
  CollateClause: ({ arg }, read) => read(arg),
};

const each = (nodes: unknown, read: Read): Value[] => ((nodes ?? []) as Tree[]).map(read);

export const NOTHING: Value = { fixed: 0, times: 0, work: 0 };

/** A VARIADIC list as arguments: each item may be as long as the whole list. */
const spread = (values: readonly Value[]): Value[] =>
  values.map((value, index) => (index === 0 ? value : { ...value, times: value.times + (value.times > 0 ? 1 : 0) }));

function literal(parts: Tree): Value {
  const { sval, fval, ival, bsval } = parts as Record<
    string,
    { sval?: string; fval?: string; ival?: number; bsval?: string }
  >;
  if (ival) return { ...SMALL, literal: String(ival.ival ?? 0) };
  const text = sval?.sval ?? fval?.fval ?? bsval?.bsval ?? '';
  const digits = fval && /e/i.test(text) ? 150_000 : 0;
  return { fixed: Math.max(Buffer.byteLength(text), digits), times: 0, work: 0, literal: text };
}

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
