/**
 * Constraints of DCAT-AP 3.0.1 on the classes that datasets are described with: the core shapes that the EU publishes as SHACL
 * (dcat-ap-3.0.1_shapes.ttl). test/compat/quality.test.ts compares the result with a SHACL validator. Pure.
 */
import { iriOf } from '../kernel/namespaces.ts';
import { type Description, type Term, valuesOf } from './graph.ts';

const DATES = ['xsd:date', 'xsd:dateTime', 'xsd:gYear', 'xsd:gYearMonth'].map(iriOf);

/**
 * Properties of a class and their constraints. `1+`: at least one value, `?`: at most one, `1`: exactly one. `literal`, `node` (an IRI or a
 * blank node), `iri`, `date` or a datatype: kind of the values.
 */
const SHAPES: Readonly<Record<string, string>> = {
  'foaf:Agent': 'foaf:name 1+ literal, dct:type ?',
  'skos:Concept': 'skos:prefLabel 1+ literal',
  'spdx:Checksum': 'spdx:algorithm 1, spdx:checksumValue 1 xsd:hexBinary',
  'dcat:DataService': `dct:accessRights ? node, dcatap:applicableLegislation * iri, dct:conformsTo * node, dcat:contactPoint * node,
    dct:description * literal, dcat:endpointURL 1+ node, dcat:endpointDescription * node, dct:format * node, dcat:keyword * literal,
    dcat:landingPage * node, dct:license ? node, dct:publisher ? node, dcat:servesDataset * node, dcat:theme * iri,
    dct:title 1+ literal`,
  'dcat:Dataset': `dct:accessRights ? node, dcatap:applicableLegislation * iri, dct:conformsTo * node, dcat:contactPoint * node,
    dct:creator * node, dcat:distribution * node, dct:description 1+ literal, foaf:page * node, dct:accrualPeriodicity ? node,
    dct:spatial * node, dct:hasVersion * node, dct:identifier * literal, dcat:inSeries * node, dct:isReferencedBy * node,
    dcat:keyword * literal, dcat:landingPage * node, dct:language * node, dct:modified ?, adms:identifier * node, dct:provenance * node,
    dct:publisher ? node, prov:qualifiedAttribution * node, dcat:qualifiedRelation * node, dct:relation * node, dct:issued ?,
    adms:sample * node, dct:source * node, dcat:spatialResolutionInMeters ? xsd:decimal, dct:temporal * node,
    dcat:temporalResolution ? xsd:duration, dcat:theme * iri, dct:title 1+ literal, dct:type * node, dcat:version ? literal,
    adms:versionNotes * literal, prov:wasGeneratedBy * node`,
  'dcat:Distribution': `dcat:accessService * node, dcat:accessURL 1+ node, dcatap:applicableLegislation * iri, dcatap:availability ? node,
    dcat:byteSize ? xsd:nonNegativeInteger, spdx:checksum ? node, dcat:compressFormat ? node, dct:description * literal, foaf:page * node,
    dcat:downloadURL * node, dct:format ? node, odrl:hasPolicy ? node, dct:language * node, dct:license ? node, dct:conformsTo * node,
    dcat:mediaType ? node, dct:modified ? date, dcat:packageFormat ? node, dct:issued ? date, dct:rights ? node,
    dcat:spatialResolutionInMeters ? xsd:decimal, adms:status ? node, dcat:temporalResolution ? xsd:duration, dct:title * literal`,
  'adms:Identifier': 'skos:notation ?',
  'dct:Location': 'dcat:bbox ? literal, dcat:centroid ? literal, locn:geometry ? literal',
  'dct:PeriodOfTime': 'dcat:endDate ?, time:hasBeginning ?, time:hasEnd ?, dcat:startDate ?',
  'dcat:Relationship': 'dct:relation 1+, dcat:hadRole 1+',
  'dcat:DatasetSeries': `dcatap:applicableLegislation * iri, dcat:contactPoint * node, dct:description 1+ literal,
    dct:accrualPeriodicity ? node, dct:spatial * node, dct:modified ? date, dct:publisher ? node, dct:issued ? date,
    dct:temporal * node, dct:title 1+ literal`,
};

/** Namespaces that the mapping of datasets does not use. */
const OTHER: Readonly<Record<string, string>> = {
  odrl: 'http://www.w3.org/ns/odrl/2/',
  time: 'http://www.w3.org/2006/time#',
};

interface Constraint {
  readonly property: string;
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly kind: string;
  readonly fits: (value: Term) => boolean;
}

const KINDS: Readonly<Record<string, (value: Term) => boolean>> = {
  any: () => true,
  literal: ({ termType }) => termType === 'Literal',
  node: ({ termType }) => termType !== 'Literal',
  iri: ({ termType }) => termType === 'NamedNode',
  date: ({ datatype }) => datatype !== undefined && DATES.includes(datatype.value),
};

const COUNTS: Readonly<Record<string, readonly [number, number]>> = {
  '*': [0, Number.POSITIVE_INFINITY],
  '?': [0, 1],
  '1': [1, 1],
  '1+': [1, Number.POSITIVE_INFINITY],
};

const wholeIri = (name: string): string => {
  const [prefix = '', local = ''] = name.split(':');
  return prefix in OTHER ? OTHER[prefix] + local : iriOf(name);
};

const constraintOf = (text: string): Constraint => {
  const [name = '', count = '*', kind = 'any'] = text.trim().split(/\s+/);
  const [min, max] = COUNTS[count]!;
  const datatype = kind.startsWith('xsd:') ? wholeIri(kind) : null;
  return {
    property: wholeIri(name),
    name,
    min,
    max,
    kind,
    fits: datatype === null ? KINDS[kind]! : (value) => value.datatype?.value === datatype,
  };
};

const CLASSES = Object.entries(SHAPES).map(([name, text]) => ({
  iri: wholeIri(name),
  name,
  constraints: text.split(',').map(constraintOf),
}));

/** Violated constraints, each once, as `dcat:Dataset dct:description missing`. Empty: the description complies. */
export function faultsOf(description: Description): string[] {
  const faults = new Set<string>();
  for (const { iri, name, constraints } of CLASSES)
    for (const node of description.byClass.get(iri) ?? [])
      for (const constraint of constraints) {
        const values = valuesOf(description, node, constraint.property);
        const { min, max, kind, fits } = constraint;
        if (values.length < min) faults.add(`${name} ${constraint.name} missing`);
        if (values.length > max) faults.add(`${name} ${constraint.name} repeated`);
        if (!values.every(fits)) faults.add(`${name} ${constraint.name} not ${kind}`);
      }
  return [...faults];
}
