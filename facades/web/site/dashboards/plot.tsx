/** Series over time as elements of an SVG picture. On pages, classes give the colours; in files, attributes do. */

/** Attributes that give a mark its colour. `index`: number of the series, from 0. */
export interface Paint {
  line(index: number): Record<string, string>;
  area(index: number): Record<string, string>;
  rule(): Record<string, string>;
}

export interface PlotProps {
  readonly shape: 'lines' | 'columns';
  /** Values of each series, one per period. Null: none. */
  readonly series: readonly (readonly (number | null)[])[];
  readonly ticks: readonly number[];
  readonly width: number;
  readonly height: number;
  readonly paint: Paint;
  /** Tooltip and link of each period. */
  readonly spots?: readonly { readonly href?: string; readonly text: string }[];
}

const MIN_TICKS = 4;

/** Round numbers from 0 to the first one that is not below all values. Whole numbers, if all values are. */
export function ticksOf(values: readonly number[]): number[] {
  const max = Math.max(0, ...values);
  if (max === 0) return [0, 1];
  const rough = max / MIN_TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const nice = [1, 2, 5, 10].map((step) => step * power).find((step) => step >= rough * (1 - 1e-9))!;
  const step = values.every(Number.isInteger) ? Math.max(1, nice) : nice;
  const count = Math.ceil(max / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

const round = (value: number): number => Math.round(value * 10) / 10;

export function Plot({ shape, series, ticks, width, height, paint, spots = [] }: PlotProps) {
  const top = ticks.at(-1)!;
  const count = Math.max(1, series[0]?.length ?? 0);
  const band = width / count;
  const y = (value: number) => round(height - (height * value) / top);
  const x = (index: number) => round(band * (index + 0.5));
  return (
    <>
      {ticks.map((tick) => (
        <line key={tick} x1={0} x2={width} y1={y(tick)} y2={y(tick)} {...paint.rule()} />
      ))}
      {shape === 'columns' ? columns(series, band, y, paint) : series.map((values, index) => line(values, index))}
      {spots.map(({ href, text }, index) => {
        const area = (
          <rect key={text} x={round(band * index)} width={round(band)} height={height} class="spot">
            <title>{text}</title>
          </rect>
        );
        return href ? (
          <a key={text} href={href} tabindex={-1}>
            {area}
          </a>
        ) : (
          area
        );
      })}
    </>
  );

  /** A single value is a line over its period. */
  function period(values: readonly (number | null)[]): string {
    const at = values.findIndex((value) => value !== null);
    return `M${round(band * at)} ${y(values[at]!)}h${round(band)}`;
  }

  function line(values: readonly (number | null)[], index: number) {
    const points = values.flatMap((value, at) => (value === null ? [] : [`${x(at)} ${y(value)}`]));
    if (points.length === 0) return null;
    const path = points.length === 1 ? period(values) : `M${points.join('L')}`;
    const [first, last] = [points[0]!.split(' ')[0], points.at(-1)!.split(' ')[0]];
    return (
      <g key={index}>
        {series.length === 1 && points.length > 1 && (
          <path d={`${path}L${last} ${height}L${first} ${height}Z`} {...paint.area(index)} />
        )}
        <path d={path} {...paint.line(index)} />
      </g>
    );
  }
}

/** Columns, one series on the other. */
function columns(series: PlotProps['series'], band: number, y: (value: number) => number, paint: Paint) {
  const sums = new Array<number>(series[0]?.length ?? 0).fill(0);
  return series.map((values, index) => {
    const path = values.flatMap((value, at) => {
      if (!value) return [];
      const bottom = y(sums[at]!);
      sums[at]! += value;
      const top = y(sums[at]!);
      return [`M${round(band * (at + 0.1))} ${bottom}V${top}h${round(band * 0.8)}V${bottom}Z`];
    });
    // biome-ignore lint/suspicious/noArrayIndexKey: series have no other name
    return <path key={index} d={path.join('')} {...paint.area(index)} />;
  });
}
