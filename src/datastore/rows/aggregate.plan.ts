/** Turns the arguments of an aggregate into a plan and reports every problem. Pure; contains no SQL. */
import type { Problem } from '../../kernel/errors.ts';
import type { Column } from '../tables/fields.rules.ts';
import type { Comparison } from './search.plan.ts';

export type Figure = 'COUNT' | 'COUNT_DISTINCT' | 'SUM' | 'AVG' | 'MIN' | 'MAX' | 'STDDEV' | 'MEDIAN';
export type TimeBucket = 'HOUR' | 'DAY' | 'WEEK' | 'MONTH' | 'QUARTER' | 'YEAR';

export interface GroupByInput {
  readonly field: string;
  readonly interval?: TimeBucket | null;
  readonly width?: number | null;
  readonly offset?: number | null;
}

export interface FigureInput {
  readonly figure: Figure;
  readonly field?: string | null;
}

export interface HavingInput extends FigureInput, Partial<Readonly<Record<Comparison, unknown>>> {}

export interface GroupOrderInput {
  readonly field?: string | null;
  readonly figure?: Figure | null;
  readonly direction?: 'ASC' | 'DESC' | null;
}

export interface AggregateInput {
  readonly groupBy?: readonly GroupByInput[] | null;
  readonly figures?: readonly FigureInput[] | null;
  readonly having?: readonly HavingInput[] | null;
  readonly orderBy?: readonly GroupOrderInput[] | null;
}

/** A column whose values form groups, or whose buckets do. */
export interface GroupKey {
  readonly column: Column;
  readonly bucket:
    | { readonly kind: 'time'; readonly interval: TimeBucket }
    | { readonly kind: 'number'; readonly width: number; readonly offset: number }
    | null;
}

/** A figure of each group. Without a column it counts records. */
export interface GroupFigure {
  readonly figure: Figure;
  readonly column: Column | null;
}

/** A condition on a figure, by its position. A null value means that the figure has none. */
export interface GroupCondition {
  readonly figure: number;
  readonly with: Comparison;
  readonly value: string | null;
  readonly isNumber: boolean;
}

/** A sort key: a group key or a figure, by its position. */
export interface GroupOrder {
  readonly of: 'key' | 'figure';
  readonly at: number;
  readonly descending: boolean;
}

export interface AggregatePlan {
  readonly keys: readonly GroupKey[];
  /** The requested ones first, then those that only conditions and the sort order use. */
  readonly figures: readonly GroupFigure[];
  readonly requested: number;
  readonly having: readonly GroupCondition[];
  /** Ends with all group keys, so that the order is total. */
  readonly orderBy: readonly GroupOrder[];
}

export const MAX_KEYS = 8;
/** Maximum distinct figures, together with those of `having` and `orderBy`. */
const MAX_FIGURES = 20;
const MAX_HAVING = 20;
export const MAX_ORDERS = 10;
/** Range of widths, and maximum distance of an offset from 0. Text of a bucket's bounds stays short within it. */
const MIN_WIDTH = 1e-9;
export const MAX_WIDTH = 1e15;

const FLOATS = ['float4', 'float8'];
const INTEGERS = ['int2', 'int4', 'int8'];
const NUMBERS = new Set([...INTEGERS, ...FLOATS, 'numeric']);
const TIMES = new Set(['date', 'timestamp', 'timestamptz']);
/** Types without an order, and types without equality. */
const UNORDERED = new Set(['bool', 'json', 'jsonb']);
const isNumber = ({ type }: Column): boolean => NUMBERS.has(type);
const isAdded = (column: Column): boolean => isNumber(column) || column.type === 'interval';

const FITS: Readonly<Record<Figure, (column: Column) => boolean>> = {
  COUNT: () => true,
  COUNT_DISTINCT: ({ type }) => type !== 'json',
  SUM: (column) => isAdded(column) || column.type === 'money',
  AVG: isAdded,
  MIN: ({ type }) => !UNORDERED.has(type),
  MAX: ({ type }) => !UNORDERED.has(type),
  STDDEV: isNumber,
  MEDIAN: isAdded,
};

/** Whether the figure is a number, and not of the column's own type. */
const givesNumber = ({ figure, column }: GroupFigure): boolean =>
  column === null || figure.startsWith('COUNT') || isNumber(column);

/** The plan, and the problems of the arguments. */
export function planAggregate(
  input: AggregateInput,
  columns: readonly Column[],
): { plan: AggregatePlan; problems: Problem[] } {
  const problems: Problem[] = [];
  const planner = new Planner(columns, problems);
  planner.checkLengths(input);
  const keys = planner.keys(input.groupBy ?? []);
  for (const [at, figure] of (input.figures ?? []).entries()) planner.figure(figure, ['figures', String(at)]);
  const requested = planner.figures.length;
  const having = (input.having ?? []).flatMap((condition, at) => planner.condition(condition, ['having', String(at)]));
  const orderBy = planner.orders(input.orderBy ?? [], keys);
  if (planner.figures.length > MAX_FIGURES)
    problems.push({ path: ['figures'], message: `At most ${MAX_FIGURES} figures, with those of having and orderBy` });
  return { plan: { keys, figures: planner.figures, requested, having, orderBy }, problems };
}

class Planner {
  readonly figures: GroupFigure[] = [];
  readonly #columns: readonly Column[];
  readonly #problems: Problem[];

  constructor(columns: readonly Column[], problems: Problem[]) {
    this.#columns = columns;
    this.#problems = problems;
  }

  checkLengths({ groupBy, having, orderBy }: AggregateInput): void {
    const atMost = (path: string, list: readonly unknown[] | null | undefined, max: number, what: string) => {
      if ((list?.length ?? 0) > max) this.#refuse([path], `At most ${max} ${what} (got ${list!.length})`);
    };
    atMost('groupBy', groupBy, MAX_KEYS, 'fields');
    atMost('having', having, MAX_HAVING, 'conditions');
    atMost('orderBy', orderBy, MAX_ORDERS, 'sort keys');
  }

  keys(groupBy: readonly GroupByInput[]): GroupKey[] {
    const seen = new Set<string>();
    return groupBy.flatMap((given, at): GroupKey[] => {
      const path = ['groupBy', String(at)];
      const column = this.#column(given.field, path);
      if (seen.has(given.field)) this.#refuse(path, `"${given.field}" can occur only once`);
      seen.add(given.field);
      if (!column) return [];
      if (column.type === 'json') this.#refuse(path, `"${column.id}" is of type json, whose values cannot be compared`);
      return [{ column, bucket: this.#bucket(given, column, path) }];
    });
  }

  #bucket({ interval, width, offset }: GroupByInput, column: Column, path: string[]): GroupKey['bucket'] {
    if (interval != null && width != null) this.#refuse(path, 'Give either `interval` or `width`, not both');
    if (offset != null && width == null) this.#refuse(path, '`offset` requires `width`');
    if (interval != null) {
      if (!TIMES.has(column.type) || (column.type === 'date' && interval === 'HOUR'))
        this.#refuse(path, `"${column.id}" is of type ${column.type}, which does not support the interval ${interval}`);
      return { kind: 'time', interval };
    }
    if (width == null) return null;
    if (!isNumber(column)) this.#refuse(path, `"${column.id}" is of type ${column.type}, which does not support width`);
    if (!(width >= MIN_WIDTH && width <= MAX_WIDTH))
      this.#refuse([...path, 'width'], `Must be between ${MIN_WIDTH} and ${MAX_WIDTH} (got ${width})`);
    const start = offset ?? 0;
    if (!(Math.abs(start) <= MAX_WIDTH))
      this.#refuse([...path, 'offset'], `Must be between ${-MAX_WIDTH} and ${MAX_WIDTH} (got ${start})`);
    if (INTEGERS.includes(column.type) && !(Number.isInteger(width) && Number.isInteger(start)))
      this.#refuse(path, `"${column.id}" is of type ${column.type}: width and offset must be integers`);
    return { kind: 'number', width, offset: start };
  }

  /** Position of the figure, which is computed once for all its uses; null for an invalid one. */
  figure({ figure, field }: FigureInput, path: string[]): number | null {
    const column = field == null ? null : this.#column(field, path);
    if (field == null && figure !== 'COUNT') {
      this.#refuse(path, `${figure} requires a field`);
      return null;
    }
    if (field != null && column === null) return null;
    if (column && !FITS[figure](column)) {
      this.#refuse(path, `"${column.id}" is of type ${column.type}, which does not support ${figure}`);
      return null;
    }
    const known = this.figures.findIndex((one) => one.figure === figure && one.column === column);
    return known >= 0 ? known : this.figures.push({ figure, column }) - 1;
  }

  condition({ figure, field, ...comparisons }: HavingInput, path: string[]): GroupCondition[] {
    const at = this.figure({ figure, ...(field !== undefined && { field }) }, path);
    const given = COMPARISONS.filter((word) => comparisons[word] !== undefined);
    if (given.length === 0) this.#refuse(path, 'Requires a comparison: eq, gt, gte, lt or lte');
    if (at === null) return [];
    const ofNumber = givesNumber(this.figures[at]!);
    const conditions = given.flatMap((word): GroupCondition[] => {
      const value = textFor(comparisons[word], ofNumber);
      if (value !== undefined && (value !== null || word === 'eq'))
        return [{ figure: at, with: word, value, isNumber: ofNumber }];
      this.#refuse([...path, word], ofNumber ? 'Must be a number' : 'Must be a string, a number, true or false');
      return [];
    });
    this.#checkOrder(conditions, path);
    return conditions;
  }

  /** Refuses bounds that no number lies between. */
  #checkOrder(conditions: readonly GroupCondition[], path: string[]): void {
    const [low, high] = ['g', 'l'].map((side) => conditions.find((one) => one.with.startsWith(side) && one.isNumber));
    if (low && high && Number(low.value) > Number(high.value))
      this.#refuse(path, `Matches nothing: ${low.with} ${low.value} is above ${high.with} ${high.value}`);
  }

  orders(given: readonly GroupOrderInput[], keys: readonly GroupKey[]): GroupOrder[] {
    const orders = given.flatMap(({ field, figure, direction }, at): GroupOrder[] => {
      const path = ['orderBy', String(at)];
      const descending = direction === 'DESC';
      if (figure != null) {
        const index = this.figure({ figure, ...(field !== undefined && { field }) }, path);
        return index === null ? [] : [{ of: 'figure', at: index, descending }];
      }
      const index = keys.findIndex(({ column }) => column.id === field);
      if (index >= 0) return [{ of: 'key', at: index, descending }];
      this.#refuse(path, field == null ? 'Requires field or figure' : `"${field}" is not in groupBy`);
      return [];
    });
    const ties = keys.map((_key, at): GroupOrder => ({ of: 'key', at, descending: false }));
    const all = [...orders, ...ties];
    return all.filter((one, at) => all.findIndex((it) => it.of === one.of && it.at === one.at) === at);
  }

  #column(id: string, path: string[]): Column | null {
    const column = this.#columns.find((one) => one.id === id);
    if (column) return column;
    this.#refuse([...path, 'field'], `Unknown field: ${id}`);
    return null;
  }

  #refuse(path: string[], message: string): void {
    this.#problems.push({ path, message });
  }
}

const COMPARISONS = ['eq', 'gt', 'gte', 'lt', 'lte'] as const;
/** Exact decimals are given as text. Bounded, because PostgreSQL would write out the digits of a long exponent. */
const DECIMAL = /^[+-]?(\d{1,200}(\.\d{0,200})?|\.\d{1,200})(e[+-]?\d{1,3})?$/i;

/** The value as text; null for null, undefined for an unsuitable one. */
function textFor(value: unknown, ofNumber: boolean): string | null | undefined {
  if (value === null) return null;
  const text = typeof value === 'object' || value === undefined ? undefined : String(value);
  if (!ofNumber || text === undefined) return text;
  return typeof value !== 'boolean' && DECIMAL.test(text) ? text : undefined;
}
