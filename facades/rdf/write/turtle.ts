/** Writes Turtle, which is also valid N3: prefixes, one block per node, and nodes with a single reference nested. */
import { NAMESPACES } from '../../../src/kernel/namespaces.ts';
import { iriText, type NamedNode, quoted, type Term, TYPE, termText, XSD_STRING } from '../terms.ts';
import { type Described, type Walk, walk } from './tree.ts';
import { Shortener, type Writer } from './writer.ts';

/** Names without escapes in Turtle. */
const LOCAL = /^[A-Za-z_][\w-]*$/;

export function turtle(): Writer {
  const shortener = new Shortener(LOCAL);
  const name = (iri: string): string => shortener.short(iri) ?? iriText(iri);
  const verb = (predicate: NamedNode): string => (predicate.value === TYPE.value ? 'a' : name(predicate.value));

  function term(term: Term): string {
    if (term.termType === 'NamedNode') return name(term.value);
    if (term.termType === 'BlankNode' || term.language || term.datatype.value === XSD_STRING) return termText(term);
    return `${quoted(term.value)}^^${name(term.datatype.value)}`;
  }

  /** A blank node in brackets, or an IRI by name; its statements are a separate block. */
  function object(one: Term, tree: Walk, depth: number): string {
    const inside = one.termType === 'BlankNode' ? tree.inside(one, depth) : undefined;
    if (!inside) return term(one);
    const margin = '  '.repeat(depth);
    return `[\n${properties(inside, tree, depth + 1)}\n${margin}]`;
  }

  function properties({ properties }: Described, tree: Walk, depth: number): string {
    const margin = '  '.repeat(depth);
    return [...properties.values()]
      .map(({ predicate, objects }) => {
        const texts = objects.map((one) => object(one, tree, depth));
        return `${margin}${verb(predicate)} ${texts.join(', ')}`;
      })
      .join(' ;\n');
  }

  return {
    used: shortener.used,
    head: (prefixes) => [...prefixes].map((prefix) => `@prefix ${prefix}: <${NAMESPACES[prefix]}> .\n`).join(''),
    body(quads) {
      let text = '';
      walk(quads, (described, tree) => {
        text += `\n${term(described.node)}\n${properties(described, tree, 1)} .\n`;
      });
      return text;
    },
    tail: () => '',
  };
}
