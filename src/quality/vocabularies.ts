/** Whether IRIs are in the vocabularies that the method names. Pure. */
import { createRequire } from 'node:module';
import {
  ACCESS_RIGHTS,
  FILE_TYPES,
  LICENSE_DOCUMENTS,
  LICENSES,
  MACHINE_READABLE,
  NON_PROPRIETARY,
  OPEN_SOURCE_DOCUMENTS,
  STARS,
} from './vocabularies.data.ts';

const AUTHORITY = 'http://publications.europa.eu/resource/authority/';
const MEDIA_TYPES = 'https://www.iana.org/assignments/media-types/';

const table = (name: string, codes: string): ReadonlySet<string> =>
  new Set(codes.split(' ').map((code) => `${AUTHORITY}${name}/${code}`));

const fileTypes = table('file-type', FILE_TYPES);
const nonProprietary = table('file-type', NON_PROPRIETARY);
const machineReadable = table('file-type', MACHINE_READABLE);
const accessRights = table('access-right', ACCESS_RIGHTS);
const licenses = table('licence', LICENSES);
const documents: ReadonlySet<string> = new Set([
  ...LICENSE_DOCUMENTS.split(' '),
  ...OPEN_SOURCE_DOCUMENTS.split(' ').map((id) => `opensource.org/licenses/${id}`),
]);

/** Types of IANA's registry: those that mime-db took from there. */
const mediaTypes: ReadonlySet<string> = new Set(
  Object.entries(createRequire(import.meta.url)('mime-db') as Record<string, { source?: string }>).flatMap(
    ([type, { source }]) => (source === 'iana' ? [type] : []),
  ),
);

export const isFileType = (iri: string): boolean => fileTypes.has(iri);
export const isNonProprietary = (iri: string): boolean => nonProprietary.has(iri);
export const isMachineReadable = (iri: string): boolean => machineReadable.has(iri);
export const isAccessRight = (iri: string): boolean => accessRights.has(iri);

export const isMediaType = (iri: string): boolean =>
  iri.startsWith(MEDIA_TYPES) && mediaTypes.has(iri.slice(MEDIA_TYPES.length).toLowerCase());

/** An entry of the table, or the license document that it names. */
export const isKnownLicense = (iri: string): boolean =>
  licenses.has(iri) || documents.has(iri.replace(/^https?:\/\/(?:www\.)?/i, '').replace(/\/$/, ''));

const starsByCode = new Map(
  Object.entries(STARS).flatMap(([stars, codes]) => codes.split(' ').map((code) => [code, Number(stars)] as const)),
);

/** Stars of a format by its IRI in the table of file types: 1 if it has no more. */
export const starsOf = (iri: string): number =>
  (iri.startsWith(`${AUTHORITY}file-type/`)
    ? starsByCode.get(iri.slice(`${AUTHORITY}file-type/`.length))
    : undefined) ?? 1;
