/** Formats of linked data: URL suffixes, media types, and display names. */

export interface LinkedFormat {
  /** Without the dot. */
  readonly suffix: string;
  /** The first is the canonical one; the others also select the format. */
  readonly types: readonly [string, ...string[]];
  readonly title: string;
}

export const LINKED_FORMATS = [
  { suffix: 'rdf', types: ['application/rdf+xml', 'application/xml', 'text/xml'], title: 'RDF/XML' },
  { suffix: 'ttl', types: ['text/turtle', 'application/x-turtle'], title: 'Turtle' },
  { suffix: 'jsonld', types: ['application/ld+json', 'application/json'], title: 'JSON-LD' },
  { suffix: 'n3', types: ['text/n3', 'text/rdf+n3'], title: 'N3' },
  { suffix: 'nt', types: ['application/n-triples'], title: 'N-Triples' },
] as const satisfies readonly LinkedFormat[];

export type LinkedSuffix = (typeof LINKED_FORMATS)[number]['suffix'];

/** Link header with the other formats of an object. */
export const alternates = (address: string): string =>
  LINKED_FORMATS.map(({ suffix, types: [type] }) => `<${address}.${suffix}>; rel="alternate"; type="${type}"`).join(
    ', ',
  );
