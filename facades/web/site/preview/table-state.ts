/** State of a table preview in the URL: search, conditions, sort order, columns and page. */
import { first, queryOf, texts } from '../search-query.ts';
import type { Texts } from '../texts.ts';

/** Comparisons of a condition. */
export const COMPARISONS = ['eq', 'gt', 'gte', 'lt', 'lte', 'empty'] as const;

export type Comparison = (typeof COMPARISONS)[number];

export interface Condition {
  readonly column: string;
  readonly is: Comparison;
  /** Empty for `empty`. */
  readonly value: string;
}

export interface TableState {
  readonly q: string;
  readonly conditions: readonly Condition[];
  /** Null: the order of the table. */
  readonly sort: { readonly column: string; readonly descending: boolean } | null;
  /** Chosen columns, in this order. Empty: the first columns. */
  readonly show: readonly string[];
  /** Cursor of the last record before the page. */
  readonly after: string;
  /** Cursor of the first record after the page. */
  readonly before: string;
}

/** Limits of one URL; further values are ignored. */
export const MAX_CONDITIONS = 10;
export const MAX_COLUMNS = 30;

export type Query = Readonly<Record<string, unknown>>;
export type Param = readonly [name: string, value: string];

/** All texts of a parameter, empty ones included. */
const all = (value: unknown): string[] =>
  value === undefined ? [] : [value].flat().map((text) => (typeof text === 'string' ? text : ''));

const isComparison = (text: string): text is Comparison => COMPARISONS.some((one) => one === text);

/** The parameters `column`, `is` and `value` repeat together. `filters` is CKAN's form: `column:value|column:value`. */
function conditionsOf(query: Query): Condition[] {
  const [columns, comparisons, values] = [all(query.column), all(query.is), all(query.value)];
  const own = columns.flatMap((column, at): Condition[] => {
    const is = comparisons[at] ?? 'eq';
    if (column === '' || !isComparison(is)) return [];
    return [{ column, is, value: is === 'empty' ? '' : (values[at] ?? '') }];
  });
  const old = first(query.filters)
    .split('|')
    .flatMap((part): Condition[] => {
      const at = part.indexOf(':');
      return at > 0 ? [{ column: part.slice(0, at), is: 'eq', value: part.slice(at + 1) }] : [];
    });
  return [...own, ...old].slice(0, MAX_CONDITIONS);
}

/** Reads the query of a URL. Ignores what it does not know. */
export function readTableState(query: Query): TableState {
  const sort = first(query.sort);
  const descending = / desc$/i.test(sort);
  const column = sort.slice(0, Math.min(sort.length, 300)).replace(/ (asc|desc)$/i, '');
  return {
    q: first(query.q).trim(),
    conditions: conditionsOf(query),
    sort: column === '' ? null : { column, descending },
    show: [...new Set(texts(query.show))].slice(0, MAX_COLUMNS),
    after: first(query.after),
    before: first(query.before),
  };
}

export const conditionParams = (conditions: readonly Condition[]): Param[] =>
  conditions.flatMap(({ column, is, value }): Param[] => [
    ['column', column],
    ['is', is],
    ['value', value],
  ]);

/** Conditions in words. */
export const wordsOf = (conditions: readonly Condition[], { t, list }: Texts): string =>
  list(conditions.map((condition) => t('preview.condition', { ...condition })));

/** Parameters of everything but the page. */
export const tableParams = ({ q, conditions, sort, show }: TableState): Param[] => [
  ['q', q],
  ...conditionParams(conditions),
  ['sort', sort ? `${sort.column}${sort.descending ? ' desc' : ''}` : ''],
  ...show.map((column): Param => ['show', column]),
];

/** Path of a page, and the parameters that all its links have. */
export interface Target {
  readonly path: string;
  readonly base: readonly Param[];
}

/** URL of the table in a state. `value` stays even if it is empty, because the three parameters of a condition belong together. */
export function tableHref({ path, base }: Target, state: TableState): string {
  const params: Param[] = [...base, ...tableParams(state), ['after', state.after], ['before', state.before]];
  const given = params.filter(([name, value]) => value !== '' || name === 'value');
  return urlOf(path, given);
}

export const urlOf = (path: string, params: readonly Param[]): string =>
  params.length > 0 ? `${path}?${queryOf(params)}` : path;

/** The same records from the first page on. */
export const firstPage = (state: TableState): TableState => ({ ...state, after: '', before: '' });

/** Ascending, then descending, then the order of the table. */
export function sortedBy(state: TableState, column: string): TableState {
  const { sort } = state;
  const next =
    sort?.column !== column ? { column, descending: false } : sort.descending ? null : { column, descending: true };
  return firstPage({ ...state, sort: next });
}
