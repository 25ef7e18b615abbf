/** RDF graph of one page of a feed, indexed by subject and property. */
import { iriOf } from '../../kernel/namespaces.ts';

/** An RDF term, in the form all parsers share. */
export interface Term {
  readonly termType: string;
  readonly value: string;
  readonly language?: string;
}

export interface Quad {
  readonly subject: Term;
  readonly predicate: Term;
  readonly object: Term;
}

const TYPE = iriOf('rdf:type');

/** Blank nodes have a separate namespace. */
const keyOf = ({ termType, value }: Term): string => (termType === 'BlankNode' ? `_:${value}` : value);

export const isLiteral = ({ termType }: Term): boolean => termType === 'Literal';
export const isIri = ({ termType }: Term): boolean => termType === 'NamedNode';

export class Graph {
  private readonly bySubject = new Map<string, { readonly term: Term; readonly values: Map<string, Term[]> }>();

  add({ subject, predicate, object }: Quad): void {
    const key = keyOf(subject);
    let said = this.bySubject.get(key);
    if (!said) this.bySubject.set(key, (said = { term: subject, values: new Map() }));
    const values = said.values.get(predicate.value);
    if (!values) said.values.set(predicate.value, [object]);
    else values.push(object);
  }

  /** Values of a subject's properties (`dct:title`, or full IRIs), from the first property that has any. */
  values(subject: Term, ...properties: readonly string[]): readonly Term[] {
    const said = this.bySubject.get(keyOf(subject))?.values;
    for (const property of said ? properties : []) {
      const found = said!.get(property.includes('://') ? property : iriOf(property));
      if (found) return found;
    }
    return [];
  }

  /** Whether the subject has any statement. */
  has = (subject: Term): boolean => this.bySubject.has(keyOf(subject));

  /** Subjects of this type, in order of occurrence. */
  *ofType(type: string): Generator<Term> {
    const requested = iriOf(type);
    for (const { term, values } of this.bySubject.values())
      if (values.get(TYPE)?.some(({ value }) => value === requested)) yield term;
  }

  /** All values of a property, for any subject. */
  *anywhere(property: string): Generator<Term> {
    const requested = iriOf(property);
    for (const { values } of this.bySubject.values()) yield* values.get(requested) ?? [];
  }
}
