/** Converts RDF terms into record values. A reader receives all values of a property, and returns undefined when none fits. */
import { type Graph, isIri, isLiteral, type Term } from './graph.ts';

export interface Context {
  readonly graph: Graph;
  /** Preferred languages, best first. */
  readonly languages: readonly string[];
}

export type Reader = (values: readonly Term[], context: Context) => unknown;

const said = (values: readonly Term[]): Term[] => values.filter((term) => isLiteral(term) && term.value.trim() !== '');

/** The text in the preferred language. One without a language tag counts as the site's language. */
export const text: Reader = (values, { languages }) => {
  const rank = ({ language = '' }: Term): number => {
    if (language === '') return 0.5;
    const at = languages.indexOf(language.toLowerCase().split('-')[0]!);
    return at === -1 ? languages.length : at;
  };
  return said(values).sort((a, b) => rank(a) - rank(b))[0]?.value;
};

/** Texts by language, when there are several languages. */
export const translations: Reader = (values) => {
  const tagged = said(values).filter(({ language }) => language);
  const map = Object.fromEntries(tagged.map(({ language, value }) => [language!.toLowerCase(), value]));
  return Object.keys(map).length > 1 ? map : undefined;
};

/** A web URL. */
const addressOf = ({ value }: Term): string | undefined =>
  /^https?:\/\//i.test(value) && value.length <= 8_000 && URL.canParse(value) ? value : undefined;

export const address: Reader = (values) => values.map(addressOf).find(Boolean);

export const addresses: Reader = (values) => some(values.map(addressOf));

/** An e-mail address, with or without `mailto:`. */
export const mail: Reader = (values) =>
  values.map(({ value }) => value.trim().replace(/^mailto:/i, '')).find((value) => /^[^\s@]+@[^\s@]+$/.test(value));

/** An IRI, unchanged. */
export const iri: Reader = (values) => values.find(isIri)?.value;
export const iris: Reader = (values) => some(values.filter(isIri).map(({ value }) => value));

/** The label of a resource in this graph, otherwise its IRI or the literal. */
export const label: Reader = (values, context) => {
  const [first] = values;
  if (!first) return undefined;
  if (isLiteral(first)) return text(values, context);
  const called = context.graph.values(first, 'skos:prefLabel', 'rdfs:label', 'dct:title', 'foaf:name', 'rdf:value');
  return text(called, context) ?? (isIri(first) ? first.value : undefined);
};

export const labels: Reader = (values, context) => some(values.map((value) => label([value], context)));

/** The IRI, otherwise the label. */
export const named: Reader = (values, context) => iri(values, context) ?? label(values, context);

/** The last segment of an IRI from a public code list (`…/file-type/CSV`), or the label. */
export const code: Reader = (values, context) => {
  const found = label(values, context);
  return typeof found === 'string' ? found.replace(/^https?:\/\/.*[/#]([^/#]+)$/, '$1') : undefined;
};

/** A media type, from its IANA IRI or as text. Checks only the end of the value, which bounds the matching time. */
export const mediaType: Reader = (values, context) => {
  const found = label(values, context);
  return typeof found === 'string' ? /([\w.+-]+\/[\w.+-]+)\/?$/.exec(found.slice(-300))?.[1] : undefined;
};

export const size: Reader = (values) => {
  const digits = values.map(({ value }) => /^(\d{1,15})(?:\.0*)?$/.exec(value.trim())?.[1]).find(Boolean);
  return digits === undefined ? undefined : Number(digits);
};

/** A field of the linked resource. */
export const of =
  (properties: readonly string[], reader: Reader): Reader =>
  (values, context) => {
    for (const value of values) {
      const found = reader(context.graph.values(value, ...properties), context);
      if (found !== undefined) return found;
    }
    return undefined;
  };

const some = (found: readonly unknown[]): unknown[] | undefined => {
  const list = [...new Set(found.filter((item) => item !== undefined))];
  return list.length > 0 ? list : undefined;
};
