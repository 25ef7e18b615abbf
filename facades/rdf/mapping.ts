/**
 * Maps records to graphs: a class is a table of rows `[fields, predicate, reader]`, and a reader converts a value to terms. Of several
 * fields, the first with terms counts. Values without terms are omitted. Pure.
 */
import type { PrefixedName } from '../../src/kernel/namespaces.ts';
import type { Graph } from './graph.ts';
import { type NamedNode, type Node, name, type Term, TYPE } from './terms.ts';

/** A record by field: its own fields first, then its extras. */
export class Source {
  /** Fields that produced terms. */
  readonly used = new Set<string>();
  readonly #own: Readonly<Record<string, unknown>>;
  readonly #extras: ReadonlyMap<string, unknown>;

  constructor(own: object, extras: Iterable<readonly [string, unknown]> = []) {
    this.#own = own as Readonly<Record<string, unknown>>;
    this.#extras = new Map(extras);
  }

  /** Undefined when missing or empty. */
  get(field: string): unknown {
    const own = Object.hasOwn(this.#own, field) ? this.#own[field] : undefined;
    if (!isEmpty(own)) return own;
    const extra = this.#extras.get(field);
    return isEmpty(extra) ? undefined : extra;
  }

  /** Extras that produced no terms. */
  *unused(): Generator<[string, unknown]> {
    for (const [key, value] of this.#extras) if (!this.used.has(key)) yield [key, value];
  }
}

const isEmpty = (value: unknown): boolean =>
  value == null || (typeof value === 'string' && value.trim() === '') || (Array.isArray(value) && value.length === 0);

/** Context of readers. */
export interface Mapping {
  readonly graph: Graph;
  /** Without a trailing slash. */
  readonly siteUrl: string;
  readonly tables: Tables;
  /** License of the current dataset; its description is built on first use. */
  license(): Term | undefined;
}

/** Converts a non-empty value to terms, in order. */
export type Reader = (value: any, mapping: Mapping) => readonly Term[];

/** Selects the whole record, for nodes made from several fields. */
export const WHOLE = '';

export type Row = readonly [fields: string | readonly string[], predicate: PrefixedName, reader: Reader];

export interface Table {
  /** Classes, such as `dcat:Dataset`; RDF/XML uses the first as element name. */
  readonly types: readonly string[];
  readonly rows: readonly Row[];
  /** IRI of the node. A blank node when omitted or null. */
  readonly subject?: (source: Source, mapping: Mapping) => NamedNode | null;
}

/** Tables of all described classes, by their name in mapping modules. */
export interface Tables {
  readonly dataset: Table;
  readonly distribution: Table;
  /** As referenced by a dataset. */
  readonly organization: Table;
  /** As a document of its own. */
  readonly organizationPage: Table;
  /** As referenced by a dataset. */
  readonly group: Table;
  /** As a document of its own. */
  readonly groupPage: Table;
  readonly catalog: Table;
}

/** Adds a table's statements about a record. Returns its node; null, adding nothing, when a node without an IRI would have no statements. */
export function describe(table: Table, source: Source, mapping: Mapping): Node | null {
  const { graph } = mapping;
  const given = table.subject?.(source, mapping) ?? null;
  const subject = given ?? graph.blank();
  let isSaid = given !== null;
  const begin = () => {
    for (const type of table.types) graph.add(subject, TYPE, name(type));
  };
  if (isSaid) begin();
  for (const [fields, predicate, reader] of table.rows) {
    const terms = termsOf(fields, reader, source, mapping);
    if (terms.length === 0) continue;
    if (!isSaid) begin();
    isSaid = true;
    for (const term of terms) graph.add(subject, name(predicate), term);
  }
  return isSaid ? subject : null;
}

function termsOf(fields: Row[0], reader: Reader, source: Source, mapping: Mapping): readonly Term[] {
  if (typeof fields === 'string') return termsOfField(fields, reader, source, mapping);
  for (const field of fields) {
    const terms = termsOfField(field, reader, source, mapping);
    if (terms.length > 0) return terms;
  }
  return NOTHING;
}

const NOTHING: readonly Term[] = [];

function termsOfField(field: string, reader: Reader, source: Source, mapping: Mapping): readonly Term[] {
  const value = field === WHOLE ? source : source.get(field);
  if (value === undefined) return NOTHING;
  const terms = reader(value, mapping);
  if (terms.length > 0) source.used.add(field);
  return terms;
}
