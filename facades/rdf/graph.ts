/** A graph as a tree of what is said of each node, in the order in which it was said; made from quads, and gives quads. */
import type { Quad } from '@rdfjs/types';
import { type BlankNode, factory, type NamedNode, type Node, type Term } from './terms.ts';

/** What is said of one node. */
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

/** Tells terms apart. */
export function keyOf(term: Term): string {
  if (term.termType === 'NamedNode') return term.value;
  if (term.termType === 'BlankNode') return `_:${term.value}`;
  return `"${term.value}"@${term.language}^${term.datatype.value}`;
}

export class Graph implements Iterable<Quad> {
  /** By their keys, in order. */
  readonly nodes = new Map<string, Described>();
  readonly #references = new Map<string, number>();
  readonly #labels: string;
  #blanks = 0;

  /** `labels`: what names of blank nodes begin with; graphs that are written into one document need different ones. */
  constructor(labels = 'b') {
    this.#labels = labels;
  }

  static from(quads: Iterable<Quad>): Graph {
    const graph = new Graph();
    for (const { subject, predicate, object } of quads)
      graph.add(subject as Node, predicate as NamedNode, object as Term);
    return graph;
  }

  blank(): BlankNode {
    this.#blanks += 1;
    return factory.blankNode(`${this.#labels}${this.#blanks}`) as BlankNode;
  }

  add(subject: Node, predicate: NamedNode, object: Term): void {
    const key = keyOf(subject);
    let described = this.nodes.get(key);
    if (!described) this.nodes.set(key, (described = { node: subject, properties: new Map() }));
    let property = described.properties.get(predicate.value);
    if (!property) described.properties.set(predicate.value, (property = { predicate, objects: new Map() }));
    const objectKey = keyOf(object);
    if (property.objects.has(objectKey)) return;
    property.objects.set(objectKey, object);
    if (object.termType !== 'Literal') this.#references.set(objectKey, this.references(object) + 1);
  }

  /** How many times a node is named as an object. */
  references(node: Term): number {
    return this.#references.get(keyOf(node)) ?? 0;
  }

  describedBy(node: Term): Described | undefined {
    return node.termType === 'Literal' ? undefined : this.nodes.get(keyOf(node));
  }

  *[Symbol.iterator](): Iterator<Quad> {
    for (const { node, properties } of this.nodes.values())
      for (const { predicate, objects } of properties.values())
        for (const object of objects.values()) yield factory.quad(node, predicate, object) as Quad;
  }
}
