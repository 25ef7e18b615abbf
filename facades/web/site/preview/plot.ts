/** Charts as SVG texts. Observable Plot draws them into a document of linkedom; browsers get the finished picture. */
import type { Markish, PlotOptions } from '@observablehq/plot';

export type X = string | number | Date | null;

/** A value of a series at a place of the first axis. */
export interface Point {
  readonly x: X;
  readonly series: string;
  readonly y: number;
  /** End of a bucket. */
  readonly end?: number | Date;
}

export interface Drawing {
  readonly kind: 'bars' | 'lines' | 'points' | 'histogram';
  readonly points: readonly Point[];
  readonly series: readonly string[];
  readonly xLabel: string;
  readonly yLabel: string;
  /** Description of the picture for screen readers. */
  readonly title: string;
  /** Texts of the axes in the language of the page. */
  readonly words: AxisWords;
}

/** Writes the values of axes. */
export interface AxisWords {
  /** In place of a missing value. */
  readonly noValue: string;
  number(value: number): string;
  /** The time, and the span of the axis in milliseconds. */
  time(value: Date, span: number): string;
}

const WIDTH = 900;
const HEIGHT = 380;
/** Pixels below a chart, for the ticks and the name of the axis. */
const LABEL = 40;
/** Pixels of a bar with its distance. */
const BAR = 22;
/** Names below upright bars that fit without turning them. */
const MAX_LEVEL = 15;
/** About how many times fit below an axis. */
const TIMES = 5;
/** Characters of a name beside a bar. */
const MAX_NAME = 32;

/** Loaded at the first chart: the packages are large. */
const load = () => Promise.all([import('@observablehq/plot'), import('linkedom')]);
let loaded: ReturnType<typeof load> | undefined;

/** The chart as an SVG element. Texts in it are escaped. */
export async function draw(drawing: Drawing): Promise<string> {
  const [Plot, { parseHTML }] = await (loaded ??= load());
  const { document } = parseHTML('<!doctype html><html><body></body></html>');
  const points = drawing.points.filter(({ y }) => Number.isFinite(y));
  const color = { domain: [...drawing.series], range: drawing.series.map((_, at) => `var(--series-${at + 1})`) };
  const svg = Plot.plot({
    document: document as unknown as Document,
    width: WIDTH,
    color,
    ...optionsOf(Plot, drawing, points),
  });
  for (const part of svg.querySelectorAll('[aria-label]')) part.removeAttribute('aria-label'); // inside a picture, parts have no names
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', drawing.title);
  for (const style of svg.querySelectorAll('style')) style.remove();
  return rounded(svg.outerHTML);
}

type Plots = typeof import('@observablehq/plot');

function optionsOf(Plot: Plots, drawing: Drawing, points: readonly Point[]): PlotOptions {
  const { kind, xLabel, yLabel, series, words } = drawing;
  const isBand = kind === 'bars' && !points.some(({ x }) => x instanceof Date);
  if (isBand) return bandsOf(Plot, drawing, points);
  const marks: Record<Exclude<Drawing['kind'], 'bars'> | 'spans' | 'moments', () => Markish> = {
    histogram: () => Plot.rectY(points, { x1: 'x', x2: 'end', y: 'y', fill: 'series', insetLeft: 1 }),
    points: () => Plot.dot(points, { x: 'x', y: 'y', stroke: 'series', r: 2.5 }),
    lines: () => Plot.lineY(points, { x: 'x', y: 'y', stroke: 'series', z: 'series', strokeWidth: 2 }),
    spans: () => Plot.rectY(points, { x1: 'x', x2: 'end', y: 'y', fill: 'series', insetLeft: 1 }),
    moments: () => Plot.ruleX(points, { x: 'x', y: 'y', stroke: 'series', strokeWidth: 4 }),
  };
  const isSpan = points.every(({ end }) => end !== undefined);
  const times = points
    .flatMap(({ x, end }) => [x, end])
    .filter((time) => time instanceof Date)
    .map(Number);
  const span = Math.max(...times) - Math.min(...times);
  const drawn = kind === 'bars' ? (series.length > 1 ? 'lines' : isSpan ? 'spans' : 'moments') : kind;
  return {
    height: HEIGHT,
    marginLeft: 70,
    marginBottom: LABEL,
    x: {
      label: xLabel,
      ...(times.length > 0 && { ticks: TIMES }),
      tickFormat: (x: number | Date) => (x instanceof Date ? words.time(x, span) : words.number(x)),
    },
    y: { label: yLabel, grid: true, nice: true, tickFormat: words.number },
    marks: [...(kind === 'points' ? [] : [Plot.ruleY([0])]), marks[drawn]()],
  };
}

/** A bar for each value: across for texts, upright for numbers. Several series stand side by side. */
function bandsOf(Plot: Plots, { xLabel, yLabel, series, words }: Drawing, points: readonly Point[]): PlotOptions {
  const named = points.map((point) => ({ ...point, name: keyOf(point.x) }));
  const labels = new Map(points.map(({ x }) => [keyOf(x), labelOf(x, words)]));
  const names = { domain: [...labels.keys()], tickFormat: (name: string) => labels.get(name) };
  const { size } = labels;
  const isGrouped = series.length > 1;
  if (points.some(({ x }) => typeof x === 'string' || x === null))
    return {
      height: 70 + BAR * size * series.length,
      marginLeft: 200,
      marginRight: 40,
      marginBottom: LABEL,
      x: { label: yLabel, grid: true, tickFormat: words.number },
      ...(isGrouped
        ? { fy: { ...names, label: null }, y: { axis: null, domain: [...series] } }
        : { y: { ...names, label: null } }),
      marks: [
        Plot.barX(named, { x: 'y', fill: 'series', ...(isGrouped ? { fy: 'name', y: 'series' } : { y: 'name' }) }),
        Plot.ruleX([0]),
      ],
    };
  const rotation = size > MAX_LEVEL ? { tickRotate: -60 } : {};
  return {
    height: HEIGHT,
    marginLeft: 70,
    marginBottom: size > MAX_LEVEL ? 70 : LABEL,
    y: { label: yLabel, grid: true, nice: true, tickFormat: words.number },
    ...(isGrouped
      ? { fx: { ...names, label: xLabel, ...rotation }, x: { axis: null, domain: [...series] } }
      : { x: { ...names, label: xLabel, ...rotation } }),
    marks: [
      Plot.barY(named, { y: 'y', fill: 'series', ...(isGrouped ? { fx: 'name', x: 'series' } : { x: 'name' }) }),
      Plot.ruleY([0]),
    ],
  };
}

/** Distinguishes all values of the first axis: a missing one, and a text with the same words, too. */
export const keyOf = (x: X): string => (x === null ? 'none' : `=${x instanceof Date ? x.toISOString() : x}`);

function labelOf(x: X, words: AxisWords): string {
  const label = x === null ? words.noValue : typeof x === 'number' ? words.number(x) : String(x);
  return label.length > MAX_NAME ? `${label.slice(0, MAX_NAME - 1)}…` : label;
}

const COORDINATES = / (cx|cy|d|x|y|x1|x2|y1|y2|width|height|transform)="([^"]*)"/g;

/** Coordinates to a tenth of a pixel, which makes the picture a third smaller. */
const rounded = (svg: string): string =>
  svg.replace(
    COORDINATES,
    (_, name: string, coordinates: string) => ` ${name}="${coordinates.replace(/(\.\d)\d+/g, '$1')}"`,
  );
