/** Map preview: the element that the script fills, and the places as a table. */

import type { ComponentChildren } from 'preact';
import { infoOf } from '../facts.tsx';
import { Notice } from '../form.tsx';
import { useTexts } from '../use-texts.ts';
import type { At } from './at.ts';
import { recordLink } from './cell.tsx';
import { type Features, positionOf } from './features.ts';
import { type Condition, wordsOf } from './table-state.ts';

interface MapProps {
  readonly at: At;
  /** Null if there are none, or the request was refused. */
  readonly places: Features | null;
  readonly fault?: ComponentChildren;
  readonly conditions: readonly Condition[];
  /** Words that the records have. */
  readonly q: string;
  /** Maximum bytes of a file. */
  readonly maxFile: number;
  readonly script: {
    readonly maplibre: string;
    readonly style: string;
    readonly script: string;
    /** With the root path of the site, as the other paths that the script uses. */
    readonly worker: string;
    readonly places: string;
    readonly tiles: string | null;
    readonly attribution: string;
  };
}

export function MapPreview({ at, places, fault, script, conditions, q, maxFile }: MapProps) {
  const texts = useTexts();
  const { t, bytes } = texts;
  const title = at.view?.title || at.resource.name || t('preview.way', { way: 'map' });
  const hasPlaces = places !== null && places.places.length > 0;
  return (
    <div class="preview">
      <Notice text={fault} bad />
      {conditions.length > 0 && (
        <p class="hint">{t('preview.recordsWith', { conditions: wordsOf(conditions, texts) })}</p>
      )}
      {q !== '' && <p class="hint">{t('preview.recordsWithWords', { words: q })}</p>}
      {places !== null && places.omitted > 0 && (
        <p class="hint">{t('preview.placesOmitted', { count: places.omitted })}</p>
      )}
      {!fault && !hasPlaces && (
        <p class="empty">
          {places?.isTooLarge ? t('preview.mapFileTooLarge', { size: bytes(maxFile) }) : t('preview.noPlaces')}
        </p>
      )}
      {hasPlaces && (
        <>
          <link rel="stylesheet" href={script.style} />
          <div
            class="map"
            data-places={script.places}
            data-worker={script.worker}
            data-tiles={script.tiles ?? undefined}
            data-attribution={script.attribution || undefined}
            data-title={t('preview.mapOf', { title })}
            data-record={t('preview.wholeRecord')}
            data-failed={t('preview.mapFailed')}
            data-cut={t('preview.mapCut')}
          />
          <script src={script.maplibre} defer />
          <script src={script.script} defer />
          <h3>{places.isCut ? t('preview.firstPlaces', { count: places.places.length }) : t('preview.places')}</h3>
          <FeatureTable at={at} places={places} />
        </>
      )}
    </div>
  );
}

function FeatureTable({ at, places: { places } }: { at: At; places: Features }) {
  const { t } = useTexts();
  const names = [...new Set(places.flatMap(({ properties }) => Object.keys(properties)))].slice(0, 8);
  const labelOf = (name: string) => {
    const field = at.resource.table?.fields.find(({ id }) => id === name);
    return (field && infoOf(field, 'label')) || name;
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll a wide table
    <section class="scroll grid" tabIndex={0} aria-label={t('preview.places')}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('preview.position')}</th>
            {names.map((name) => (
              <th key={name} scope="col">
                {labelOf(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {places.map(({ geometry, properties, record }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: places of files have no names
            <tr key={index}>
              <th scope="row">
                {record === null ? (
                  (positionOf(geometry) ?? t('preview.shape', { shape: geometry.type }))
                ) : (
                  <a {...recordLink(at, record)}>
                    {positionOf(geometry) ?? t('preview.shape', { shape: geometry.type })}
                  </a>
                )}
              </th>
              {names.map((name) => (
                <td key={name}>{properties[name]}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
