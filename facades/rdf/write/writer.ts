/** Interface of format writers: a document is a head, the bodies of one or more graphs, and a tail. */

import { Readable } from 'node:stream';
import type { Quad } from '@rdfjs/types';
import { NAMESPACES, type Prefix } from '../../../src/kernel/namespaces.ts';

/** Writes one document; create one per document. */
export interface Writer {
  /** The start of the document, declaring these prefixes. */
  head(prefixes: Iterable<Prefix>): string;
  /** Statements of a graph; may be called for several graphs. */
  body(quads: Iterable<Quad>): string;
  tail(): string;
  /** Prefixes used by the bodies so far. */
  readonly used: ReadonlySet<Prefix>;
}

export const ALL_PREFIXES = Object.keys(NAMESPACES) as Prefix[];

/** A whole document with its prefixes. */
export function documentOf(writer: Writer, quads: Iterable<Quad>): string {
  const body = writer.body(quads);
  return writer.head([...writer.used].sort()) + body + writer.tail();
}

/** A writer as an RDF/JS serializer: a Sink of quads in the default graph. Buffers all quads until the stream ends. */
export class Serializer {
  readonly #make: () => Writer;
  constructor(make: () => Writer) {
    this.#make = make;
  }
  import(quads: AsyncIterable<Quad>): Readable {
    const make = this.#make;
    return Readable.from(
      (async function* () {
        const all: Quad[] = [];
        for await (const quad of quads) all.push(quad);
        yield documentOf(make(), all);
      })(),
      { objectMode: false },
    );
  }
}

/** Shortens IRIs by prefixes and records the ones used. Null when no prefix fits, or `isLocal` refuses the local part. */
export class Shortener {
  readonly used = new Set<Prefix>();
  readonly #known = new Map<string, string | null>();
  readonly #isLocal: RegExp;
  constructor(isLocal: RegExp) {
    this.#isLocal = isLocal;
  }
  short(iri: string): string | null {
    let short = this.#known.get(iri);
    if (short === undefined) this.#known.set(iri, (short = this.#make(iri)));
    return short;
  }
  #make(iri: string): string | null {
    const at = Math.max(iri.lastIndexOf('#'), iri.lastIndexOf('/')) + 1;
    const prefix = prefixes.get(iri.slice(0, at));
    if (prefix === undefined || !this.#isLocal.test(iri.slice(at))) return null;
    this.used.add(prefix);
    return `${prefix}:${iri.slice(at)}`;
  }
}

const prefixes: ReadonlyMap<string, Prefix> = new Map(ALL_PREFIXES.map((prefix) => [NAMESPACES[prefix], prefix]));
