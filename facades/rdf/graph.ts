import type { Quad } from '@rdfjs/types';
import Dataset, { type DatasetExt } from 'rdf-ext/lib/Dataset.js';
import { type BlankNode, factory, type NamedNode, type Node, type Term } from './terms.ts';

/**
 * The statements of one document: an rdf-ext dataset that builds its index on the first lookup. Writers read each statement once in order,
 * and the index would cost more than all of their work (docs/decisions/0026).
 */
export class Graph extends Dataset {
  /** In insertion order; may contain duplicates. */
  #statements: Quad[];
  #indexed = 0;
  readonly #labels: string;
  #blanks = 0;

  /** `labels`: prefix of blank node labels, which must differ between graphs of one document. */
  constructor(quads: Iterable<Quad> = [], labels = 'b') {
    super();
    this.#statements = [...quads];
    this.#labels = labels;
  }

  blank(): BlankNode {
    this.#blanks += 1;
    return factory.blankNode(`${this.#labels}${this.#blanks}`) as BlankNode;
  }

  override add(quad: Quad): this;
  override add(subject: Node, predicate: NamedNode, object: Term): this;
  override add(first: Quad | Node, predicate?: NamedNode, object?: Term): this {
    this.#statements.push(predicate && object ? factory.quad(first as Node, predicate, object) : (first as Quad));
    return this;
  }

  /** Statements without building the index. */
  get statements(): readonly Quad[] {
    return this.#statements;
  }

  override get size(): number {
    return this.#index(() => super.size);
  }

  override has(quad: Quad): boolean {
    return this.#index(() => super.has(quad as never));
  }

  override match(...pattern: Parameters<DatasetExt['match']>): DatasetExt {
    return this.#index(() => super.match(...pattern));
  }

  override delete(quad: Quad): this {
    this.#index(() => super.delete(quad as never));
    this.#statements = [...this.#index(() => super.match())];
    this.#indexed = this.#statements.length;
    return this;
  }

  override [Symbol.iterator](): ReturnType<DatasetExt[typeof Symbol.iterator]> {
    return this.#index(() => super[Symbol.iterator]());
  }

  #index<T>(read: () => T): T {
    for (; this.#indexed < this.#statements.length; this.#indexed++)
      super.add(this.#statements[this.#indexed] as never);
    return read();
  }
}
