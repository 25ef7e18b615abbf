/** RDF vocabularies that the catalog writes and reads, by their usual prefixes. */
export const NAMESPACES = {
  adms: 'http://www.w3.org/ns/adms#',
  dcat: 'http://www.w3.org/ns/dcat#',
  dcatap: 'http://data.europa.eu/r5r/',
  dct: 'http://purl.org/dc/terms/',
  dqv: 'http://www.w3.org/ns/dqv#',
  eli: 'http://data.europa.eu/eli/ontology#',
  foaf: 'http://xmlns.com/foaf/0.1/',
  gsp: 'http://www.opengis.net/ont/geosparql#',
  hydra: 'http://www.w3.org/ns/hydra/core#',
  locn: 'http://www.w3.org/ns/locn#',
  org: 'http://www.w3.org/ns/org#',
  owl: 'http://www.w3.org/2002/07/owl#',
  prov: 'http://www.w3.org/ns/prov#',
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  skos: 'http://www.w3.org/2004/02/skos/core#',
  spdx: 'http://spdx.org/rdf/terms#',
  vcard: 'http://www.w3.org/2006/vcard/ns#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
} as const satisfies Record<string, string>;

export type Prefix = keyof typeof NAMESPACES;
export type PrefixedName = `${Prefix}:${string}`;

/** `dct:title` → its whole IRI. @throws Error for an unknown prefix */
export function iriOf(name: string): string {
  const at = name.indexOf(':');
  const prefix = name.slice(0, at);
  if (!Object.hasOwn(NAMESPACES, prefix))
    throw new Error(`${name}: the prefix must be one of ${Object.keys(NAMESPACES).join(', ')}`);
  return NAMESPACES[prefix as Prefix] + name.slice(at + 1);
}
