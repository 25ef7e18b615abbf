/**
 * How records become graphs: a class is a table of rows `[fields, predicate, reader]`, and a reader makes terms of a value. Of
 * several fields the first that gives terms counts. Pure: what gives no terms is left out.
 */
import type { Graph } from './graph.ts';
import { type NamedNode, type Node, name, type Term, TYPE } from './terms.ts';

/** A record by field: its own fields first, then its extras. */
export class Source {
  /** Fields that gave terms. */
  readonly used = new Set<string>();
  readonly #own: Readonly<Record<string, unknown>>;
  readonly #extras: ReadonlyMap<string, unknown>;

  constructor(own: object, extras: Iterable<readonly [string, unknown]> = []) {
    this.#own = own as Readonly<Record<string, unknown>>;
    this.#extras = new Map(extras);
  }

  /** Undefined for what is missing or empty. */
  get(field: string): unknown {
    const own = Object.hasOwn(this.#own, field) ? this.#own[field] : undefined;
    if (!isEmpty(own)) return own;
    const extra = this.#extras.get(field);
    return isEmpty(extra) ? undefined : extra;
  }

  /** Extras that gave no terms. */
  *unused(): Generator<[string, unknown]> {
    for (const [key, value] of this.#extras) if (!this.used.has(key)) yield [key, value];
  }
}

const isEmpty = (value: unknown): boolean =>
  value == null || (typeof value === 'string' && value.trim() === '') || (Array.isArray(value) && value.length === 0);

/** What readers know beside the value. */
export interface Mapping {
  readonly graph: Graph;
  /** Without a slash at the end. */
  readonly siteUrl: string;
  readonly tables: Tables;
  /** The license of the dataset whose parts are read; described when it is first asked for. */
  license(): Term | undefined;
}

/** A value that is neither missing nor empty → terms, in order. */
export type Reader = (value: any, mapping: Mapping) => readonly Term[];

/** The whole record instead of a field: for nodes that several fields describe. */
export const WHOLE = '';

export type Row = readonly [fields: string | readonly string[], predicate: string, reader: Reader];

export interface Table {
  /** Classes, such as `dcat:Dataset`; RDF/XML names the element by the first. */
  readonly types: readonly string[];
  readonly rows: readonly Row[];
  /** The IRI of the node; a blank node where it is left out or answers null. */
  readonly subject?: (source: Source, mapping: Mapping) => NamedNode | null;
}

/** Every class that the catalog describes, by what it is called in mapping modules. */
export interface Tables {
  readonly dataset: Table;
  readonly distribution: Table;
  /** Where a dataset names it. */
  readonly organization: Table;
  /** On its own. */
  readonly organizationPage: Table;
  /** Where a dataset names it. */
  readonly group: Table;
  /** On its own. */
  readonly groupPage: Table;
  readonly catalog: Table;
}

/** Adds what a table says of a record; answers its node. Null, and nothing added, where no row says anything of a node without an IRI. */
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
  for (const field of typeof fields === 'string' ? [fields] : fields) {
    const value = field === WHOLE ? source : source.get(field);
    const terms = value === undefined ? [] : reader(value, mapping);
    if (terms.length === 0) continue;
    source.used.add(field);
    return terms;
  }
  return [];
}
