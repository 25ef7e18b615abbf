/** Turns the arguments of a table search into a plan and reports every problem. Pure; contains no SQL. */
import type { Problem } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/json.ts';
import { columnsById } from '../tables/column-lists.ts';
import type { Column } from '../tables/fields.rules.ts';

export type Comparison = 'eq' | 'gt' | 'gte' | 'lt' | 'lte';

/** A condition on rows. */
export type Condition =
  | { readonly kind: 'compare'; readonly column: Column; readonly with: Comparison; readonly value: unknown }
  /** Matches one of the values; `orNull` also matches rows without a value. */
  | { readonly kind: 'in'; readonly column: Column; readonly values: readonly unknown[]; readonly orNull: boolean }
  | { readonly kind: 'null'; readonly column: Column }
  /** Full-text match of one column, or (null) of the whole row. */
  | { readonly kind: 'text'; readonly column: Column | null; readonly query: string };

export interface Order {
  readonly column: Column;
  readonly descending: boolean;
  readonly nulls: 'first' | 'last' | null;
}

export interface SearchPlan {
  readonly columns: readonly Column[];
  readonly conditions: readonly Condition[];
  /** True: the query is plain words. False: the query uses PostgreSQL's text query syntax. */
  readonly plain: boolean;
  /** PostgreSQL's name of a text search configuration. */
  readonly language: string;
  /** Whether every record includes its rank and the total count, as contract clients expect for `q`. */
  readonly ranked: boolean;
  readonly orderBy: readonly Order[];
  readonly limit: number;
  readonly offset: number;
  readonly distinct: boolean;
  readonly withTotal: boolean;
}

/** A condition of the graph, with one field for each comparison. */
export interface FieldCondition extends Partial<Readonly<Record<Comparison, unknown>>> {
  readonly field: string;
  readonly in?: readonly unknown[] | null;
}

export interface SearchInput {
  readonly filters?: unknown;
  readonly conditions?: readonly FieldCondition[] | null;
  readonly q?: unknown;
  readonly fullText?: string | null;
  readonly plain?: boolean | null;
  readonly language?: string | null;
  readonly fields?: readonly string[] | null;
  readonly sort?: readonly string[] | null;
  readonly limit?: number | null;
  readonly offset?: number | null;
  readonly distinct?: boolean | null;
  readonly includeTotal?: boolean | null;
}

const DEFAULT_LIMIT = 100;
/** Maximum bytes of records in one response, because the server holds them in memory. */
export const MAX_BYTES = 64 * 1024 * 1024;
const MAX_CONDITIONS = 1_000;
const MAX_SORT = 1_000;
/** Maximum characters of all words of one search, as in searches of datasets. PostgreSQL takes a second per megabyte. */
const MAX_WORDS = 20_000;

/** The plan and the problems of the arguments. The caller refuses a limit above `max`. */
export function planSearch(input: SearchInput, columns: readonly Column[]): { plan: SearchPlan; problems: Problem[] } {
  const problems: Problem[] = [];
  const invalidValue = (field: string, value: unknown) =>
    problems.push({ path: [field], message: `invalid value "${value}"` });
  const byId = columnsById(columns);
  const find = (field: string, id: string, reported = id): Column[] => {
    const column = byId.get(id);
    if (!column) invalidValue(field, reported);
    return column ? [column] : [];
  };
  const natural = (field: 'limit' | 'offset', otherwise: number): number => {
    const value = input[field] ?? otherwise;
    if (value < 0) invalidValue(field, value);
    return value;
  };
  const filters = planFilters(input.filters ?? {}, columns, problems);
  const conditions = planConditions(input.conditions ?? [], columns, problems);
  const queries = planQueries(input, find, problems);
  const ids = [...new Set(input.fields ?? [])];
  const sort = input.sort ?? [];
  if (sort.length > MAX_SORT) problems.push({ path: ['sort'], message: `At most ${MAX_SORT} sort keys` });
  const orderBy = sort.slice(0, MAX_SORT).flatMap((clause) => {
    const { id, descending, nulls } = readClause(clause);
    return find('sort', id, clause.trim()).map((column): Order => ({ column, descending, nulls }));
  });
  const plan: SearchPlan = {
    columns: ids.length === 0 ? columns : ids.flatMap((id) => find('fields', id)),
    conditions: [...filters, ...conditions, ...queries],
    plain: input.plain ?? true,
    language: input.language || 'english',
    ranked: queries.length > 0,
    orderBy,
    limit: natural('limit', DEFAULT_LIMIT),
    offset: natural('offset', 0),
    distinct: input.distinct ?? false,
    withTotal: input.includeTotal ?? true,
  };
  if (plan.conditions.length > MAX_CONDITIONS)
    problems.push({ path: ['filters'], message: `At most ${MAX_CONDITIONS} conditions` });
  return { plan, problems };
}

/** Length of the end of a clause in which directions are searched. Bounds the backtracking on long runs of spaces. */
const END = 60;
/** No column name is longer, quoted and in any script. */
const MAX_NAME_LENGTH = 300;
const DIRECTIONS = /(?:\s+(asc|desc))?(?:\s+nulls\s+(first|last))?$/i;

/** Parses `field` or `"field"`, optionally followed by `asc` or `desc` and `nulls first` or `nulls last`. */
function readClause(clause: string): { id: string; descending: boolean; nulls: 'first' | 'last' | null } {
  const text = clause.trim();
  const [end, direction, nulls] = DIRECTIONS.exec(text.slice(-END))!;
  const name = text.slice(0, text.length - end.length).trimEnd();
  const quoted = name.length > MAX_NAME_LENGTH ? undefined : /^"((?:[^"]|"")+)"$/.exec(name)?.[1];
  return {
    id: quoted?.replaceAll('""', '"') ?? name,
    descending: direction?.toLowerCase() === 'desc',
    nulls: (nulls?.toLowerCase() as 'first' | 'last' | undefined) ?? null,
  };
}

function planQueries(
  { q, fullText }: SearchInput,
  find: (field: string, id: string) => Column[],
  problems: Problem[],
): Condition[] {
  let left = MAX_WORDS;
  const fits = (field: string, query: string): boolean => {
    if (left < 0) return false;
    left -= query.length;
    if (left < 0) problems.push({ path: [field], message: `At most ${MAX_WORDS} characters` });
    return left >= 0;
  };
  const whole = (field: string, query: string): Condition[] =>
    query !== '' && fits(field, query) ? [{ kind: 'text', column: null, query }] : [];
  const more = whole('fullText', fullText ?? '');
  if (q === null || q === undefined) return more;
  if (typeof q === 'string') return [...whole('q', q), ...more];
  if (typeof q !== 'object' || Array.isArray(q)) {
    problems.push({ path: ['q'], message: 'Must be a string, or an object of field → string' });
    return more;
  }
  const perField = entriesOf('q', q, problems).flatMap(([id, query]) => {
    if (typeof query !== 'string') {
      problems.push({ path: ['q'], message: `The value of ${id} must be a string` });
      return [];
    }
    if (!fits('q', query)) return [];
    return find('q', id).map((column): Condition => ({ kind: 'text', column, query }));
  });
  return [...perField, ...more];
}

const COMPARISONS: ReadonlySet<string> = new Set(['eq', 'gt', 'gte', 'lt', 'lte']);
const isJson = ({ type }: Column): boolean => type === 'json' || type === 'jsonb';

/** Columns and values of an object. None, and a problem, if it has too many. */
function entriesOf(field: string, object: object, problems: Problem[]): [string, unknown][] {
  const entries = Object.entries(object);
  if (entries.length <= MAX_CONDITIONS) return entries;
  problems.push({ path: [field], message: `At most ${MAX_CONDITIONS} conditions` });
  return [];
}

/** Conditions from an object of columns and values. A value is a scalar, null, a list, or an object of comparisons. */
export function planFilters(filters: unknown, columns: readonly Column[], problems: Problem[]): Condition[] {
  if (!isObject(filters)) {
    problems.push({ path: ['filters'], message: 'filters must be either a dict or null.' });
    return [];
  }
  return entriesOf('filters', filters, problems).flatMap(([id, value]): Condition[] => {
    const column = columnsById(columns).get(id);
    if (column) return conditionsOf(column, value, problems);
    problems.push({ path: ['filters'], message: `invalid value "${id}"` });
    return [];
  });
}

/** Conditions of the graph. The path of a problem is `filter`, the position and the field. */
export function planConditions(
  given: readonly FieldCondition[],
  columns: readonly Column[],
  problems: Problem[],
): Condition[] {
  return given.flatMap(({ field, eq, in: list, ...bounds }, at) => {
    const column = columnsById(columns).get(field);
    const comparisons = Object.entries(bounds).filter(([, bound]) => bound !== undefined);
    const found: Problem[] = [];
    if (!column) found.push({ path: ['field'], message: `Unknown field: ${field}` });
    else if (eq === undefined && !list && comparisons.length === 0)
      found.push({ path: [], message: 'Requires a comparison: eq, in, gt, gte, lt or lte' });
    const planned = column
      ? [
          ...(eq === undefined ? [] : equals(column, eq, found)),
          ...(list ? conditionsOf(column, list, found) : []),
          ...(comparisons.length > 0 ? conditionsOf(column, Object.fromEntries(comparisons), found) : []),
        ]
      : [];
    problems.push(...found.map(({ message }) => ({ path: ['filter', String(at)], message })));
    return planned;
  });
}

/** A list is the value of an array, and an object the value of a JSON column. */
function equals(column: Column, value: unknown, problems: Problem[]): Condition[] {
  const isScalar = value === null || typeof value !== 'object';
  if (isScalar || isJson(column) || column.type.startsWith('_')) return conditionsOf(column, value, problems);
  problems.push({ path: [], message: `${column.id}: eq must be a string, a number, true, false or null` });
  return [];
}

function conditionsOf(column: Column, value: unknown, problems: Problem[]): Condition[] {
  if (value === null) return [{ kind: 'null', column }];
  if (isJson(column) || (Array.isArray(value) && column.type.startsWith('_')))
    return [{ kind: 'compare', column, with: 'eq', value }];
  if (Array.isArray(value)) {
    const values = value.filter((item) => item !== null);
    if (value.length === 0)
      problems.push({ path: ['filters'], message: `${column.id}: an empty list matches nothing; omit the condition` });
    if (values.some((item) => typeof item === 'object'))
      problems.push({
        path: ['filters'],
        message: `${column.id}: list items must be strings, numbers, true, false or null`,
      });
    return [{ kind: 'in', column, values, orNull: values.length < value.length }];
  }
  if (!isObject(value)) return [{ kind: 'compare', column, with: 'eq', value }];
  return Object.entries(value).flatMap(([word, bound]): Condition[] => {
    const fits = COMPARISONS.has(word) && bound !== null && typeof bound !== 'object';
    if (fits) return [{ kind: 'compare', column, with: word as Comparison, value: bound }];
    problems.push({
      path: ['filters'],
      message: `${column.id}: a comparison must be eq, gt, gte, lt or lte with a value (got ${word})`,
    });
    return [];
  });
}
