/** The formats of linked data: how addresses end, media types, and what people call them. */

export interface LinkedFormat {
  /** Without the dot. */
  readonly suffix: string;
  /** The first is its own; by the others it is asked for, too. */
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

/** The header that tells of a thing's other formats. */
export const alternates = (address: string): string =>
  LINKED_FORMATS.map(({ suffix, types: [type] }) => `<${address}.${suffix}>; rel="alternate"; type="${type}"`).join(
    ', ',
  );
