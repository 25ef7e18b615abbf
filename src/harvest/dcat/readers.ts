/** Terms of a feed → values of records. A reader gets all values of a property, and gives undefined where it finds nothing. */
import { type Graph, isIri, isLiteral, type Term } from './graph.ts';

export interface Context {
  readonly graph: Graph;
  /** Languages, the best first. */
  readonly languages: readonly string[];
}

export type Reader = (values: readonly Term[], context: Context) => unknown;

const said = (values: readonly Term[]): Term[] => values.filter((term) => isLiteral(term) && term.value.trim() !== '');

/** The text in the best language; one without a language is as good as the site's own. */
export const text: Reader = (values, { languages }) => {
  const rank = ({ language = '' }: Term): number => {
    if (language === '') return 0.5;
    const at = languages.indexOf(language.toLowerCase().split('-')[0]!);
    return at === -1 ? languages.length : at;
  };
  return said(values).sort((a, b) => rank(a) - rank(b))[0]?.value;
};

/** Texts by language, where there are several languages. */
export const translations: Reader = (values) => {
  const tagged = said(values).filter(({ language }) => language);
  const map = Object.fromEntries(tagged.map(({ language, value }) => [language!.toLowerCase(), value]));
  return Object.keys(map).length > 1 ? map : undefined;
};

/** A web address. */
const addressOf = ({ value }: Term): string | undefined =>
  /^https?:\/\//i.test(value) && value.length <= 8_000 && URL.canParse(value) ? value : undefined;

export const address: Reader = (values) => values.map(addressOf).find(Boolean);

export const addresses: Reader = (values) => some(values.map(addressOf));

/** An e-mail address, with or without its scheme. */
export const mail: Reader = (values) =>
  values.map(({ value }) => value.trim().replace(/^mailto:/i, '')).find((value) => /^[^\s@]+@[^\s@]+$/.test(value));

/** An IRI as it stands. */
export const iri: Reader = (values) => values.find(isIri)?.value;
export const iris: Reader = (values) => some(values.filter(isIri).map(({ value }) => value));

/** What a thing is called, where it has a name here; else its IRI, or the text itself. */
export const label: Reader = (values, context) => {
  const [first] = values;
  if (!first) return undefined;
  if (isLiteral(first)) return text(values, context);
  const called = context.graph.values(first, 'skos:prefLabel', 'rdfs:label', 'dct:title', 'foaf:name', 'rdf:value');
  return text(called, context) ?? (isIri(first) ? first.value : undefined);
};

export const labels: Reader = (values, context) => some(values.map((value) => label([value], context)));

/** The IRI where there is one, else what it is called. */
export const named: Reader = (values, context) => iri(values, context) ?? label(values, context);

/** The last piece of an IRI of the lists that everybody uses (`…/file-type/CSV`), or the name. */
export const code: Reader = (values, context) => {
  const found = label(values, context);
  return typeof found === 'string' ? found.replace(/^https?:\/\/.*[/#]([^/#]+)$/, '$1') : undefined;
};

/** A media type, by its IRI at IANA or as text. It stands at the end: more than that is not looked through. */
export const mediaType: Reader = (values, context) => {
  const found = label(values, context);
  return typeof found === 'string' ? /([\w.+-]+\/[\w.+-]+)\/?$/.exec(found.slice(-300))?.[1] : undefined;
};

export const size: Reader = (values) => {
  const digits = values.map(({ value }) => /^(\d{1,15})(?:\.0*)?$/.exec(value.trim())?.[1]).find(Boolean);
  return digits === undefined ? undefined : Number(digits);
};

/** A field of the thing that a property leads to. */
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
