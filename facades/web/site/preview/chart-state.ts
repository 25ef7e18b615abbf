/** State of a chart in the URL: what it draws, from which columns. */
import type { TableFigure, TableInterval } from '../../../../src/generated/operations.ts';
import { first, texts } from '../search-query.ts';
import { dataFields, type Field, type Table } from './at.ts';
import { isNumber } from './cell.tsx';
import { type Condition, readTableState } from './table-state.ts';

export const KINDS = ['bars', 'lines', 'points', 'histogram'] as const;
export type ChartKind = (typeof KINDS)[number];

/** Figures of a group. Empty: the values of each record. */
export const FIGURES = ['COUNT', 'SUM', 'AVG', 'MEDIAN', 'MIN', 'MAX', ''] as const satisfies readonly (
  | TableFigure
  | ''
)[];
export type ChartFigure = (typeof FIGURES)[number];

export const INTERVALS = ['', 'YEAR', 'QUARTER', 'MONTH', 'WEEK', 'DAY', 'HOUR'] as const satisfies readonly (
  | TableInterval
  | ''
)[];
export type ChartInterval = (typeof INTERVALS)[number];

export interface ChartState {
  readonly kind: ChartKind;
  readonly x: string;
  /** Columns of the values. Empty for numbers of records. */
  readonly y: readonly string[];
  readonly figure: ChartFigure;
  readonly interval: ChartInterval;
  readonly conditions: readonly Condition[];
}

/** Series of one chart. */
export const MAX_SERIES = 4;

type Query = Readonly<Record<string, unknown>>;

const oneOf = <K extends string>(options: readonly K[], text: string, otherwise: NoInfer<K>): K =>
  options.find((option) => option === text) ?? otherwise;

export const isTime = ({ type }: Pick<Field, 'type'>): boolean => /^(date|timestamp|timestamptz)$/.test(type);
const isCategory = ({ type }: Pick<Field, 'type'>): boolean => !/^_|^json|^nested/.test(type);

/** The columns of a chart when the URL names none: times first, then texts, then numbers. */
function firstColumn(fields: readonly Field[]): Field | undefined {
  const usable = fields.filter(isCategory);
  return usable.find(isTime) ?? usable.find((field) => !isNumber(field)) ?? usable[0];
}

/** Reads a chart from a URL. Unknown words and columns are replaced by what suits the table. */
export function readChart(query: Query, table: Table): ChartState {
  const fields = dataFields(table);
  const find = (id: string) => fields.find((field) => field.id === id && isCategory(field));
  const x = find(first(query.x)) ?? firstColumn(fields);
  const time = x !== undefined && isTime(x);
  const kind = oneOf(KINDS, first(query.kind), time ? 'lines' : 'bars');
  const y = [...new Set(texts(query.y))].filter((id) => fields.some((field) => field.id === id && isNumber(field)));
  const hasFigure = typeof query.figure === 'string';
  const figure = hasFigure ? oneOf(FIGURES, String(query.figure), 'COUNT') : y.length > 0 ? 'SUM' : 'COUNT';
  const hasInterval = typeof query.interval === 'string';
  return {
    kind,
    x: x?.id ?? '',
    y: y.slice(0, MAX_SERIES),
    figure: kind === 'points' ? '' : figure,
    interval: time ? oneOf(INTERVALS, hasInterval ? String(query.interval) : 'MONTH', '') : '',
    conditions: readTableState(query).conditions,
  };
}

/** The chart of a graph view: `graph_type`, `group` and `series`, as CKAN's Recline draws them. */
export function chartOfView(fields: Readonly<Record<string, unknown>>): Query {
  const kinds: Readonly<Record<string, ChartKind>> = {
    'lines-and-points': 'lines',
    lines: 'lines',
    points: 'points',
    bars: 'bars',
    columns: 'bars',
  };
  return {
    kind: kinds[String(fields.graph_type)] ?? 'lines',
    x: fields.group,
    y: fields.series,
    figure: '',
    interval: '',
  };
}
