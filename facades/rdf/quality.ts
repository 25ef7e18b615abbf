/** Describes the score of a dataset in the Data Quality Vocabulary. It has an address of its own, so descriptions of datasets do not change with it. */
import type { RdfQualityQuery } from '../../src/generated/operations.ts';
import { Graph } from './graph.ts';
import { iri, literal, name, TYPE } from './terms.ts';

type Scored = RdfQualityQuery['dataset'];

/** Metric of data.europa.eu for the sum of points. */
const SCORING = 'https://piveau.eu/ns/voc#scoring';

/** A measurement for each check with a result, and one for the points. Empty before the first score. */
export function qualityGraph({ name: datasetName, quality }: Scored, siteUrl: string): Graph {
  const graph = new Graph();
  if (!quality) return graph;
  const dataset = iri(`${siteUrl}/dataset/${encodeURIComponent(datasetName)}`);
  const time = literal(new Date(quality.scoredAt).toISOString(), name('xsd:dateTime'));
  const measure = (metric: string, value: string, type: 'xsd:boolean' | 'xsd:integer') => {
    const made = graph.blank();
    graph.add(dataset, name('dqv:hasQualityMeasurement'), made);
    graph.add(made, TYPE, name('dqv:QualityMeasurement'));
    graph.add(made, name('dqv:computedOn'), dataset);
    graph.add(made, name('dqv:isMeasurementOf'), iri(metric));
    graph.add(made, name('dqv:value'), literal(value, name(type)));
    graph.add(made, name('prov:generatedAtTime'), time);
  };
  measure(SCORING, String(quality.points), 'xsd:integer');
  for (const { checks } of quality.dimensions)
    for (const { metric, state } of checks)
      if (state !== 'UNKNOWN') measure(metric, String(state === 'MET'), 'xsd:boolean');
  return graph;
}
