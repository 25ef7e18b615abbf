/** The published method of data.europa.eu: checks, points, dimensions and ratings (docs/quality.md). Pure. */

/** Increases when scores of unchanged datasets can change. Servers then score all datasets again. */
export const METHOD_VERSION = 1;

export const DIMENSIONS = ['FINDABILITY', 'ACCESSIBILITY', 'INTEROPERABILITY', 'REUSABILITY', 'CONTEXTUALITY'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** A check. */
interface Check {
  readonly name: string;
  readonly dimension: Dimension;
  readonly points: number;
  /** Whether a distribution meets it, and not the dataset as a whole. */
  readonly isOfDistribution: boolean;
  /** Name of the metric in the data quality vocabulary of data.europa.eu. */
  readonly metric: string;
  /** Form field that raises the score. Fields of a resource begin with `resource.`; null if no field does. */
  readonly field: string | null;
  /** How to meet it. */
  readonly raise: string;
}

const checksOf =
  (isOfDistribution: boolean) =>
  <Name extends string>(
    name: Name,
    dimension: Dimension,
    points: number,
    metric: string,
    field: string | null,
    raise: string,
  ) => ({ name, dimension, points, metric, field, raise, isOfDistribution });
const [ofDataset, ofResource] = [checksOf(false), checksOf(true)];

/** All checks, in the order of the published tables. Stored states refer to this order: append new checks, and raise METHOD_VERSION. */
export const CHECKS = [
  ofDataset('KEYWORDS', 'FINDABILITY', 30, 'keywordAvailability', 'tags', 'Add at least one tag.'),
  ofDataset(
    'CATEGORIES',
    'FINDABILITY',
    30,
    'categoryAvailability',
    'groups',
    'Add the dataset to a group, or add the extra `theme`.',
  ),
  ofDataset(
    'SPATIAL',
    'FINDABILITY',
    20,
    'spatialAvailability',
    'extras.spatial',
    'Add the extra `spatial`: a place, or a geometry in GeoJSON.',
  ),
  ofDataset(
    'TEMPORAL',
    'FINDABILITY',
    20,
    'temporalAvailability',
    'extras.temporal_start',
    'Add the extras `temporal_start` and `temporal_end`.',
  ),
  ofResource(
    'ACCESS_URL_WORKS',
    'ACCESSIBILITY',
    50,
    'accessUrlStatusCode',
    'resource.url',
    'Correct the URL of a resource, or upload its file.',
  ),
  ofResource(
    'DOWNLOAD_URL',
    'ACCESSIBILITY',
    20,
    'downloadUrlAvailability',
    'resource.url',
    'Upload a file, or set `download_url` of a resource.',
  ),
  ofResource(
    'DOWNLOAD_URL_WORKS',
    'ACCESSIBILITY',
    30,
    'downloadUrlStatusCode',
    'resource.url',
    'Correct the download URL of a resource, or upload its file.',
  ),
  ofResource(
    'FORMAT',
    'INTEROPERABILITY',
    20,
    'formatAvailability',
    'resource.format',
    'Set the format of a resource.',
  ),
  ofResource(
    'MEDIA_TYPE',
    'INTEROPERABILITY',
    10,
    'mediaTypeAvailability',
    'resource.mimetype',
    'Set the media type of a resource.',
  ),
  ofResource(
    'FORMAT_VOCABULARY',
    'INTEROPERABILITY',
    10,
    'formatMediaTypeVocabularyAlignment',
    'resource.format',
    'Use a format of the EU file type table, and a media type registered by IANA.',
  ),
  ofResource(
    'NON_PROPRIETARY',
    'INTEROPERABILITY',
    20,
    'formatMediaTypeNonProprietary',
    'resource.format',
    'Offer the data in an open format, such as CSV, JSON or XML.',
  ),
  ofResource(
    'MACHINE_READABLE',
    'INTEROPERABILITY',
    20,
    'formatMediaTypeMachineInterpretable',
    'resource.format',
    'Offer the data in a machine-readable format, such as CSV, JSON or XLSX.',
  ),
  ofDataset(
    'DCAT_AP',
    'INTEROPERABILITY',
    30,
    'dcatApCompliance',
    'notes',
    'Correct the properties that violate DCAT-AP. `faults` lists them.',
  ),
  ofResource('LICENSE', 'REUSABILITY', 20, 'licenceAvailability', 'licenseId', 'Select a license.'),
  ofResource(
    'LICENSE_VOCABULARY',
    'REUSABILITY',
    10,
    'knownLicence',
    'licenseId',
    'Select a license of the EU licence table, such as CC BY 4.0.',
  ),
  ofDataset(
    'ACCESS_RIGHTS',
    'REUSABILITY',
    10,
    'accessRightsAvailability',
    'extras.access_rights',
    'Add the extra `access_rights`.',
  ),
  ofDataset(
    'ACCESS_RIGHTS_VOCABULARY',
    'REUSABILITY',
    5,
    'accessRightsVocabularyAlignment',
    'extras.access_rights',
    'Set the extra `access_rights` to a URL of the EU access right table.',
  ),
  ofDataset(
    'CONTACT_POINT',
    'REUSABILITY',
    20,
    'contactPointAvailability',
    'maintainer',
    'Name a maintainer or author.',
  ),
  ofDataset(
    'PUBLISHER',
    'REUSABILITY',
    10,
    'publisherAvailability',
    'ownerOrganization',
    'Select the organization, or add the extra `publisher_name`.',
  ),
  ofResource('RIGHTS', 'CONTEXTUALITY', 5, 'rightsAvailability', 'resource.rights', 'Set `rights` of a resource.'),
  ofResource(
    'BYTE_SIZE',
    'CONTEXTUALITY',
    5,
    'byteSizeAvailability',
    'resource.size',
    'Set the size of a resource, or upload its file.',
  ),
  ofDataset('ISSUED', 'CONTEXTUALITY', 5, 'dateIssuedAvailability', 'extras.issued', 'Add the extra `issued`.'),
  ofDataset('MODIFIED', 'CONTEXTUALITY', 5, 'dateModifiedAvailability', 'extras.modified', 'Add the extra `modified`.'),
] as const satisfies readonly Check[];

export type CheckName = (typeof CHECKS)[number]['name'];

/** Whether a check is met. It is unknown while the link is not checked. */
export type State = 'MET' | 'UNMET' | 'UNKNOWN';

/** States as stored, one character for each check. */
export const STATE_SIGNS: Readonly<Record<State, string>> = { MET: '1', UNMET: '0', UNKNOWN: '?' };

/** Place of a check in stored states, from 1, as SQL counts. */
export const positionOf = (name: CheckName): number => CHECKS.findIndex((check) => check.name === name) + 1;

export const stateAt = (states: string, index: number): State =>
  states[index] === '1' ? 'MET' : states[index] === '?' ? 'UNKNOWN' : 'UNMET';

/** The best rating first, with the least points that it needs. */
export const RATINGS = [
  ['EXCELLENT', 351],
  ['GOOD', 221],
  ['SUFFICIENT', 121],
  ['BAD', 0],
] as const;
export type Rating = (typeof RATINGS)[number][0];

export const ratingOf = (points: number): Rating => RATINGS.find(([, least]) => points >= least)![0];

/** The least and the most points of a rating. */
export function boundsOf(rating: Rating): { minPoints: number; maxPoints: number } {
  const at = RATINGS.findIndex(([name]) => name === rating);
  return { minPoints: RATINGS[at]![1], maxPoints: at === 0 ? maximumOf() : RATINGS[at - 1]![1] - 1 };
}

/** Points that stored states give: of a dimension, or of all. */
export const pointsOf = (states: string, dimension?: Dimension): number =>
  CHECKS.reduce(
    (sum, check, index) =>
      sum +
      (states[index] === STATE_SIGNS.MET && (dimension === undefined || check.dimension === dimension)
        ? check.points
        : 0),
    0,
  );

/** Largest number of points: of a dimension, or of all. */
export const maximumOf = (dimension?: Dimension): number => MAXIMA.get(dimension)!;

const ALL_MET = STATE_SIGNS.MET.repeat(CHECKS.length);
const MAXIMA: ReadonlyMap<Dimension | undefined, number> = new Map(
  [undefined, ...DIMENSIONS].map((dimension) => [dimension, pointsOf(ALL_MET, dimension)]),
);
