/** Terms of RDF, made by rdf-ext's data factory. Names of vocabularies are made once. */
import type { Term as AnyTerm, BlankNode, Literal, NamedNode } from '@rdfjs/types';
import DataFactory from 'rdf-ext/DataFactory.js';
import { iriOf } from '../../src/kernel/namespaces.ts';

/** What stands in a subject or an object here. */
export type Term = NamedNode | BlankNode | Literal;
export type Node = NamedNode | BlankNode;
export type { AnyTerm, BlankNode, Literal, NamedNode };

/** Made by hand: the package's own environment loads parsers of every format with it. */
export const factory = new DataFactory();
factory.init();

export const iri = (value: string): NamedNode => factory.namedNode(value) as NamedNode;

const made = new Map<string, NamedNode>();

/** The IRI that a short name such as `dct:title` stands for; a whole IRI (`http://…`) for itself. @throws Error for an unknown prefix */
export function name(short: string): NamedNode {
  let node = made.get(short);
  if (!node) made.set(short, (node = iri(short.includes('://') ? short : iriOf(short))));
  return node;
}

export const TYPE = name('rdf:type');
export const XSD_STRING = name('xsd:string').value;

/** Characters that XML cannot hold, and halves of characters: replaced wherever a text becomes a literal, so that it is the same in every format. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

export const writable = (text: string): string => text.toWellFormed().replace(UNWRITABLE, '\ufffd');

/** A text, in a language or of a datatype. */
export const literal = (text: string, languageOrType?: string | NamedNode): Literal =>
  factory.literal(writable(text), languageOrType) as Literal;

/** Characters that an IRI between angle brackets cannot hold. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are the characters to find
const UNSAFE = /[\x00-\x20<>"{}|^`\\]/g;

/** An IRI in N-Triples and Turtle. Terms of mapping modules can hold any character. */
export const iriText = (iri: string): string =>
  `<${iri.replace(UNSAFE, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`)}>`;

/** A text in N-Triples and Turtle, as rdf-ext writes it. */
export const quoted = (text: string): string => factory.literal(text).toCanonical();

/** A term in N-Triples. */
export function termText(term: Term): string {
  if (term.termType === 'NamedNode') return iriText(term.value);
  if (term.termType === 'BlankNode') return `_:${term.value}`;
  if (term.language) return `${quoted(term.value)}@${term.language}`;
  return quoted(term.value) + (term.datatype.value === XSD_STRING ? '' : `^^${iriText(term.datatype.value)}`);
}
