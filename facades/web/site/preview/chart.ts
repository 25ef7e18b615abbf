/** Reads the numbers of a chart: groups of records, or single records. */
import { h } from 'preact';
import {
  PagePreviewGroupsDocument,
  type PagePreviewGroupsQuery,
  PagePreviewRecordsDocument,
  type TableFigureInput,
  type TableGroupByInput,
} from '../../../../src/generated/operations.ts';
import { infoOf } from '../facts.tsx';
import type { Texts } from '../texts.ts';
import { type At, attempt, dataFields, fieldsOf, type Shown } from './at.ts';
import { isNumber } from './cell.tsx';
import { ChartPreview } from './chart-preview.tsx';
import { type ChartState, chartOfView, isTime, readChart } from './chart-state.ts';
import { type AxisWords, type Drawing, draw, type Point, type X } from './plot.ts';
import { conditionOf, recordsOf, viewConditions } from './table.ts';
import type { Condition } from './table-state.ts';

/** Most groups and records of a chart. */
const MAX = { bars: 40, lines: 400, points: 400, histogram: 100 } as const;
/** Bars that a histogram has by default. */
const BARS = 24;

/** Numbers of a chart. */
export interface ChartData extends Pick<Drawing, 'points' | 'series'> {
  /** Whether there are more groups or records. */
  readonly isCut: boolean;
}

type Groups = NonNullable<PagePreviewGroupsQuery['table']>['aggregate'];

interface Source {
  readonly at: At;
  readonly chart: ChartState;
  readonly conditions: readonly Condition[];
  /** Whether the first axis has times or numbers; otherwise texts. */
  readonly axis: 'time' | 'number' | 'text';
}

/** A chart, its numbers as a table, and the form that changes it. */
export async function previewChart(at: At): Promise<Shown> {
  const table = at.resource.table!;
  const { t } = at.visit.frame.texts;
  const fields = fieldsOf(at.view);
  const query = at.view?.viewType === 'recline_graph_view' && !at.hasQuery ? chartOfView(fields) : at.query;
  const chart = readChart(query, table);
  const fixed = viewConditions(fields);
  const x = dataFields(table).find(({ id }) => id === chart.x);
  if (!x) return { content: h('p', { class: 'empty' }, t('preview.noChart')) };
  const axis = isTime(x) ? 'time' : isNumber(x) ? 'number' : 'text';
  const source: Source = { at, chart, conditions: [...fixed, ...chart.conditions], axis };
  const { data, fault, status } = await attempt(() => read(source));
  const xLabel = infoOf(x, 'label') || x.id;
  const yLabel =
    chart.kind === 'histogram' ? t('preview.figureOf', { figure: 'COUNT' }) : labelOf(chart, at.visit.frame.texts);
  const title = t('preview.chartTitle', { figure: yLabel, column: xLabel });
  const drawing = data && { ...data, kind: chart.kind, xLabel, yLabel, title, words: axisWords(at.visit.frame.texts) };
  const svg = drawing && drawing.points.length > 0 ? await draw(drawing) : null;
  return {
    content: h(ChartPreview, { at, table, chart, fixed, drawing, isCut: data?.isCut ?? false, svg, fault }),
    status,
    isPart: at.hasQuery,
  };
}

const labelOf = ({ figure, y }: ChartState, { t, list }: Texts): string =>
  figure === 'COUNT' || y.length === 0
    ? t('preview.figureOf', { figure: 'COUNT' })
    : t('preview.figureOfColumns', { figure, columns: list(y) });

const YEAR = 366 * 24 * 3_600_000;

/** Values of axes in the language of the page. Long spans have months or years, short ones have days or times. */
const axisWords = ({ locale, t, day, moment, month }: Texts): AxisWords => ({
  noValue: t('preview.noValue'),
  number: numbersOf(locale),
  time(value, span) {
    const instant = value.toISOString();
    if (span > 4 * YEAR && /-01-01T00:00:00/.test(instant)) return instant.slice(0, 4).replace(/^0+/, '');
    if (span > YEAR / 6) return /-01T00:00:00/.test(instant) ? month(instant) : day(instant);
    return /T00:00:00/.test(instant) ? day(instant) : moment(instant);
  },
});

/** Small numbers keep their digits, and years have no separator. */
function numbersOf(locale: string): AxisWords['number'] {
  const format = new Intl.NumberFormat(locale, { maximumSignificantDigits: 12, useGrouping: 'min2' });
  return (value) => format.format(value);
}

const countLabel = ({ at }: Source): string => at.visit.frame.texts.t('preview.figureOf', { figure: 'COUNT' });

function read(source: Source): Promise<ChartData> {
  const { kind, figure, y } = source.chart;
  if (kind === 'histogram') return source.axis === 'number' ? readBuckets(source) : readGroups(source);
  return figure === '' && y.length > 0 ? readRecords(source) : readGroups(source);
}

async function groups(
  { at: { visit, resource, rows }, conditions }: Source,
  groupBy: TableGroupByInput[],
  figures: TableFigureInput[],
  first: number,
  isByFigure = false,
): Promise<Groups> {
  const [figure = { figure: 'COUNT' as const }] = figures;
  const variables = {
    id: resource.databaseId,
    groupBy,
    figures,
    filter: conditions.map(conditionOf),
    orderBy: isByFigure ? [{ ...figure, direction: 'DESC' as const }] : null,
    first: Math.min(first, rows),
  };
  const { table } = await visit.run(PagePreviewGroupsDocument, variables, visit.call);
  return table.aggregate;
}

async function readGroups(source: Source): Promise<ChartData> {
  const { chart, axis } = source;
  const isCount = chart.figure === 'COUNT' || chart.figure === '' || chart.y.length === 0;
  const series = isCount ? [countLabel(source)] : chart.y;
  const figure = chart.figure as TableFigureInput['figure'];
  const figures = isCount ? [] : chart.y.map((field) => ({ figure, field }));
  const groupBy = { field: chart.x, ...(chart.interval !== '' && { interval: chart.interval }) };
  const first = axis === 'text' ? MAX.bars : MAX.lines;
  const found = await groups(source, [groupBy], figures, first, axis === 'text');
  const points = found.nodes.flatMap(({ key: [key], count, figures }): Point[] => {
    const x = xOf(key!.value, axis);
    if (x === undefined) return [];
    const end = key!.to === null ? {} : { end: new Date(utc(key!.to)) };
    return series.map((name, at) => ({ x, series: name, y: isCount ? count : numberOf(figures[at]!.value), ...end }));
  });
  return { points, series, isCut: found.pageInfo.hasNextPage };
}

/** Numbers of records between equal distances. */
async function readBuckets(source: Source): Promise<ChartData> {
  const field = source.chart.x;
  const range = await groups(
    source,
    [],
    [
      { figure: 'MIN', field },
      { figure: 'MAX', field },
    ],
    1,
  );
  const [min = Number.NaN, max = Number.NaN] = range.nodes[0]?.figures.map(({ value }) => numberOf(value)) ?? [];
  const series = [countLabel(source)];
  if (!Number.isFinite(max - min)) return { points: [], series, isCut: false };
  const isWhole = Number.isInteger(min) && Number.isInteger(max);
  const width = niceWidth((max - min) / BARS, isWhole);
  const found = await groups(source, [{ field, width }], [], MAX.histogram);
  const points = found.nodes.flatMap(({ key: [key], count }) =>
    key!.from === null ? [] : [{ x: Number(key!.from), end: Number(key!.from) + width, series: series[0]!, y: count }],
  );
  return { points, series, isCut: found.pageInfo.hasNextPage };
}

/** The next greater 1, 2 or 5 times a power of ten, within the bounds of the graph. */
function niceWidth(width: number, isWhole: boolean): number {
  if (width <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(width));
  const nice = [1, 2, 5, 10].map((step) => step * power).find((step) => step >= width)!;
  return Math.min(Math.max(Number(nice.toPrecision(1)), isWhole ? 1 : 1e-9), 1e15);
}

/** The values of single records, along the first axis. */
async function readRecords(source: Source): Promise<ChartData> {
  const { at, chart, conditions, axis } = source;
  const { visit, resource, view } = at;
  const limit = Math.min(at.rows, MAX[chart.kind], Math.max(Number(fieldsOf(view).limit ?? MAX.points), 1));
  const variables = {
    id: resource.databaseId,
    filter: conditions.map(conditionOf),
    fields: [...new Set([chart.x, ...chart.y])],
    orderBy: chart.kind === 'points' ? null : [{ field: chart.x }],
    maxLength: 200,
    first: limit,
    withTotal: false,
  };
  const { table } = await visit.run(PagePreviewRecordsDocument, variables, visit.call);
  const points = recordsOf(table.records.nodes).flatMap((record) => {
    const x = xOf(record[chart.x], axis);
    if (x === undefined || x === null) return [];
    return chart.y.map((series) => ({ x, series, y: numberOf(record[series]) }));
  });
  return { points, series: chart.y, isCut: table.records.pageInfo.hasNextPage };
}

/** A value on the first axis; undefined for one without a place. */
function xOf(value: unknown, axis: Source['axis']): X | undefined {
  if (axis === 'text') return value === null ? null : String(value);
  const x = value === null ? Number.NaN : axis === 'time' ? utc(String(value)) : Number(value);
  return Number.isFinite(x) ? (axis === 'time' ? new Date(x) : x) : undefined;
}

/** Times without a zone are UTC. */
const utc = (text: string): number =>
  Date.parse(text.includes('T') && !ZONE.test(text.slice(text.indexOf('T'))) ? `${text}Z` : text);
const ZONE = /(?:Z|[+-]\d\d(?::?\d\d)?)$/;

const numberOf = (value: unknown): number => (value === null || value === undefined ? Number.NaN : Number(value));
