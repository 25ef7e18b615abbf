/** A chart on its dashboard: picture, numbers, files, and its operation. */
import type { ComponentChildren } from 'preact';
import { useTexts } from '../use-texts.ts';
import { curlCall, graphiqlHref, operationOf } from './calls.ts';
import type { At, Chart, Numbers } from './chart.ts';
import { hasPicture } from './files.tsx';
import { filtersHref } from './filters.ts';
import { Picture } from './picture.tsx';

/** The answer of a chart's operation, or why there is none. */
export type Answer = { readonly numbers: Numbers } | { readonly fault: ComponentChildren };

interface CardProps {
  readonly chart: Chart;
  readonly answer: Answer;
  readonly at: At;
  readonly siteUrl: string;
}

const fileHref = ({ dashboard, id }: Chart, format: 'csv' | 'svg', { filters }: At): string =>
  filtersHref(`/dashboards/${dashboard}/${id}.${format}`, filters.texts);

export function Card({ chart, answer, at, siteUrl }: CardProps) {
  const { t } = useTexts();
  const title = t(chart.title);
  const operation = operationOf(chart, at);
  return (
    <figure id={`chart-${chart.id}`} class={chart.isWide ? 'chart wide' : 'chart'}>
      <figcaption>
        <h2>{title}</h2>
        {chart.text && <p class="hint">{t(chart.text)}</p>}
      </figcaption>
      {'numbers' in answer ? (
        <Picture chart={chart} numbers={answer.numbers} interval={at.filters.interval} />
      ) : (
        <p class="notice bad">{answer.fault}</p>
      )}
      <div class="uses">
        <a href={fileHref(chart, 'csv', at)} aria-label={t('charts.fileOf', { format: 'CSV', title })}>
          CSV
        </a>
        {hasPicture(chart) && (
          <a
            href={fileHref(chart, 'svg', at)}
            aria-label={t('charts.fileOf', { format: 'SVG', title })}
            data-png={t('charts.fileOf', { format: 'PNG', title })}
          >
            SVG
          </a>
        )}
        <a href={graphiqlHref(operation)} aria-label={t('charts.graphiqlOf', { title })}>
          {t('charts.graphiql')}
        </a>
        <details data-copy={t('islands.copy')} data-copied={t('islands.copied')}>
          <summary aria-label={t('charts.curlOf', { title })}>{t('charts.curl')}</summary>
          <pre>
            <code>{curlCall(operation, siteUrl, at.isSignedIn)}</code>
          </pre>
        </details>
      </div>
    </figure>
  );
}
