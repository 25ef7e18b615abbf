/**
 * Bounds the size of an operator's or function's value from the sizes of its arguments, and the time PostgreSQL may work on it without
 * checking for interrupts. An unlisted function returns at most the total size of its arguments. Pure.
 */

/** Upper bound of a value: `fixed` bytes plus `times` the size of one table column. */
export interface Value {
  readonly fixed: number;
  readonly times: number;
  /** Bytes processed to compute it. */
  readonly work: number;
  /** The text of a literal. */
  readonly literal?: string;
  /** Whether PostgreSQL checks its size only while the statement runs. */
  readonly checked?: boolean;
}

/** Assumed bytes of a column when work is added up. */
const COLUMN_WORK = 4e6;
/** Maximum length of a formatted number. */
const MAX_DIGITS = 150_000;
/** Assumed `times` of a value that PostgreSQL checks at run time, or that aggregates many rows. */
const CHECKED_TIMES = 8;
/** Maximum bytes processed when two sizes multiply: about one second. */
export const MAX_PRODUCT = 2e8;
/** Maximum bytes of a literal that is searched at every position of a column. */
const MAX_NEEDLE = 32;

export const SMALL: Value = { fixed: 64, times: 0, work: 64 };
export const COLUMN: Value = { fixed: 0, times: 1, work: 0 };

const bytesOf = ({ fixed, times }: Value): number => fixed + times * COLUMN_WORK;
const sum = (numbers: readonly number[]): number => numbers.reduce((all, number) => all + number, 0);

/** All arguments together, each unchanged. */
export function beside(args: readonly Value[]): Value {
  const checked = args.some((arg) => arg.checked);
  return {
    fixed: sum(args.map((arg) => arg.fixed)),
    times: sum(args.map((arg) => arg.times)),
    work: sum(args.map((arg) => arg.work)),
    ...(checked && { checked }),
  };
}

/** One value made of all arguments, `by` times as long. */
export function together(args: readonly Value[], by = 1): Value {
  const all = beside(args);
  const grown = { ...all, fixed: all.fixed * by, times: all.times * by };
  return { ...grown, work: all.work + bytesOf(grown) };
}

/** The largest argument, plus the work on all of them. */
export function widest(args: readonly Value[]): Value {
  const checked = args.some((arg) => arg.checked);
  return {
    fixed: Math.max(0, ...args.map((arg) => arg.fixed)),
    times: Math.max(0, ...args.map((arg) => arg.times)),
    work: sum(args.map((arg) => arg.work)),
    ...(checked && { checked }),
  };
}

const small = (args: readonly Value[]): Value => ({ ...together(args), fixed: 64, times: 0 });
/** Result of functions whose values are short by type, or that only compare. */
const scalar = (args: readonly Value[]): Value => ({ ...beside(args), fixed: 64, times: 0 });
const first = (args: readonly Value[]): Value => {
  const all = together(args);
  return { ...all, fixed: args[0]?.fixed ?? 64, times: args[0]?.times ?? 0 };
};
const checkedResult = (args: readonly Value[], times: number): Value => {
  const all = together(args);
  return { fixed: 0, times: times + CHECKED_TIMES, work: all.work, checked: true };
};

/** Aggregates an unknown number of rows. */
const collected = (args: readonly Value[]): Value => {
  const all = together(args);
  return { ...all, times: all.times + 4 };
};

/** Whether searching the needle at every position of the text surely ends soon. */
const isSoon = (text: Value, needle: Value | undefined): boolean =>
  needle === undefined ||
  (needle.times === 0 && (text.times === 0 ? text.fixed * needle.fixed <= MAX_PRODUCT : needle.fixed <= MAX_NEEDLE));

/** Processes `args[0]` once for each part of `args[1]`; `result` bounds the value. */
const searched =
  (result: Growth): Growth =>
  (args) => {
    const [text = SMALL, needle] = args;
    const found = result(args);
    if (!isSoon(text, needle)) return { ...found, checked: true };
    return text.times === 0 && needle ? { ...found, work: found.work + text.fixed * needle.fixed } : found;
  };

/** Each byte of the first argument can become all of the third. */
const substituted =
  (byteFor: number): Growth =>
  (args) => {
    const [text = SMALL, , by = SMALL] = args;
    const factor = Math.max(1, by.fixed * byteFor);
    const grown = (text.fixed + 1) * factor;
    if (by.times > 0 || factor * text.times > 64 || grown > 2e6) return checkedResult(args, text.times);
    const all = together(args);
    return { ...all, fixed: grown, times: text.times * factor, work: all.work + grown };
  };

const number: Growth = (args) => {
  const all = beside(args);
  const digits = args.map(({ fixed }) => Math.min(fixed, MAX_DIGITS));
  const work = Math.max(...digits, 0) > 1_000 ? digits.reduce((product, n) => product * Math.max(1, n / 16), 1) : 0;
  return { ...all, fixed: Math.min(all.fixed, MAX_DIGITS), times: Math.min(1, all.times), work: all.work + work };
};

const power: Growth = (args) => {
  const [base = SMALL, exponent = SMALL] = args;
  const steps = Math.abs(Number(exponent.literal ?? Number.NaN));
  const all = beside(args);
  if (steps <= 16) return { ...all, fixed: Math.min(MAX_DIGITS, 64 + base.fixed * steps), work: all.work + 1e6 };
  return { ...all, fixed: MAX_DIGITS, times: 0, work: all.work + 2e8 };
};

/** Pads with spaces or digits up to the length of the format. */
const formatted: Growth = (args) => {
  const [, format = SMALL] = args;
  const all = together(args);
  return { ...all, fixed: 64 + format.fixed * 12, times: format.times * 12 };
};

/** One digit per requested position; PostgreSQL allows at most 16,383 after the decimal point. */
const rounded: Growth = (args) => {
  const [, decimals] = args;
  const all = beside(args);
  const digits = decimals === undefined ? 0 : Math.min(16_384, Math.abs(Number(decimals.literal ?? 16_384)));
  return { ...all, fixed: (args[0]?.fixed ?? 64) + (digits || 0), times: args[0]?.times ?? 0 };
};

/** Nested texts are quoted again; existing JSON is not. */
const quoted: Growth = (args) => together(args, 2);

/** One copy for each group of the pattern. */
const matched: Growth = (args) => {
  const [text = SMALL, pattern] = args;
  const groups = pattern?.literal === undefined ? 64 : 1 + pattern.literal.split('(').length;
  const all = together(args);
  return { ...all, fixed: text.fixed * groups + 64 * groups, times: text.times * groups };
};

/** Adds a separator between all parts. */
const joinedBy =
  (separator: number): Growth =>
  (args) => {
    const by = args[separator] ?? SMALL;
    const others = together(args.filter((_, index) => index !== separator));
    const factor = 1 + by.fixed;
    if (by.times > 0 || factor * others.times > 64 || factor * others.fixed > 2e6)
      return checkedResult(args, others.times);
    return { ...others, fixed: others.fixed * factor, times: others.times * factor, work: others.work + by.work };
  };

export type Growth = (args: readonly Value[]) => Value;

const all = (names: string, growth: Growth): [string, Growth][] =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => [name, growth]);

/** Functions whose value can be larger or smaller than all arguments together. */
export const GROWTH: ReadonlyMap<string, Growth> = new Map([
  ...all(
    `length char_length character_length octet_length bit_length starts_with ascii md5 regexp_count regexp_like regexp_instr cardinality
     array_length array_position json_typeof jsonb_typeof json_array_length jsonb_array_length numnode`,
    small,
  ),
  ...all(
    `count bool_and bool_or every stddev stddev_pop stddev_samp variance var_pop var_samp corr covar_pop covar_samp regr_avgx regr_avgy
     regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy row_number rank dense_rank percent_rank cume_dist ntile
     chr to_hex date to_date to_timestamp date_trunc date_part date_bin extract age make_date make_time make_timestamp make_timestamptz
     make_interval justify_days justify_hours justify_interval timezone overlaps isfinite now statement_timestamp
     transaction_timestamp clock_timestamp array_upper array_lower array_ndims array_dims isempty lower_inc upper_inc lower_inf upper_inf
     width_bucket scale min_scale sign pi degrees radians sin cos tan cot asin acos atan atan2 sinh cosh tanh cbrt generate_series`,
    scalar,
  ),
  ...all(
    'sum avg min max any_value mode lag lead first_value last_value nth_value percentile_cont percentile_disc',
    widest,
  ),
  ...all('abs ceil ceiling floor trim_scale mod div gcd lcm ln log log10 sqrt', number),
  ...all('round trunc', rounded),
  ...all('power exp', power),
  ...all('substring substr left right regexp_substr array_remove unnest json_extract_path jsonb_extract_path', first),
  ...all(
    'json_extract_path_text jsonb_extract_path_text json_array_elements jsonb_array_elements json_each jsonb_each',
    first,
  ),
  ...all('array_agg string_agg json_agg jsonb_agg json_object_agg jsonb_object_agg', collected),
  ...all('strpos position', searched(small)),
  ...all('split_part btrim ltrim rtrim trim', searched(first)),
  ...all(
    'translate',
    searched((args) => together(args.slice(0, 1), 4)),
  ),
  ...all(
    'string_to_array',
    searched((args) => together(args, 8)),
  ),
  ...all('regexp_split_to_array', (args) => together(args, 8)),
  ...all('replace', searched(substituted(1))),
  ...all('regexp_replace', substituted(1.5)),
  ...all('regexp_match regexp_matches', matched),
  ...all('to_char to_number', formatted),
  ...all('array_to_string', joinedBy(1)),
  ...all('concat_ws', ([by = SMALL, ...parts]) =>
    together([by, ...parts, ...parts.slice(1).map(() => ({ ...by, work: 0 }))]),
  ),
  ...all('array_replace', (args) => {
    const [list = SMALL, , by = SMALL] = args;
    return by.fixed > 64 || by.times > 0 ? checkedResult(args, list.times) : together(args, 8);
  }),
  ...all(
    `to_json to_jsonb row_to_json json_build_object jsonb_build_object json_build_array jsonb_build_array`,
    quoted,
  ),
  ...all('jsonb_pretty', (args) => checkedResult(args, args[0]?.times ?? 1)),
  ...all('ts_rank ts_rank_cd', (args) => {
    const isShort = args.slice(1).every(({ times, fixed }) => times === 0 && fixed <= 500);
    return isShort ? small(args) : { ...small(args), checked: true };
  }),
]);

/** Operators whose value can be larger or smaller than both operands together. */
export const OPERATOR_GROWTH: ReadonlyMap<string, Growth> = new Map([
  ...all('= <> < > <= >= &< &> -|-', scalar),
  ...all('~ !~ ~* !~* ^@ @@ ? ?| ?&', (args) => (args.length === 1 ? together(args) : small(args))), // ~ on bits returns the same size
  ...all('~~ !~~ ~~* !~~*', (args) => {
    const [text = SMALL, pattern = SMALL] = args;
    // The text before the first % is compared once; each part after it is searched at every position.
    const parts = pattern.literal?.split('%').slice(1) ?? null;
    const needle =
      parts === null ? pattern : { ...SMALL, fixed: Math.max(0, ...parts.map((part) => Buffer.byteLength(part))) };
    return searched(small)([text, needle].map((value, index) => ({ ...value, work: args[index]?.work ?? 0 })));
  }),
  ...all('@> <@ &&', (args) => {
    const [left = SMALL, right = SMALL] = args;
    const isLiteral = [left, right].some(({ times, fixed }) => times === 0 && fixed <= 1_000);
    const all = together(args); // on tsquery, && returns both together
    return isLiteral || bytesOf(left) * bytesOf(right) <= MAX_PRODUCT ? all : { ...all, checked: true };
  }),
  ...all('* / % + @', number),
  ...all('-', (args) => {
    const [left = SMALL, right] = args;
    const found = number(args);
    // On jsonb, - removes keys: the result may be the whole value. Each key is searched among all of a list.
    const remaining = { ...found, fixed: Math.max(found.fixed, left.fixed), times: Math.max(found.times, left.times) };
    const isList =
      right !== undefined && (left.times > 1 || right.times > 1) && bytesOf(left) * bytesOf(right) > MAX_PRODUCT;
    const isLiteral = [left, right ?? SMALL].some(({ times, fixed }) => times === 0 && fixed <= 1_000);
    return isList && !isLiteral ? { ...remaining, checked: true } : remaining;
  }),
  ...all('^', power),
  ...all('-> ->> #> #>>', first),
]);
