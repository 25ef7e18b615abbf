/** Counts the rows of a `generate_series` with literal bounds. Pure. */
import { invalidField } from '../../kernel/errors.ts';
import { isTree, lastName } from './statement.names.ts';
import type { Tree } from './statement.parser.ts';

const DAY = 86_400;
/** Minimum seconds of each unit. */
const UNITS: readonly [RegExp, number][] = [
  [/^(seconds?|secs?|s)$/, 1],
  [/^(minutes?|mins?|m)$/, 60],
  [/^(hours?|hrs?|h)$/, 3_600],
  [/^(days?|d)$/, DAY - 7_200],
  [/^(weeks?|w)$/, 7 * DAY - 7_200],
  [/^(months?|mons?)$/, 28 * DAY - 7_200],
  [/^(years?|yrs?|y)$/, 365 * DAY - 7_200],
];
/** Characters of a time. The expression takes the square of the length. */
const MAX_MOMENT = 100;
const MOMENT =
  /^\s*(\d{4}-\d{1,2}-\d{1,2})(?:[ T](\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?))?\s*(?:Z|[+-]\d{1,2}(?::?\d{2})?)?\s*$/;

/** Product of the row counts of its series. Skips series whose text is in `counted`, and adds the others to it. */
export function seriesIn(part: unknown, counted?: Set<string>): number {
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

/** Maximum number of rows of one call. @throws CatalogError VALIDATION when its arguments are not readable literals */
export function seriesOf({ args }: Tree): number {
  const rows = rowsOfSeries((args ?? []) as unknown[]);
  if (rows === null)
    throw invalidField(
      'query',
      'generate_series requires literal bounds and a literal non-zero step: numbers, or dates such as 2020-01-31 with a step such as 1 day',
    );
  return rows;
}

/** Maximum number of rows; null when bounds or step are not readable literals, or the step is zero. */
function rowsOfSeries(args: readonly unknown[]): number | null {
  if (args.length < 2 || args.length > 3) return null;
  const numbers = args.map(numberOf);
  if (numbers.every((number) => number !== null)) {
    const [start, stop, step = 1] = numbers as number[];
    return rowsBetween(start!, stop!, step);
  }
  if (args.length < 3) return null;
  const [start, stop] = [momentOf(args[0]), momentOf(args[1])];
  const step = secondsOf(textOf(args[2]));
  if (start === null || stop === null || step === null) return null;
  const rows = rowsBetween(start, stop, step);
  return rows === null ? null : rows + Math.ceil((2 * DAY) / Math.abs(step)); // time zones differ by up to a day
}

function rowsBetween(start: number, stop: number, step: number): number | null {
  if (step === 0 || ![start, stop, step].every(Number.isFinite)) return null;
  return Math.max(0, Math.floor((stop - start) / step) + 1);
}

function numberOf(node: unknown): number | null {
  const { A_Const: constant, A_Expr: expression, TypeCast: cast } = node as Record<string, Tree | undefined>;
  if (cast) return isNumberType(cast) ? numberOf(cast.arg) : null;
  if (expression) {
    const sign = ((expression.name as Tree[])[0]?.String as { sval?: string } | undefined)?.sval;
    const inner = expression.lexpr === undefined && (sign === '-' || sign === '+') ? numberOf(expression.rexpr) : null;
    return inner === null ? null : sign === '-' ? -inner : inner;
  }
  if (!constant) return null;
  const { ival, fval } = constant as { ival?: { ival?: number }; fval?: { fval?: string } };
  if (ival) return ival.ival ?? 0;
  return fval?.fval === undefined ? null : Number(fval.fval);
}

const isNumberType = ({ typeName }: Tree): boolean => {
  const { names, arrayBounds } = typeName as { names: Tree[]; arrayBounds?: unknown };
  const name = (names.at(-1)?.String as { sval?: string } | undefined)?.sval ?? '';
  return arrayBounds === undefined && /^(int[248]|numeric)$/.test(name);
};

/** Text of a literal, with or without casts. */
function textOf(node: unknown): string | null {
  const { A_Const: constant, TypeCast: cast } = node as Record<string, Tree | undefined>;
  if (cast) return (cast.typeName as Tree).arrayBounds === undefined ? textOf(cast.arg) : null;
  return (constant?.sval as { sval?: string } | undefined)?.sval ?? null;
}

/** Seconds since 1970, in UTC. */
function momentOf(node: unknown): number | null {
  const text = textOf(node) ?? '';
  const found = text.length > MAX_MOMENT ? null : MOMENT.exec(text);
  if (!found) return null;
  const [year, month, day] = found[1]!.split('-').map(Number) as [number, number, number];
  const [hours = 0, minutes = 0, seconds = 0] = (found[2] ?? '').split(':').map(Number);
  return Date.UTC(year, month - 1, day, hours, minutes, seconds) / 1_000;
}

/** Seconds of an interval such as `1 day` or `1 month 2 hours` that has one direction. */
function secondsOf(text: string | null): number | null {
  const parts = [...(text ?? '').matchAll(/\s*([+-]?\d+(?:\.\d+)?)\s*([a-z]+)/gy)];
  if (text === null || parts.length === 0 || parts.map(([part]) => part).join('').length !== text.trimEnd().length)
    return null;
  let sum = 0;
  let sign = 0;
  for (const [, number, unit] of parts) {
    const seconds = UNITS.find(([name]) => name.test(unit!))?.[1];
    const value = Number(number);
    if (seconds === undefined || (sign !== 0 && Math.sign(value) !== sign)) return null;
    sign = Math.sign(value);
    sum += value * seconds;
  }
  return sum;
}
