/** Chart preview: the picture, the form that changes it, and its numbers as a table. Needs no script. */

import type { ComponentChildren } from 'preact';
import { infoOf } from '../facts.tsx';
import { Notice } from '../form.tsx';
import { useTexts } from '../use-texts.ts';
import { type At, dataFields, type Table } from './at.ts';
import { isNumber } from './cell.tsx';
import { type ChartState, FIGURES, INTERVALS, isTime, KINDS, MAX_SERIES } from './chart-state.ts';
import { Hidden } from './hidden.tsx';
import { type Drawing, keyOf, type X } from './plot.ts';
import { type Condition, conditionParams, wordsOf } from './table-state.ts';

interface ChartProps {
  readonly at: At;
  readonly table: Table;
  readonly chart: ChartState;
  /** Conditions of the view. */
  readonly fixed: readonly Condition[];
  /** Null if the request was refused. */
  readonly drawing: Drawing | null;
  readonly isCut: boolean;
  /** SVG element, with escaped texts; null if there is nothing to draw. */
  readonly svg: string | null;
  readonly fault?: ComponentChildren;
}

export function ChartPreview(props: ChartProps) {
  const { drawing, svg, fault, isCut, chart, fixed } = props;
  const texts = useTexts();
  const { t } = texts;
  const conditions = [...fixed, ...chart.conditions];
  return (
    <div class="preview">
      <ChartForm {...props} />
      <Notice text={fault} bad />
      {conditions.length > 0 && (
        <p class="hint">{t('preview.recordsWith', { conditions: wordsOf(conditions, texts) })}</p>
      )}
      {drawing && svg === null && <p class="empty">{t('preview.nothingToDraw')}</p>}
      {drawing && svg !== null && (
        <figure class="plot">
          <figcaption>
            <strong>{drawing.title}</strong>
            {drawing.series.length > 1 && <Legend series={drawing.series} />}
          </figcaption>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll a wide chart */}
          <section class="scroll" tabIndex={0} aria-label={t('preview.chart')}>
            <Picture svg={svg} />
          </section>
          {isCut && <p class="hint">{t('preview.chartCut')}</p>}
          <Numbers drawing={drawing} />
        </figure>
      )}
    </div>
  );
}

const Picture = ({ svg }: { svg: string }) => (
  // biome-ignore lint/security/noDangerouslySetInnerHtml: serialized by linkedom, which escapes texts
  <div dangerouslySetInnerHTML={{ __html: svg }} />
);

const Legend = ({ series }: { series: readonly string[] }) => (
  <ul class="legend">
    {series.map((name, at) => (
      <li key={name}>
        <svg viewBox="0 0 10 10" aria-hidden="true" focusable="false">
          <rect width="10" height="10" fill={`var(--series-${at + 1})`} />
        </svg>{' '}
        {name}
      </li>
    ))}
  </ul>
);

interface SelectProps {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly options: Readonly<Record<string, string>>;
  readonly value: string;
}

const Select = ({ id, name, label, options, value }: SelectProps) => (
  <p>
    <label for={id}>{label}</label>
    <select id={id} name={name}>
      {Object.entries(options).map(([key, words]) => (
        <option key={key} value={key} selected={key === value}>
          {words}
        </option>
      ))}
    </select>
  </p>
);

/** Labels of words. */
const named = <K extends string>(words: readonly K[], label: (word: K) => string): Record<string, string> =>
  Object.fromEntries(words.map((word) => [word, label(word)]));

function ChartForm({ at, table, chart }: ChartProps) {
  const { t } = useTexts();
  const fields = dataFields(table);
  const labels = (only: (field: (typeof fields)[number]) => boolean) =>
    Object.fromEntries(fields.filter(only).map((field) => [field.id, infoOf(field, 'label') || field.id]));
  const numbers = labels(isNumber);
  const second = { '': t('preview.noColumn'), ...numbers };
  const hasTime = fields.some((field) => field.id === chart.x && isTime(field));
  return (
    <form method="get" action={at.path} class="conditions" aria-label={t('preview.chart')}>
      <Hidden params={[...at.base, ...conditionParams(chart.conditions)]} />
      <Select
        id="chart-kind"
        name="kind"
        label={t('preview.kind')}
        options={named(KINDS, (kind) => t('preview.kindOf', { kind }))}
        value={chart.kind}
      />
      <Select
        id="chart-x"
        name="x"
        label={t('preview.firstAxis')}
        options={labels(({ type }) => !/^_|^json|^nested/.test(type))}
        value={chart.x}
      />
      {hasTime && (
        <Select
          id="chart-interval"
          name="interval"
          label={t('preview.time')}
          options={named(INTERVALS, (interval) => t('preview.interval', { interval }))}
          value={chart.interval}
        />
      )}
      <Select
        id="chart-figure"
        name="figure"
        label={t('preview.figure')}
        options={named(FIGURES, (figure) => t('preview.figureOf', { figure }))}
        value={chart.figure}
      />
      {Array.from({ length: Math.min(MAX_SERIES, chart.y.length + 1) }, (_, index) => (
        <Select
          // biome-ignore lint/suspicious/noArrayIndexKey: the fields have no other names
          key={index}
          id={`chart-y-${index}`}
          name="y"
          label={index === 0 ? t('preview.valuesOf') : t('preview.andOf', { number: index + 1 })}
          options={second}
          value={chart.y[index] ?? ''}
        />
      ))}
      <button type="submit">{t('preview.draw')}</button>
    </form>
  );
}

/** Rows of the table below a chart. */
const MAX_ROWS = 400;

function Numbers({ drawing: { points, series, xLabel, kind } }: { drawing: Drawing }) {
  const { t, number } = useTexts();
  const isFlat = kind === 'points';
  const rows = isFlat ? points.map(({ x, series, y }) => ({ x, values: new Map([[series, y]]) })) : grouped(points);
  return (
    <details>
      <summary>{t('preview.numbers')}</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">{xLabel}</th>
            {series.map((name) => (
              <th key={name} scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MAX_ROWS).map(({ x, values }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: values of the first axis can repeat
            <tr key={index}>
              <th scope="row">{words(x) ?? t('preview.noValue')}</th>
              {series.map((name) => (
                <td key={name} class="number">
                  {numberText(values.get(name), number)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

type Row = { readonly x: X; readonly values: Map<string, number> };

function grouped(points: Drawing['points']): Row[] {
  const rows = new Map<string, Row>();
  for (const { x, series, y } of points) {
    const key = keyOf(x);
    const row = rows.get(key) ?? { x, values: new Map() };
    row.values.set(series, y);
    rows.set(key, row);
  }
  return [...rows.values()];
}

const numberText = (value: number | undefined, written: (value: number) => string): string =>
  value === undefined || !Number.isFinite(value) ? '' : written(Number(value.toPrecision(12)));

/** A value of the first axis. Times at midnight are days. */
function words(x: X): string | null {
  if (x === null) return null;
  if (x instanceof Date)
    return x
      .toISOString()
      .replace(/T00:00:00\.000Z$/, '')
      .replace('T', ' ')
      .replace(/\.000Z$/, '');
  return String(x);
}
