/** N-Triples: a line per quad. */
import type { Graph } from '../graph.ts';
import { type Term, XSD_STRING } from '../terms.ts';
import type { Writer } from './writer.ts';

export function nTriples(): Writer {
  return {
    used: new Set(),
    head: () => '',
    body(graph: Graph) {
      let text = '';
      for (const { node, properties } of graph.nodes.values()) {
        const subject = termText(node);
        for (const { predicate, objects } of properties.values())
          for (const object of objects.values()) text += `${subject} <${predicate.value}> ${termText(object)} .\n`;
      }
      return text;
    },
    tail: () => '',
  };
}

/** A term as N-Triples and Turtle have it. */
export function termText(term: Term): string {
  if (term.termType === 'NamedNode') return iriText(term.value);
  if (term.termType === 'BlankNode') return `_:${term.value}`;
  const text = `"${quoted(term.value)}"`;
  if (term.language) return `${text}@${term.language}`;
  return term.datatype.value === XSD_STRING ? text : `${text}^^${iriText(term.datatype.value)}`;
}

/** What may not stand between the angle brackets. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
const UNSAFE = /[\x00-\x20<>"{}|^`\\]/g;

export const iriText = (iri: string): string =>
  `<${iri.replace(UNSAFE, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`)}>`;

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '"': '\\"',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\b': '\\b',
  '\f': '\\f',
};

export const quoted = (text: string): string => text.replace(/[\\"\n\r\t\b\f]/g, (sign) => ESCAPES[sign]!);
