/** Spans of the fields of one operation: one per path, so a field inside a list has one span for all items. */
import type { GraphQLResolveInfo } from 'graphql';
import { type Call, withSpan } from '../kernel/call.ts';
import { type ActiveSpan, type Description, MAX_SPANS, type Span, type Trace } from '../kernel/trace.ts';
import type { CallOf } from './loaders.ts';

export type Path = GraphQLResolveInfo['path'];

/** A field that has a span. Its items, if it is inside a list, share it. */
export interface TracedField {
  readonly span: Span;
  readonly call: Call;
  ended: number;
  hasFailed: boolean;
}

/** The spans of fields of one operation, by path without indexes. */
export class FieldSpans {
  readonly #operation: TracedField;
  readonly #byPath = new Map<string, TracedField>();
  readonly #others: FieldSpans[] = [];
  readonly #loaders: { owner: LoaderOwner; call: Call }[] = [];
  /** The field that uses loaders now. */
  current: TracedField;

  constructor(span: Span, call: Call) {
    this.#operation = { span, call, ended: 0, hasFailed: false };
    this.current = this.#operation;
  }

  /** The same operation with another call. Its spans end with these. */
  with(call: Call): FieldSpans {
    const { span } = this.#operation;
    const other = new FieldSpans(span, withSpan(call, span));
    this.#others.push(other);
    return other;
  }

  /** The field at a path. Beyond the limit of spans, its operation. */
  at(path: Path, description: Description): TracedField {
    const key = keyOf(path);
    const known = this.#byPath.get(key);
    if (known) return known;
    if (this.#byPath.size >= MAX_SPANS) return this.#operation;
    const parent = this.#above(path);
    const span = parent.span.child(description);
    const field = { span, call: withSpan(this.#operation.call, span), ended: 0, hasFailed: false };
    this.#byPath.set(key, field);
    return field;
  }

  #above({ prev }: Path): TracedField {
    for (let path = prev; path; path = path.prev) {
      const above = typeof path.key === 'string' ? this.#byPath.get(keyOf(path)) : undefined;
      if (above) return above;
    }
    return this.#operation;
  }

  /** Loaders of a feature are shared by fields. Their statements belong to the field that has used them last. */
  readonly callOfLoaders: CallOf = (feature) => {
    const known = this.#loaders[feature];
    if (known) {
      known.owner.span = this.current.span;
      return known.call;
    }
    const owner = new LoaderOwner(this.current.span);
    const call = withSpan(this.#operation.call, owner);
    this.#loaders[feature] = { owner, call };
    return call;
  };

  /** Ends all spans. */
  end(): void {
    for (const other of this.#others) other.end();
    for (const { span, ended, hasFailed } of this.#byPath.values()) span.end(hasFailed, ended || undefined);
    this.#byPath.clear();
  }
}

/** Follows the field that has used a loader last. */
class LoaderOwner implements ActiveSpan {
  span: Span;
  constructor(span: Span) {
    this.span = span;
  }
  get trace(): Trace {
    return this.span.trace;
  }
  child(description: Description): Span {
    return this.span.child(description);
  }
  traceparent(): string | null {
    return this.span.traceparent();
  }
}

/** Response keys of a path, without indexes of lists. They never leave this file. */
function keyOf(path: Path): string {
  let key = '';
  for (let at: Path | undefined = path; at; at = at.prev) if (typeof at.key === 'string') key = `${at.key}.${key}`;
  return key;
}
