/** Maps formats to writers. */
import { LINKED_FORMATS, type LinkedSuffix } from '../shared/formats.ts';
import { jsonLd } from './write/jsonld.ts';
import { nTriples } from './write/ntriples.ts';
import { rdfXml } from './write/rdfxml.ts';
import { turtle } from './write/turtle.ts';
import type { Writer } from './write/writer.ts';

export const WRITERS: Readonly<Record<LinkedSuffix, () => Writer>> = {
  rdf: rdfXml,
  ttl: turtle,
  jsonld: jsonLd,
  n3: turtle,
  nt: nTriples,
};

/** A format, and the media type to send it as. */
export interface Chosen {
  readonly suffix: LinkedSuffix;
  readonly type: string;
}

const bySuffix: ReadonlyMap<string, Chosen> = new Map([
  ...LINKED_FORMATS.map(({ suffix, types }) => [suffix, { suffix, type: types[0] }] as const),
  ['xml', { suffix: 'rdf', type: 'application/rdf+xml' }] as const,
]);

/** `ds.ttl` → the name and the format; the whole text and null when it has no known suffix. */
export function splitSuffix(text: string): { name: string; chosen: Chosen | null } {
  const at = text.lastIndexOf('.');
  const chosen = at > 0 ? bySuffix.get(text.slice(at + 1)) : undefined;
  return chosen ? { name: text.slice(0, at), chosen } : { name: text, chosen: null };
}

const byType: ReadonlyMap<string, Chosen> = new Map(
  LINKED_FORMATS.flatMap(({ suffix, types }) => types.map((type) => [type, { suffix, type }] as const)),
);

/** All media types that select a format, in order of preference. */
export const TYPES: readonly string[] = LINKED_FORMATS.flatMap(({ types }) => types);

export const chosenBy = (type: string): Chosen | null => byType.get(type) ?? null;

export const contentType = ({ type }: Pick<Chosen, 'type'>): string =>
  type === 'application/ld+json' ? type : `${type}; charset=utf-8`;
