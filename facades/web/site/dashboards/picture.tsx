/** Charts on pages. Texts are HTML, so they keep their size on every screen; only the marks are stretched. */
import { Bar } from '../bars.tsx';
import { useTexts } from '../use-texts.ts';
import { type Chart, drawn, fullBar, type Numbers, shown, visible } from './chart.ts';
import type { Interval } from './periods.ts';
import { type Paint, Plot, ticksOf } from './plot.tsx';

interface PictureProps {
  readonly chart: Chart;
  readonly numbers: Numbers;
  readonly interval: Interval;
}

export const SERIES = 4;
const series = (index: number): string => `s${(index % SERIES) + 1}`;

const CLASSES: Paint = {
  line: (index) => ({ class: `line ${series(index)}` }),
  area: (index) => ({ class: `area ${series(index)}` }),
  rule: () => ({ class: 'rule' }),
};

export function Picture(props: PictureProps) {
  const { chart, numbers } = props;
  const { t } = useTexts();
  if (numbers.rows.length === 0) return <p class="empty">{t('charts.nothing')}</p>;
  switch (chart.shape) {
    case 'tiles':
      return <Tiles {...props} />;
    case 'bars':
      return <Bars {...props} />;
    case 'table':
      return (
        <>
          <DataTable {...props} />
          <More numbers={numbers} />
        </>
      );
    default:
      return (
        <>
          {isFlat(numbers) ? <p class="empty">{t('charts.nothing')}</p> : <Series {...props} />}
          <details class="data">
            <summary>{t('charts.table')}</summary>
            <DataTable {...props} />
          </details>
        </>
      );
  }
}

/** Whether nothing was counted in any period. */
const isFlat = ({ rows }: Numbers): boolean => rows.every(({ cells }) => cells.slice(1).every((cell) => !cell));

function Tiles({ numbers, interval }: PictureProps) {
  const texts = useTexts();
  return (
    <dl class="tiles">
      {visible(numbers).map(({ column, index }) => (
        <div key={column.key}>
          <dt>{column.label}</dt>
          <dd>{shown(numbers.rows[0]!.cells[index]!, column.kind, texts, interval)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Class of the cells of a column: numbers are aligned at their end. */
const numberClass = (kind: string): string | undefined =>
  ['number', 'bytes', 'percent', 'milliseconds'].includes(kind) ? 'number' : undefined;

interface CellsProps extends Pick<Numbers['rows'][number], 'cells' | 'href'> {
  readonly columns: ReturnType<typeof visible>;
  readonly interval: Interval;
  /** Language of the row's name. */
  readonly lang?: string | undefined;
  readonly classOf: (kind: string) => string | undefined;
}

/** The cells of a row. The first one names it, and is a link to more. */
function Cells({ columns, cells, href, interval, lang, classOf }: CellsProps) {
  const texts = useTexts();
  return columns.map(({ column, index }, at) => {
    const text = shown(cells[index]!, column.kind, texts, interval);
    if (at > 0)
      return (
        <td key={column.key} class={classOf(column.kind)}>
          {text}
        </td>
      );
    return (
      <th key={column.key} scope="row" lang={lang}>
        {href ? <a href={href}>{text}</a> : text}
      </th>
    );
  });
}

/** A table with a bar in each row. It is the picture and the table at once. */
function Bars({ chart, numbers, interval }: PictureProps) {
  const texts = useTexts();
  const { t, dataLang } = texts;
  const columns = visible(numbers);
  const bar = drawn(chart, numbers)[0]!.index;
  const max = fullBar(numbers, bar);
  return (
    <>
      <table class="bars">
        <caption class="hidden">{t(chart.title)}</caption>
        <thead class="hidden">
          <tr>
            {columns.map(({ column }) => (
              <th key={column.key} scope="col">
                {column.label}
              </th>
            ))}
            <th scope="col">{t('stats.bar')}</th>
          </tr>
        </thead>
        <tbody>
          {numbers.rows.map(({ cells, href }) => (
            <tr key={cells.join(' ')}>
              <Cells {...{ columns, cells, href, interval }} lang={dataLang} classOf={() => 'number'} />
              <td>
                <Bar percent={Math.round((1000 * Number(cells[bar])) / max) / 10} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <More numbers={numbers} />
    </>
  );
}

const WIDTH = 1000;
const HEIGHT = 240;

function Series({ chart, numbers, interval }: PictureProps) {
  const texts = useTexts();
  const columns = drawn(chart, numbers);
  const [names] = visible(numbers);
  const name = (row: Numbers['rows'][number]) => shown(row.cells[names!.index]!, names!.column.kind, texts, interval);
  const values = columns.map(({ index }) => numbers.rows.map(({ cells }) => cells[index] as number | null));
  const ticks = ticksOf(heights(chart, values));
  const kind = columns[0]!.column.kind;
  const spots = numbers.rows.map((row) => ({
    ...(row.href && { href: row.href }),
    text: [
      name(row),
      ...visible(numbers)
        .slice(1)
        .map(({ column, index }) => `${column.label}: ${shown(row.cells[index]!, column.kind, texts, interval)}`),
    ].join('\n'),
  }));
  const last = numbers.rows.length - 1;
  return (
    <>
      {columns.length > 1 && (
        <ul class="legend">
          {columns.map(({ column }, index) => (
            <li key={column.key}>
              <svg viewBox="0 0 10 10" aria-hidden="true" focusable="false">
                <rect class={`area ${series(index)}`} width="10" height="10" rx="2" />
              </svg>{' '}
              {column.label}
            </li>
          ))}
        </ul>
      )}
      <div class="axes" aria-hidden="true">
        <div class="ticks">
          {[...ticks].reverse().map((tick) => (
            <span key={tick}>{shown(tick, kind, texts, interval)}</span>
          ))}
        </div>
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden="true"
          focusable="false"
          class={chart.shape}
        >
          <Plot
            shape={chart.shape === 'columns' ? 'columns' : 'lines'}
            series={values}
            {...{ ticks, spots, paint: CLASSES, width: WIDTH, height: HEIGHT }}
          />
        </svg>
        <div class="periods">
          {[0, last >> 1, last].map((at, index) => (
            <span key={String(index)}>{index === 0 || at > 0 ? name(numbers.rows[at]!) : ''}</span>
          ))}
        </div>
      </div>
    </>
  );
}

/** The numbers that the scale must contain: of columns, those of each stack. */
export const heights = ({ shape }: Chart, values: readonly (readonly (number | null)[])[]): number[] =>
  shape === 'columns'
    ? (values[0] ?? []).map((_, at) => values.reduce((sum, one) => sum + (one[at] ?? 0), 0))
    : values.flat().filter((value) => value !== null);

function DataTable({ chart, numbers, interval }: PictureProps) {
  const texts = useTexts();
  const columns = visible(numbers);
  return (
    <section class="scroll" tabindex={0} aria-label={texts.t(chart.title)}>
      <table>
        <thead>
          <tr>
            {columns.map(({ column }) => (
              <th key={column.key} scope="col" class={numberClass(column.kind)}>
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {numbers.rows.map(({ cells, href }) => (
            <tr key={cells.join(' ')}>
              <Cells {...{ columns, cells, href, interval }} classOf={numberClass} />
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The number of rows that a list omits. */
function More({ numbers: { more = 0 } }: Pick<PictureProps, 'numbers'>) {
  const { t } = useTexts();
  return more > 0 ? <p class="hint">{t('charts.more', { count: more })}</p> : null;
}
