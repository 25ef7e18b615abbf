/** Quality of metadata: a section on pages of datasets, and a line on pages of organizations. */
import type { QualityLineFragment, QualitySectionFragment } from '../../../src/generated/operations.ts';
import { Bars } from './bars.tsx';
import { useTexts } from './use-texts.ts';

type Dimension = QualitySectionFragment['dimensions'][number];
type Check = Dimension['checks'][number];

interface SectionProps {
  /** Null before the first score. */
  readonly quality: QualitySectionFragment | null;
  /** Name of the dataset. */
  readonly name: string;
  /** Whether the reader may change the dataset. */
  readonly isEditor: boolean;
}

/** Rating, points by dimension, and the checks that would give more points. */
export function QualitySection({ quality, name, isEditor }: SectionProps) {
  const { t, number } = useTexts();
  if (!quality) return null;
  const { points, maximum, rating, stars, dimensions, faults } = quality;
  const missing = dimensions.flatMap(({ checks }) => checks);
  return (
    <section id="quality">
      <h2>{t('quality.title')}</h2>
      <p>
        <strong>{t('quality.rating', { rating: rating.toLowerCase() })}</strong>{' '}
        {t('quality.points', { points: number(points), maximum: number(maximum) })}
        {' · '}
        {t('quality.stars', { stars })}
      </p>
      <DimensionBars dimensions={dimensions} />
      {missing.length > 0 && (
        <details>
          <summary>{t('quality.raise')}</summary>
          <ul>
            {missing.map((check) => (
              <li key={check.name}>
                <Advice check={check} name={name} isEditor={isEditor} />
              </li>
            ))}
          </ul>
          {faults.length > 0 && (
            <p class="hint">
              {t('quality.faults')} <code lang="en">{faults.join(', ')}</code>
            </p>
          )}
        </details>
      )}
    </section>
  );
}

/** A table of points with bars. */
function DimensionBars({ dimensions }: { dimensions: readonly Dimension[] }) {
  const { t, number } = useTexts();
  return (
    <Bars
      caption={t('quality.title')}
      words={[t('quality.dimensionWord'), t('quality.pointsWord')]}
      rows={dimensions.map(({ name, points, maximum }) => ({
        name,
        label: t('quality.dimension', { dimension: name.toLowerCase() }),
        number: `${number(points)} / ${number(maximum)}`,
        percent: (100 * points) / maximum,
      }))}
    />
  );
}

/** How to meet a check. Editors get a link to the field. */
function Advice({ check, name, isEditor }: { check: Check; name: string; isEditor: boolean }) {
  const { t, number } = useTexts();
  const isUnknown = check.state === 'UNKNOWN';
  const text = isUnknown ? t('quality.unknown') : t('quality.check', { check: check.name.toLowerCase() });
  const href = isEditor && !isUnknown ? hrefOfField(name, check.field) : null;
  return (
    <>
      {href === null ? text : <a href={href}>{text}</a>}{' '}
      <span class="quiet">{t('quality.more', { points: number(check.maximum) })}</span>
    </>
  );
}

/** Page and place where a field is edited. */
function hrefOfField(dataset: string, field: string | null): string | null {
  const name = encodeURIComponent(dataset);
  if (field === null) return null;
  if (field === 'groups') return `/dataset/groups/${name}`;
  if (field.startsWith('resource.')) return `/dataset/resources/${name}`;
  return `/dataset/edit/${name}#field-${field.startsWith('extras.') ? 'extras' : encodeURIComponent(field)}`;
}

/** Mean and rating of an organization's datasets. */
export function QualityLine({ quality }: { quality: QualityLineFragment }) {
  const { t, rich, number } = useTexts();
  const { datasets, meanPoints, maximum, rating } = quality;
  if (meanPoints == null || !rating) return null;
  return (
    <p class="quiet" id="quality">
      {rich('quality.mean', {
        rating: <strong>{t('quality.rating', { rating: rating.toLowerCase() })}</strong>,
        points: number(meanPoints),
        maximum: number(maximum),
        datasets,
      })}
    </p>
  );
}
