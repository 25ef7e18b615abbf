/** The statements of a dataset's description, by subject and property. Pure. */

/** An RDF term, as RDF/JS describes it. */
export interface Term {
  readonly termType: string;
  readonly value: string;
  readonly datatype?: { readonly value: string };
  readonly language?: string;
}

/** A statement, as RDF/JS describes it. */
export interface Statement {
  readonly subject: Term;
  readonly predicate: { readonly value: string };
  readonly object: Term;
}

const RDF_TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';

/** The properties of one node. Values are distinct. */
export type Node = ReadonlyMap<string, readonly Term[]>;

export interface Description {
  /** Nodes by identity (`keyOf`). */
  readonly nodes: ReadonlyMap<string, Node>;
  /** Identities of the nodes of a class, in the order of the statements. */
  readonly byClass: ReadonlyMap<string, readonly string[]>;
}

export const keyOf = (term: Term): string =>
  term.termType === 'Literal'
    ? `"${term.value}"${term.language ?? ''}^${term.datatype?.value ?? ''}`
    : term.termType === 'BlankNode'
      ? `_:${term.value}`
      : term.value;

const NONE: Node = new Map();

/** Values of a property; empty without any. */
export const valuesOf = (description: Description, key: string, property: string): readonly Term[] =>
  (description.nodes.get(key) ?? NONE).get(property) ?? [];

export function describe(statements: Iterable<Statement>): Description {
  const nodes = new Map<string, Map<string, Term[]>>();
  const byClass = new Map<string, string[]>();
  const seen = new Set<string>();
  for (const { subject, predicate, object } of statements) {
    const [key, value] = [keyOf(subject), keyOf(object)];
    const statement = `${key} ${predicate.value} ${value}`;
    if (seen.has(statement)) continue;
    seen.add(statement);
    const node = entry(nodes, key, () => new Map<string, Term[]>());
    entry(node, predicate.value, () => []).push(object);
    if (predicate.value === RDF_TYPE) entry(byClass, object.value, () => []).push(key);
  }
  return { nodes, byClass };
}

function entry<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
