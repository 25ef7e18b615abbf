/** RDF terms, created by rdf-ext's data factory. Vocabulary names are created once. */
import type { BlankNode, Literal, NamedNode } from '@rdfjs/types';
import DataFactory from 'rdf-ext/DataFactory.js';
import { iriOf } from '../../src/kernel/namespaces.ts';
import { writable } from '../shared/xml.ts';

/** Types of terms used as subject or object. */
export type Term = NamedNode | BlankNode | Literal;
export type Node = NamedNode | BlankNode;
export type { BlankNode, NamedNode };

/** Built from single parts, because the package's default environment loads the parsers of all formats. */
export const factory = new DataFactory();
factory.init();

export const iri = (value: string): NamedNode => factory.namedNode(value) as NamedNode;

const made = new Map<string, NamedNode>();

/** The IRI of a prefixed name such as `dct:title`; a full IRI (`http://…`) stays unchanged. @throws Error for an unknown prefix */
export function name(short: string): NamedNode {
  let node = made.get(short);
  if (!node) made.set(short, (node = iri(short.includes('://') ? short : iriOf(short))));
  return node;
}

export const TYPE = name('rdf:type');
export const XSD_STRING = name('xsd:string').value;

/** A literal with a language or a datatype. Its text can be written in XML, so that all formats contain the same text. */
export const literal = (text: string, languageOrType?: string | NamedNode): Literal =>
  factory.literal(writable(text), languageOrType) as Literal;

/** Characters invalid in an IRI between angle brackets. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are the characters to find
const UNSAFE = /[\x00-\x20<>"{}|^`\\]/g;

/** An IRI in N-Triples and Turtle. Escapes invalid characters, which mapping modules may produce. */
export const iriText = (iri: string): string =>
  `<${iri.replace(UNSAFE, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`)}>`;

/** A literal in N-Triples and Turtle, as rdf-ext writes it. */
export const quoted = (text: string): string => factory.literal(text).toCanonical();

/** A term in N-Triples. */
export function termText(term: Term): string {
  if (term.termType === 'NamedNode') return iriText(term.value);
  if (term.termType === 'BlankNode') return `_:${term.value}`;
  if (term.language) return `${quoted(term.value)}@${term.language}`;
  return quoted(term.value) + (term.datatype.value === XSD_STRING ? '' : `^^${iriText(term.datatype.value)}`);
}
