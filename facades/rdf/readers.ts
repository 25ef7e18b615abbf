/** Readers that convert field values to terms. Lists may be JSON text, as in extras. Invalid values produce no terms. */
import { fileTypeOf, mediaTypeIri } from '../../src/infra/files/types.ts';
import { isObject } from '../../src/kernel/json.ts';
import { mailIri, safeIri } from './iri.ts';
import { describe, type Mapping, type Reader, Source, type Table } from './mapping.ts';
import { iri, literal, name, type Term, TYPE } from './terms.ts';

/** Parsed JSON of text that starts like a list or an object; otherwise the value. */
export function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** Non-empty items of a list; a single value counts as a list of one. */
export function items(value: unknown): unknown[] {
  const list = parsed(value);
  return (Array.isArray(list) ? list : [value]).filter((item) => item != null && item !== '');
}

export const asText = (value: unknown): string | null =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;

/** Applies a reader to each item of a list. */
export const each =
  (reader: Reader): Reader =>
  (value, mapping) =>
    items(value).flatMap((item) => reader(item, mapping));

/** Result of the first reader that produces terms. */
export const either =
  (...readers: Reader[]): Reader =>
  (value, mapping) => {
    for (const reader of readers) {
      const terms = reader(value, mapping);
      if (terms.length > 0) return terms;
    }
    return [];
  };

const LANGUAGE = /^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8})*$/;

/** Texts by language (`{"en": "Rivers", "de": ["Flüsse", "Ströme"]}`) as language-tagged literals. */
export const translations: Reader = (value) => {
  const map = parsed(value);
  if (!isObject(map)) return [];
  return Object.entries(map).flatMap(([language, texts]) =>
    LANGUAGE.test(language)
      ? items(texts).flatMap((text) => {
          const said = asText(text);
          return said === null || said.trim() === ''
            ? []
            : [literal(said, language.replaceAll('_', '-').toLowerCase())];
        })
      : [],
  );
};

/** Plain text, or texts by language. */
export const text: Reader = (value, mapping) => {
  const tagged = isLanguageMap(value) ? translations(value, mapping) : [];
  if (tagged.length > 0) return tagged;
  const said = asText(value);
  return said === null || said.trim() === '' ? [] : [literal(said)];
};

function isLanguageMap(value: unknown): boolean {
  const map = parsed(value);
  return isObject(map) && Object.keys(map).length > 0 && Object.keys(map).every((key) => LANGUAGE.test(key));
}

export const texts = each(text);

/** A URL; nothing for other text. */
export const address: Reader = (value) => {
  const safe = safeIri(value);
  return safe === null ? [] : [iri(safe)];
};

export const addresses = each(address);

export const mail: Reader = (value) => {
  const safe = mailIri(value);
  return safe === null ? [] : [iri(safe)];
};

const DATES: readonly (readonly [RegExp, string])[] = [
  [/^-?\d{4}$/, 'xsd:gYear'],
  [/^-?\d{4}-(?:0[1-9]|1[0-2])$/, 'xsd:gYearMonth'],
  [/^-?\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/, 'xsd:date'],
];
const INSTANT = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/i;

/** A year, month, day or instant, with its datatype. Instants without a time zone are UTC, as in the whole catalog. */
export const date: Reader = (value) => {
  const said = asText(value)?.trim() ?? '';
  const [, type] = DATES.find(([form]) => form.test(said)) ?? [];
  if (type !== undefined) return type === 'xsd:date' && !isDay(said) ? [] : [literal(said, name(type))];
  const [, day = '', minutes, seconds = ':00', zone = 'Z'] = INSTANT.exec(said) ?? [];
  const instant = `${day}T${minutes}${seconds}${zone.toUpperCase().replace(/^([+-]\d{2})(\d{2})$/, '$1:$2')}`;
  return isDay(day) && !Number.isNaN(Date.parse(instant)) ? [literal(instant, name('xsd:dateTime'))] : [];
};

/** Whether the date exists in the calendar. */
const isDay = (day: string): boolean =>
  /^\d{4}-(?:0[1-9]|1[0-2])-/.test(day) && new Date(day).getUTCDate() === Number(day.slice(-2));

/** Text in a given form, with a datatype. */
const typed =
  (form: RegExp, type: string): Reader =>
  (value) => {
    const said = asText(value)?.trim() ?? '';
    return form.test(said) ? [literal(said, name(type))] : [];
  };

export const byteCount = typed(/^\d{1,18}$/, 'xsd:nonNegativeInteger');
export const decimal = typed(/^-?\d{1,18}(?:\.\d{1,18})?$/, 'xsd:decimal');
export const duration = typed(
  /^-?P(?=.)(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=.)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?$/,
  'xsd:duration',
);

/** A node of a class, identified by URL, or labelled when there is none. */
export const thing =
  (type: string, label = 'rdfs:label'): Reader =>
  (value, mapping) => {
    const [found] = address(value, mapping);
    const said = asText(value);
    if (!found && (said === null || said.trim() === '')) return [];
    const node = found && found.termType === 'NamedNode' ? found : mapping.graph.blank();
    mapping.graph.add(node, TYPE, name(type));
    if (!found) mapping.graph.add(node, name(label), literal(said as string));
    return [node];
  };

/** The same, but only with a URL. */
export const linked =
  (type: string): Reader =>
  (value, mapping) =>
    safeIri(value) === null ? [] : thing(type)(value, mapping);

/** The node a table describes from an object. */
export const node =
  (table: Table): Reader =>
  (value, mapping) =>
    described(table, value instanceof Source ? value : isObject(value) ? new Source(value) : null, mapping);

function described(table: Table, source: Source | null, mapping: Mapping): Term[] {
  const made = source && describe(table, source, mapping);
  return made ? [made] : [];
}

/** A file format for old and new readers: the IRI of the authority table when there is one, and its name. */
export const format: Reader = (value, mapping) => {
  const said = asText(value);
  if (said === null || said.trim() === '') return [];
  return [
    kind(fileTypeOf(said) ?? mediaTypeIri(said) ?? safeIri(said), said, ['dct:IMT', 'dct:MediaTypeOrExtent'], mapping),
  ];
};

/** A media type by its IANA IRI; an unregistered one by name. */
export const mediaType: Reader = (value, mapping) => {
  const said = asText(value);
  if (said === null || said.trim() === '') return [];
  return [kind(mediaTypeIri(said) ?? safeIri(said), said, ['dct:MediaType'], mapping)];
};

function kind(known: string | null, said: string, types: readonly string[], { graph }: Mapping): Term {
  const made = known === null ? graph.blank() : iri(known);
  for (const type of types) graph.add(made, TYPE, name(type));
  if (known !== null && types.length === 1) return made;
  graph.add(made, name('rdf:value'), literal(said));
  graph.add(made, name('rdfs:label'), literal(said));
  return made;
}

/** A language by its IRI, or from its two-letter code by DCAT's rule. */
export const language: Reader = (value, mapping) => {
  const code = asText(value)?.trim() ?? '';
  const known = isLanguage(code) ? `http://id.loc.gov/vocabulary/iso639-1/${code.slice(0, 2).toLowerCase()}` : value;
  return thing('dct:LinguisticSystem')(known, mapping);
};

const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

const isLanguage = (code: string): boolean =>
  /^[A-Za-z]{2}(?:[-_][A-Za-z]{2})?$/.test(code) && names.of(code.slice(0, 2).toLowerCase()) !== undefined;

/** The license of the dataset. */
export const ownLicense: Reader = (_value, mapping) => {
  const license = mapping.license();
  return license ? [license] : [];
};

/** An id of the catalog as an IRI. */
export const urn: Reader = (id) => [iri(`urn:uuid:${encodeURIComponent(id)}`)];

/** Extras without a property of their own, as label and value. Must be in the last row. */
export const others: Reader = (source: Source, { graph }) =>
  [...source.unused()].map(([key, value]) => {
    const made = graph.blank();
    graph.add(made, name('rdfs:label'), literal(key));
    graph.add(made, name('rdf:value'), literal(typeof value === 'string' ? value : JSON.stringify(value)));
    return made;
  });
