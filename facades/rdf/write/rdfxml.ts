/**
 * Writes RDF/XML: one element per node, named by its first type, and nodes with a single reference nested. Cannot write predicates whose
 * IRI does not end in an XML name: the format cannot express them.
 */
import { NAMESPACES } from '../../../src/kernel/namespaces.ts';
import { escaped } from '../../shared/xml.ts';
import { type Node, type Term, TYPE, XSD_STRING } from '../terms.ts';
import { type Described, type Walk, walk } from './tree.ts';
import { Shortener, type Writer } from './writer.ts';

const START = 'A-Za-z_\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u02ff\\u0370-\\u037d\\u037f-\\u1fff\\u3001-\\ud7ff';
/** The longest suffix of an IRI that can be the local part of an XML name. */
const LOCAL = new RegExp(`[${START}][${START}0-9.\\-\\u00b7\\u0300-\\u036f\\u203f\\u2040]*$`);
const WHOLE_LOCAL = new RegExp(`^${LOCAL.source}`);

/** Whether RDF/XML can express it as a predicate. */
export const isXmlName = (iri: string): boolean => splitAt(iri) > 0;

function splitAt(iri: string): number {
  const at = LOCAL.exec(iri)?.index ?? 0;
  const usual = Math.max(iri.lastIndexOf('#'), iri.lastIndexOf('/')) + 1;
  return at <= usual && WHOLE_LOCAL.test(iri.slice(usual)) ? usual : at;
}

const about = (node: Node, isNamed: boolean): string =>
  node.termType === 'NamedNode'
    ? ` rdf:about="${escaped(node.value)}"`
    : isNamed
      ? ` rdf:nodeID="${escaped(node.value)}"`
      : '';

function kindOf({ language, datatype }: Extract<Term, { termType: 'Literal' }>): string {
  if (language) return ` xml:lang="${escaped(language)}"`;
  return datatype.value === XSD_STRING ? '' : ` rdf:datatype="${escaped(datatype.value)}"`;
}

export function rdfXml(): Writer {
  const shortener = new Shortener(WHOLE_LOCAL);
  shortener.short(TYPE.value);

  /** Name of an element, and a namespace declaration when no known prefix fits. Null when the IRI cannot be a name. */
  function element(iri: string): { name: string; declared: string } | null {
    const short = shortener.short(iri);
    if (short !== null) return { name: short, declared: '' };
    const at = splitAt(iri);
    return at > 0 ? { name: `ns:${iri.slice(at)}`, declared: ` xmlns:ns="${escaped(iri.slice(0, at))}"` } : null;
  }

  function nodeText({ node, properties }: Described, tree: Walk, depth: number, isNamed: boolean): string {
    const margin = '  '.repeat(depth);
    const type = properties.get(TYPE.value)?.objects[0];
    const named = type?.termType === 'NamedNode' ? element(type.value) : null;
    const { name, declared } = named ?? { name: 'rdf:Description', declared: '' };
    let inner = '';
    for (const { predicate, objects } of properties.values())
      for (const object of objects)
        if (!named || predicate.value !== TYPE.value || object !== type)
          inner += propertyText(predicate.value, object, tree, depth + 1);
    const start = `${margin}<${name}${declared}${about(node, isNamed)}`;
    return inner === '' ? `${start}/>\n` : `${start}>\n${inner}${margin}</${name}>\n`;
  }

  function propertyText(predicate: string, object: Term, tree: Walk, depth: number): string {
    const element_ = element(predicate);
    if (!element_) throw new Error(`RDF/XML has no name for the predicate ${predicate}`);
    const { name, declared } = element_;
    const margin = '  '.repeat(depth);
    const start = `${margin}<${name}${declared}`;
    if (object.termType === 'Literal') {
      return `${start}${kindOf(object)}>${escaped(object.value)}</${name}>\n`;
    }
    const inside = tree.inside(object, depth);
    if (inside) return `${start}>\n${nodeText(inside, tree, depth + 1, false)}${margin}</${name}>\n`;
    const reference = object.termType === 'NamedNode' ? 'resource' : 'nodeID';
    return `${start} rdf:${reference}="${escaped(object.value)}"/>\n`;
  }

  return {
    used: shortener.used,
    head(prefixes) {
      const declarations = [...prefixes].map((prefix) => `\n  xmlns:${prefix}="${NAMESPACES[prefix]}"`);
      return `<?xml version="1.0" encoding="utf-8"?>\n<rdf:RDF${declarations.join('')}>\n`;
    },
    body(quads) {
      let text = '';
      walk(quads, (described, tree) => {
        text += nodeText(described, tree, 1, true);
      });
      return text;
    },
    tail: () => '</rdf:RDF>\n',
  };
}
