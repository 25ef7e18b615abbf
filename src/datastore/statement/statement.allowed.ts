/**
 * Allowlist for callers' SQL: nodes, functions, operators and types. Unlisted names are refused, so new syntax and functions of PostgreSQL
 * stay disabled until reviewed.
 */

/** How to check a part of a node: skip it, or read one node, many nodes, or a node of this kind without its name wrapper. */
export type Part = 'plain' | 'node' | 'nodes' | 'SelectStmt' | 'WithClause' | 'TypeName' | 'WindowDef' | 'Alias';

/**
 * Node kinds and their parts, by the parser's names. Omitted on purpose: all writes and locks, INTO, parameters, WITH RECURSIVE (it may
 * never end), TABLESAMPLE, XML, JSON_TABLE, `%TYPE`, named arguments, USING of an operator.
 */
export const NODES: Readonly<Record<string, Readonly<Record<string, Part>>>> = {
  SelectStmt: {
    distinctClause: 'nodes',
    targetList: 'nodes',
    fromClause: 'nodes',
    whereClause: 'node',
    groupClause: 'nodes',
    groupDistinct: 'plain',
    havingClause: 'node',
    windowClause: 'nodes',
    valuesLists: 'nodes',
    sortClause: 'nodes',
    limitOffset: 'node',
    limitCount: 'node',
    limitOption: 'plain',
    withClause: 'WithClause',
    op: 'plain',
    all: 'plain',
    larg: 'SelectStmt',
    rarg: 'SelectStmt',
  },
  WithClause: { ctes: 'nodes' },
  CommonTableExpr: { ctename: 'plain', aliascolnames: 'nodes', ctematerialized: 'plain', ctequery: 'node' },
  ResTarget: { name: 'plain', val: 'node' },
  RangeVar: { schemaname: 'plain', relname: 'plain', inh: 'plain', relpersistence: 'plain', alias: 'Alias' },
  RangeSubselect: { lateral: 'plain', subquery: 'node', alias: 'Alias' },
  RangeFunction: { lateral: 'plain', ordinality: 'plain', is_rowsfrom: 'plain', functions: 'nodes', alias: 'Alias' },
  JoinExpr: {
    jointype: 'plain',
    isNatural: 'plain',
    larg: 'node',
    rarg: 'node',
    usingClause: 'nodes',
    quals: 'node',
    alias: 'Alias',
    join_using_alias: 'Alias',
  },
  Alias: { aliasname: 'plain', colnames: 'nodes' },
  SortBy: { node: 'node', sortby_dir: 'plain', sortby_nulls: 'plain' },
  GroupingSet: { kind: 'plain', content: 'nodes' },
  GroupingFunc: { args: 'nodes' },
  WindowDef: {
    name: 'plain',
    refname: 'plain',
    partitionClause: 'nodes',
    orderClause: 'nodes',
    frameOptions: 'plain',
    startOffset: 'node',
    endOffset: 'node',
  },
  ColumnRef: { fields: 'nodes' },
  A_Star: {},
  A_Const: { ival: 'plain', fval: 'plain', sval: 'plain', bsval: 'plain', boolval: 'plain', isnull: 'plain' },
  A_Expr: {
    kind: 'plain',
    name: 'nodes',
    lexpr: 'node',
    rexpr: 'node',
    rexpr_list_start: 'plain',
    rexpr_list_end: 'plain',
  },
  A_ArrayExpr: { elements: 'nodes', list_start: 'plain', list_end: 'plain' },
  A_Indirection: { arg: 'node', indirection: 'nodes' },
  A_Indices: { is_slice: 'plain', lidx: 'node', uidx: 'node' },
  BoolExpr: { boolop: 'plain', args: 'nodes' },
  NullTest: { arg: 'node', nulltesttype: 'plain' },
  BooleanTest: { arg: 'node', booltesttype: 'plain' },
  CaseExpr: { arg: 'node', args: 'nodes', defresult: 'node' },
  CaseWhen: { expr: 'node', result: 'node' },
  CoalesceExpr: { args: 'nodes' },
  MinMaxExpr: { op: 'plain', args: 'nodes' },
  RowExpr: { args: 'nodes', row_format: 'plain' },
  SubLink: { subLinkType: 'plain', testexpr: 'node', operName: 'nodes', subselect: 'node' },
  TypeCast: { arg: 'node', typeName: 'TypeName' },
  TypeName: { names: 'nodes', typmods: 'nodes', typemod: 'plain', arrayBounds: 'nodes' },
  CollateClause: { arg: 'node', collname: 'nodes' },
  SQLValueFunction: { op: 'plain', typmod: 'plain' },
  FuncCall: {
    funcname: 'nodes',
    args: 'nodes',
    agg_order: 'nodes',
    agg_filter: 'node',
    over: 'WindowDef',
    agg_within_group: 'plain',
    agg_star: 'plain',
    agg_distinct: 'plain',
    func_variadic: 'plain',
    funcformat: 'plain',
  },
  List: { items: 'nodes' },
  String: { sval: 'plain' },
  Integer: { ival: 'plain' },
};

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Functions of many rows. */
export const AGGREGATES = words(`
  count sum avg min max bool_and bool_or every bit_and bit_or bit_xor any_value array_agg string_agg
  json_agg jsonb_agg json_object_agg jsonb_object_agg stddev stddev_pop stddev_samp variance var_pop var_samp
  corr covar_pop covar_samp regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy
  mode percentile_cont percentile_disc`);

/**
 * Functions by name. Each depends on its arguments only: none reads files, tables or settings, runs text as SQL, waits, or writes.
 * Functions that make large values from small ones are omitted (repeat, lpad, format) unless statement.growth.ts can bound them. So is
 * normalize, which PostgreSQL cannot interrupt. generate_series requires literal bounds: statement.series.ts.
 */
export const FUNCTIONS = words(`${[...AGGREGATES].join(' ')}
  row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value
  abs ceil ceiling floor round trunc sign sqrt cbrt exp ln log log10 power mod div gcd lcm pi degrees radians
  sin cos tan cot asin acos atan atan2 sinh cosh tanh width_bucket scale min_scale trim_scale
  lower upper initcap length char_length character_length octet_length bit_length btrim ltrim rtrim trim substring substr
  left right replace translate reverse position strpos split_part concat concat_ws overlay starts_with ascii chr md5 to_hex
  like_escape similar_to_escape regexp_replace regexp_match regexp_matches regexp_count regexp_like regexp_substr
  regexp_instr regexp_split_to_array regexp_split_to_table string_to_array array_to_string
  to_char date to_date to_number to_timestamp date_trunc date_part date_bin extract age make_date make_time make_timestamp
  make_timestamptz make_interval justify_days justify_hours justify_interval timezone overlaps isfinite
  now statement_timestamp transaction_timestamp clock_timestamp
  unnest cardinality array_length array_upper array_lower array_ndims array_dims array_append array_prepend array_cat
  array_remove array_replace array_position array_positions
  to_json to_jsonb row_to_json json_typeof jsonb_typeof json_array_length jsonb_array_length json_array_elements
  jsonb_array_elements json_array_elements_text jsonb_array_elements_text json_each jsonb_each json_each_text jsonb_each_text
  json_object_keys jsonb_object_keys json_extract_path jsonb_extract_path json_extract_path_text jsonb_extract_path_text
  json_build_object jsonb_build_object json_build_array jsonb_build_array json_strip_nulls jsonb_strip_nulls jsonb_pretty
  to_tsvector to_tsquery plainto_tsquery phraseto_tsquery websearch_to_tsquery ts_rank ts_rank_cd numnode strip
  isempty lower_inc upper_inc lower_inf upper_inf generate_series`);

/** Operators. BETWEEN, NOT BETWEEN, BETWEEN SYMMETRIC and NOT BETWEEN SYMMETRIC are the parser's own names. */
export const OPERATORS = new Set([
  ...words('+ - * / % ^ = <> < > <= >= || | & # ~ << >> @ |/ ||/ ~~ !~~ ~~* !~~* ~* !~ !~* ^@ && @> <@'),
  ...words('-> ->> #> #>> ? ?| ?& @@ &< &> -|- <->'),
  ...['BETWEEN', 'NOT BETWEEN', 'BETWEEN SYMMETRIC', 'NOT BETWEEN SYMMETRIC'],
]);

/** Cast target types, by the parser's names, and arrays of them. None refers to a database object (regclass). */
export const TYPES = words(`
  bool int2 int4 int8 float4 float8 numeric decimal text varchar bpchar char date time timetz timestamp timestamptz interval
  json jsonb uuid bytea money bit varbit inet cidr macaddr tsvector tsquery
  int4range int8range numrange tsrange tstzrange daterange`);

/** Value keywords of the grammar: only those of the clock. */
export const CLOCK = words(`
  SVFOP_CURRENT_DATE SVFOP_CURRENT_TIME SVFOP_CURRENT_TIME_N SVFOP_CURRENT_TIMESTAMP SVFOP_CURRENT_TIMESTAMP_N
  SVFOP_LOCALTIME SVFOP_LOCALTIME_N SVFOP_LOCALTIMESTAMP SVFOP_LOCALTIMESTAMP_N`);
