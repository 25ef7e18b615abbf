/** Charts as files: rows as CSV, and pictures as SVG that need no style sheet. */
import { renderToString } from 'preact-render-to-string';
import { writable } from '../../../shared/xml.ts';
import type { Texts } from '../texts.ts';
import { type Chart, drawn, fullBar, type Numbers, shown, visible } from './chart.ts';
import type { Interval } from './periods.ts';
import { heights } from './picture.tsx';
import { type Paint, Plot, ticksOf } from './plot.tsx';

/** Beginnings of a text that spreadsheets run as a formula. */
const FORMULA = /^[=+\-@\t\r＝＋－＠]/;

/**
 * Rows with all columns. Values are as in the graph: instants in ISO 8601, numbers without separators. Anyone can
 * write texts, and people open the file in a spreadsheet: an apostrophe before a formula makes it a text.
 */
export function csvOf({ columns, rows }: Numbers): string {
  const field = (value: string | number | null): string => {
    const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value ?? '');
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const line = (cells: readonly (string | number | null)[]) => `${cells.map(field).join(',')}\r\n`;
  return [columns.map(({ key }) => key), ...rows.map(({ cells }) => cells)].map(line).join('');
}

const COLOURS = ['#1f6f9f', '#b3541e', '#3c7d3c', '#7a4ba0'];
const [INK, QUIET, LINE] = ['#17212b', '#55626e', '#d5dde3'];
const colour = (index: number): string => COLOURS[index % COLOURS.length]!;

const ATTRIBUTES: Paint = {
  line: (index) => ({ fill: 'none', stroke: colour(index), 'stroke-width': '2', 'stroke-linejoin': 'round' }),
  area: (index) => ({ fill: colour(index), 'fill-opacity': '0.85' }),
  rule: () => ({ stroke: LINE }),
};
/** The area below a line is lighter than a column. */
const LIGHT: Paint = { ...ATTRIBUTES, area: (index) => ({ fill: colour(index), 'fill-opacity': '0.15' }) };

const WIDTH = 800;
const EDGE = { top: 84, right: 24, bottom: 64, left: 76 };
const PLOT_HEIGHT = 280;
const ROW = 28;
const LABEL = 290;
const MAX_LABEL = 40;

interface FileProps {
  readonly chart: Chart;
  readonly numbers: Numbers;
  readonly interval: Interval;
  readonly texts: Texts;
  /** Line below the picture: the site, and the time. */
  readonly source: string;
}

/** Whether a chart has a picture. */
export const hasPicture = ({ shape }: Chart): boolean => shape === 'bars' || shape === 'columns' || shape === 'lines';

/** The picture of a chart, as a file. */
export const svgOf = (props: FileProps): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${writable(renderToString(<File {...props} />))}\n`;

function File(props: FileProps) {
  const { chart, numbers, texts, source } = props;
  const isBars = chart.shape === 'bars';
  const inner = isBars ? Math.max(1, numbers.rows.length) * ROW : PLOT_HEIGHT;
  const height = EDGE.top + inner + EDGE.bottom;
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      {...{ width: WIDTH, height }}
      viewBox={`0 0 ${WIDTH} ${height}`}
      font-family="system-ui, sans-serif"
      font-size="13"
      fill={INK}
    >
      <title>{texts.t(chart.title)}</title>
      <rect width={WIDTH} height={height} fill="#fff" />
      <text x={24} y={38} font-size="20" font-weight="700">
        {texts.t(chart.title)}
      </text>
      {chart.text && (
        <text x={24} y={60} fill={QUIET}>
          {texts.t(chart.text)}
        </text>
      )}
      {numbers.rows.length === 0 ? (
        <text x={24} y={EDGE.top + 18}>
          {texts.t('charts.nothing')}
        </text>
      ) : isBars ? (
        <Bars {...props} />
      ) : (
        <Series {...props} />
      )}
      <text x={24} y={height - 16} font-size="11" fill={QUIET}>
        {source}
      </text>
    </svg>
  );
}

/** Whole characters of a label, as many as there is room for. */
function shortened(label: string): string {
  const signs = [...label.slice(0, 2 * MAX_LABEL + 1)];
  return signs.length > MAX_LABEL ? `${signs.slice(0, MAX_LABEL - 1).join('')}…` : label;
}

function Bars({ chart, numbers, interval, texts }: FileProps) {
  const [names] = visible(numbers);
  const { column, index } = drawn(chart, numbers)[0]!;
  const max = fullBar(numbers, index);
  const space = WIDTH - LABEL - EDGE.right - 90;
  return (
    <>
      {numbers.rows.map(({ cells }, at) => {
        const y = EDGE.top + at * ROW;
        const width = Math.round((space * Number(cells[index])) / max);
        const label = shown(cells[names!.index]!, names!.column.kind, texts, interval);
        return (
          <g key={cells.join(' ')}>
            <text x={LABEL - 12} y={y + 17} text-anchor="end">
              {shortened(label)}
            </text>
            <rect x={LABEL} y={y + 4} width={width} height={ROW - 10} rx="2" fill={colour(0)} />
            <text x={LABEL + width + 8} y={y + 17} fill={QUIET}>
              {shown(cells[index]!, column.kind, texts, interval)}
            </text>
          </g>
        );
      })}
    </>
  );
}

/** Names of periods below the picture. */
const MAX_NAMES = 8;

function Series({ chart, numbers, interval, texts }: FileProps) {
  const columns = drawn(chart, numbers);
  const [names] = visible(numbers);
  const values = columns.map(({ index }) => numbers.rows.map(({ cells }) => cells[index] as number | null));
  const ticks = ticksOf(heights(chart, values));
  const width = WIDTH - EDGE.left - EDGE.right;
  const y = (tick: number) => EDGE.top + PLOT_HEIGHT * (1 - tick / ticks.at(-1)!) + 4;
  const every = Math.ceil(numbers.rows.length / MAX_NAMES);
  const isArea = chart.shape === 'columns';
  return (
    <>
      {columns.length > 1 &&
        columns.map(({ column }, index) => (
          <g key={column.key} transform={`translate(${EDGE.left + index * 160} ${EDGE.top - 16})`}>
            <rect y={-10} width={10} height={10} rx="2" fill={colour(index)} />
            <text x={16}>{column.label}</text>
          </g>
        ))}
      {ticks.map((tick) => (
        <text key={tick} x={EDGE.left - 10} y={y(tick)} text-anchor="end" fill={QUIET}>
          {shown(tick, columns[0]!.column.kind, texts, interval)}
        </text>
      ))}
      <g transform={`translate(${EDGE.left} ${EDGE.top})`}>
        <Plot
          shape={isArea ? 'columns' : 'lines'}
          series={values}
          {...{ ticks, width, height: PLOT_HEIGHT, paint: isArea ? ATTRIBUTES : LIGHT }}
        />
      </g>
      {numbers.rows.map(({ cells }, at) =>
        at % every === 0 ? (
          <text
            key={cells.join(' ')}
            x={EDGE.left + (width * (at + 0.5)) / numbers.rows.length}
            y={EDGE.top + PLOT_HEIGHT + 20}
            text-anchor="middle"
            fill={QUIET}
          >
            {shown(cells[names!.index]!, names!.column.kind, texts, interval)}
          </text>
        ) : null,
      )}
    </>
  );
}
