/** Arranges statements as a tree: grouped by node in order, with nodes nested where they are referenced. */
import type { Quad } from '@rdfjs/types';
import { Graph } from '../graph.ts';
import type { NamedNode, Node, Term } from '../terms.ts';

/** Maximum nesting; deeper nodes are written at the top level. */
const MAX_DEPTH = 16;

/** The statements about one node. */
export interface Described {
  readonly node: Node;
  /** By the IRI of the predicate. */
  readonly properties: Map<string, Property>;
}

export interface Property {
  readonly predicate: NamedNode;
  /** Unique, in order. */
  readonly objects: Term[];
  /** Keys of the objects, once there are several: most properties have one, and its text may be long. */
  keys?: Set<string>;
}

/** Identifies a term. */
function keyOf(term: Term): string {
  if (term.termType === 'NamedNode') return term.value;
  if (term.termType === 'BlankNode') return `_:${term.value}`;
  return `"${term.value}"@${term.language}^${term.datatype.value}`;
}

/** Whether a property already has this object. From the second object on, notes its key. */
function isRepeated(property: Property, object: Term): boolean {
  if (property.objects.length === 0) return false;
  const keys = (property.keys ??= new Set(property.objects.map(keyOf)));
  const known = keys.size;
  return keys.add(keyOf(object)).size === known;
}

export class Tree {
  /** By key, in order. */
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
    if (!property) described.properties.set(predicate.value, (property = { predicate, objects: [] }));
    if (isRepeated(property, object)) return;
    property.objects.push(object);
    if (object.termType === 'Literal') return;
    const objectKey = keyOf(object);
    this.#references.set(objectKey, (this.#references.get(objectKey) ?? 0) + 1);
  }

  isNamedOnce({ node }: Described): boolean {
    return this.#references.get(keyOf(node)) === 1;
  }

  describedBy(node: Term): Described | undefined {
    return node.termType === 'Literal' ? undefined : this.nodes.get(keyOf(node));
  }
}

export interface Walk {
  /** Statements about an object to nest here; undefined when they are written elsewhere. */
  inside(object: Term, depth: number): Described | undefined;
}

/**
 * Calls `write` for each top-level node: the first node, nodes with no or several references, and one node of each remaining cycle. Writers
 * nest the others by `inside`.
 */
export function walk(quads: Iterable<Quad>, write: (described: Described, walk: Walk) => void): void {
  const tree = new Tree(quads);
  const written = new Set<Described>();
  const walking: Walk = {
    inside(object, depth) {
      const described = tree.describedBy(object);
      if (!described || depth > MAX_DEPTH || written.has(described) || isTopLevel(described)) return undefined;
      written.add(described);
      return described;
    },
  };
  const [first] = tree.nodes.values();
  const isTopLevel = (described: Described): boolean => described === first || !tree.isNamedOnce(described);
  const begin = (described: Described): void => {
    if (written.has(described)) return;
    written.add(described);
    write(described, walking);
  };
  for (const described of tree.nodes.values()) if (isTopLevel(described)) begin(described);
  for (const described of tree.nodes.values()) begin(described);
}
