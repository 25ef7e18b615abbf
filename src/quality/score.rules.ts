/** Scores the linked-data description of a dataset by the method. Pure. */
import { iriOf } from '../kernel/namespaces.ts';
import { faultsOf } from './dcat-ap.rules.ts';
import { type Description, describe, keyOf, type Statement, type Term, valuesOf } from './graph.ts';
import {
  CHECKS,
  type CheckName,
  DIMENSIONS,
  type Dimension,
  pointsOf,
  STATE_SIGNS,
  type State,
} from './method.rules.ts';
import {
  isAccessRight,
  isFileType,
  isKnownLicense,
  isMachineReadable,
  isMediaType,
  isNonProprietary,
  starsOf,
} from './vocabularies.ts';

/** Facts about a dataset that its description does not tell. */
export interface Facts {
  /** Whether the license is open. */
  readonly isOpen: boolean;
  /** Whether the address of a distribution works. */
  readonly accessOf: (distribution: string, address: string) => State;
}

export interface Score {
  readonly points: number;
  readonly byDimension: Readonly<Record<Dimension, number>>;
  /** A letter per check, in the order of CHECKS. */
  readonly checks: string;
  readonly faults: readonly string[];
  readonly stars: number;
}

type States = Readonly<Partial<Record<CheckName, State>>>;

const DATASET = iriOf('dcat:Dataset');
const met = (isMet: boolean): State => (isMet ? 'MET' : 'UNMET');

/** The score of the first dataset in a description. */
export function scoreOf(statements: Iterable<Statement>, facts: Facts): Score {
  const description = describe(statements);
  const dataset = description.byClass.get(DATASET)?.[0] ?? '';
  const distributions = valuesOf(description, dataset, iriOf('dcat:distribution')).map(keyOf).sort();
  const faults = faultsOf(description);
  const ofDataset = statesOfDataset(description, dataset, distributions, faults.length === 0);
  const ofDistributions = distributions.map((key) => statesOfDistribution(description, key, facts));
  const checks = signsOf(ofDataset, ofDistributions);
  const stars = facts.isOpen
    ? Math.max(0, ...distributions.map((key, index) => starsOfDistribution(description, key, ofDistributions[index]!)))
    : 0;
  const byDimension = Object.fromEntries(
    DIMENSIONS.map((name) => [name, pointsOf(checks, name)]),
  ) as Score['byDimension'];
  return { points: pointsOf(checks), byDimension, checks, faults, stars };
}

/**
 * In each dimension, the distribution with the most points counts: the method assumes that distributions have the same content. Of equal
 * ones, the first by IRI.
 */
function signsOf(ofDataset: States, ofDistributions: readonly States[]): string {
  const best = new Map(DIMENSIONS.map((dimension) => [dimension, bestOf(ofDistributions, dimension)]));
  return CHECKS.map(({ name, dimension, isOfDistribution }) => {
    const states = isOfDistribution ? best.get(dimension) : ofDataset;
    return STATE_SIGNS[states?.[name] ?? 'UNMET'];
  }).join('');
}

function bestOf(all: readonly States[], dimension: Dimension): States | undefined {
  let [found, max]: [States | undefined, number] = [undefined, -1];
  for (const states of all) {
    const points = CHECKS.reduce(
      (sum, check) => sum + (check.dimension === dimension && states[check.name] === 'MET' ? check.points : 0),
      0,
    );
    if (points > max) [found, max] = [states, points];
  }
  return found;
}

function statesOfDataset(
  description: Description,
  dataset: string,
  distributions: readonly string[],
  complies: boolean,
): States {
  const values = (property: string) => valuesOf(description, dataset, iriOf(property));
  const has = (property: string) => met(values(property).length > 0);
  const anyHas = (property: string) =>
    met([dataset, ...distributions].some((key) => valuesOf(description, key, iriOf(property)).length > 0));
  return {
    KEYWORDS: has('dcat:keyword'),
    CATEGORIES: has('dcat:theme'),
    SPATIAL: has('dct:spatial'),
    TEMPORAL: has('dct:temporal'),
    DCAT_AP: met(complies),
    ACCESS_RIGHTS: has('dct:accessRights'),
    ACCESS_RIGHTS_VOCABULARY: met(values('dct:accessRights').some(({ value }) => isAccessRight(value))),
    CONTACT_POINT: has('dcat:contactPoint'),
    PUBLISHER: has('dct:publisher'),
    ISSUED: anyHas('dct:issued'),
    MODIFIED: anyHas('dct:modified'),
  };
}

function statesOfDistribution(description: Description, key: string, { accessOf }: Facts): States {
  const values = (property: string) => valuesOf(description, key, iriOf(property));
  const has = (property: string) => met(values(property).length > 0);
  const isAny = (property: string, test: (iri: string) => boolean) => values(property).some(({ value }) => test(value));
  const access = (addresses: readonly Term[]) => bestState(addresses.map(({ value }) => accessOf(key, value)));
  return {
    ACCESS_URL_WORKS: access(values('dcat:accessURL')),
    DOWNLOAD_URL: has('dcat:downloadURL'),
    DOWNLOAD_URL_WORKS: access(values('dcat:downloadURL')),
    FORMAT: has('dct:format'),
    MEDIA_TYPE: has('dcat:mediaType'),
    FORMAT_VOCABULARY: met(isAny('dct:format', isFileType) && isAny('dcat:mediaType', isMediaType)),
    NON_PROPRIETARY: met(isAny('dct:format', isNonProprietary)),
    MACHINE_READABLE: met(isAny('dct:format', isMachineReadable)),
    LICENSE: has('dct:license'),
    LICENSE_VOCABULARY: met(isAny('dct:license', isKnownLicense)),
    RIGHTS: has('dct:rights'),
    BYTE_SIZE: has('dcat:byteSize'),
  };
}

/** The best of several states; unmet without any. */
const bestState = (states: readonly State[]): State =>
  states.includes('MET') ? 'MET' : states.includes('UNKNOWN') ? 'UNKNOWN' : 'UNMET';

/** Stars of a distribution under an open license. Data that cannot be had has none. */
function starsOfDistribution(description: Description, key: string, states: States): number {
  if (states.ACCESS_URL_WORKS === 'UNMET') return 0;
  return Math.max(1, ...valuesOf(description, key, iriOf('dct:format')).map(({ value }) => starsOf(value)));
}
