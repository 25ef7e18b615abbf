/** Writes compact JSON-LD: prefixes as context, all nodes in `@graph`, and nodes with a single reference nested. */
import { NAMESPACES } from '../../../src/kernel/namespaces.ts';
import { type Term, TYPE, XSD_STRING } from '../terms.ts';
import { type Described, type Walk, walk } from './tree.ts';
import { Shortener, type Writer } from './writer.ts';

type Json = string | { [key: string]: Json | Json[] };

export function jsonLd(): Writer {
  const shortener = new Shortener(/^[^:]*$/);
  const name = (iri: string): string => shortener.short(iri) ?? iri;
  let isFirst = true;

  function value(term: Term, tree: Walk, depth: number): Json {
    if (term.termType === 'Literal') {
      if (term.language) return { '@language': term.language, '@value': term.value };
      return term.datatype.value === XSD_STRING
        ? term.value
        : { '@type': name(term.datatype.value), '@value': term.value };
    }
    const inside = tree.inside(term, depth);
    return inside ? node(inside, tree, depth + 1, term.termType === 'NamedNode') : { '@id': idOf(term) };
  }

  const idOf = (term: Term): string => (term.termType === 'BlankNode' ? `_:${term.value}` : term.value);

  function node(
    { node, properties }: Described,
    tree: Walk,
    depth: number,
    isNamed: boolean,
  ): { [key: string]: Json | Json[] } {
    const json: { [key: string]: Json | Json[] } = isNamed ? { '@id': idOf(node) } : {};
    for (const { predicate, objects } of properties.values()) {
      const areTypes = predicate.value === TYPE.value && objects.every((one) => one.termType === 'NamedNode');
      const values = objects.map((one) => (areTypes ? name(one.value) : value(one, tree, depth)));
      json[areTypes ? '@type' : name(predicate.value)] = values.length === 1 ? values[0]! : values;
    }
    return json;
  }

  return {
    used: shortener.used,
    head(prefixes) {
      const context = Object.fromEntries([...prefixes].map((prefix) => [prefix, NAMESPACES[prefix]]));
      return `{"@context":${JSON.stringify(context)},"@graph":[`;
    },
    body(quads) {
      let text = '';
      walk(quads, (described, tree) => {
        text += `${isFirst ? '\n' : ',\n'}${JSON.stringify(node(described, tree, 0, true))}`;
        isFirst = false;
      });
      return text;
    },
    tail: () => '\n]}\n',
  };
}
