/** Statements as a tree: grouped by node, in the order of the statements, with nodes nested in the node that names them. */
import type { Quad } from '@rdfjs/types';
import { Graph } from '../graph.ts';
import type { NamedNode, Node, Term } from '../terms.ts';

/** Levels of nodes inside nodes; deeper nodes stand alone. */
const MAX_DEPTH = 16;

/** The statements about one node. */
export interface Described {
  readonly node: Node;
  /** By the IRI of the predicate. */
  readonly properties: Map<string, Property>;
}

export interface Property {
  readonly predicate: NamedNode;
  /** Each once, by its key. */
  readonly objects: Map<string, Term>;
}

/** Identifies a term. */
function keyOf(term: Term): string {
  if (term.termType === 'NamedNode') return term.value;
  if (term.termType === 'BlankNode') return `_:${term.value}`;
  return `"${term.value}"@${term.language}^${term.datatype.value}`;
}

export class Tree {
  /** By their keys, in order. */
  readonly nodes = new Map<string, Described>();
  readonly #references = new Map<string, number>();

  constructor(quads: Iterable<Quad>) {
    for (const { subject, predicate, object } of quads instanceof Graph ? quads.statements : quads)
      this.#add(subject as Node, predicate as NamedNode, object as Term);
  }

  #add(subject: Node, predicate: NamedNode, object: Term): void {
    const key = keyOf(subject);
    let described = this.nodes.get(key);
    if (!described) this.nodes.set(key, (described = { node: subject, properties: new Map() }));
    let property = described.properties.get(predicate.value);
    if (!property) described.properties.set(predicate.value, (property = { predicate, objects: new Map() }));
    const objectKey = keyOf(object);
    if (property.objects.has(objectKey)) return;
    property.objects.set(objectKey, object);
    if (object.termType !== 'Literal') this.#references.set(objectKey, (this.#references.get(objectKey) ?? 0) + 1);
  }

  isNamedOnce({ node }: Described): boolean {
    return this.#references.get(keyOf(node)) === 1;
  }

  describedBy(node: Term): Described | undefined {
    return node.termType === 'Literal' ? undefined : this.nodes.get(keyOf(node));
  }
}

export interface Walk {
  /** The statements about an object, for a writer to nest here; undefined if they stand elsewhere. */
  inside(object: Term, depth: number): Described | undefined;
}

/**
 * Calls `write` for each node that stands alone: the first one, nodes that no statement or several statements name, and
 * the rest of circles. Writers nest the others, by `inside`.
 */
export function walk(quads: Iterable<Quad>, write: (described: Described, walk: Walk) => void): void {
  const tree = new Tree(quads);
  const written = new Set<Described>();
  const walking: Walk = {
    inside(object, depth) {
      const described = tree.describedBy(object);
      if (!described || depth > MAX_DEPTH || written.has(described) || standsAlone(described)) return undefined;
      written.add(described);
      return described;
    },
  };
  const [first] = tree.nodes.values();
  const standsAlone = (described: Described): boolean => described === first || !tree.isNamedOnce(described);
  const begin = (described: Described): void => {
    if (written.has(described)) return;
    written.add(described);
    write(described, walking);
  };
  for (const described of tree.nodes.values()) if (standsAlone(described)) begin(described);
  for (const described of tree.nodes.values()) begin(described);
}
