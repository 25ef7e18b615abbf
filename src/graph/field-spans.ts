/** Spans of the fields of one operation: one per path, so a field inside a list has one span for all items. */
import type { GraphQLResolveInfo } from 'graphql';
import { type Call, withSpan } from '../kernel/call.ts';
import { type ActiveSpan, type Description, MAX_SPANS, type Span, type Trace } from '../kernel/trace.ts';

export type Path = GraphQLResolveInfo['path'];

/** A field that has a span, or the operation. Items of a list share it. */
export class TracedField {
  readonly span: Span;
  ended = 0;
  hasFailed = false;
  readonly #base: Call;
  #call: Call | undefined;

  constructor(span: Span, base: Call) {
    this.span = span;
    this.#base = base;
  }
  /** Made on first use, because some fields only use loaders. */
  get call(): Call {
    this.#call ??= withSpan(this.#base, this.span);
    return this.#call;
  }
}

/** The spans of fields of one operation, by path without indexes. */
export class FieldSpans {
  readonly operation: TracedField;
  readonly #base: Call;
  readonly #byPath = new Map<string, TracedField>();
  /** Created when they are needed. */
  #others: FieldSpans[] | null = null;
  #loaders: { owner: LoaderOwner; call: Call }[] | null = null;

  /** `base` need not have the span of the operation. */
  constructor(span: Span, base: Call) {
    this.operation = new TracedField(span, base);
    this.#base = base;
  }

  /** The same operation with another call. Its spans end with these. */
  with(call: Call): FieldSpans {
    const other = new FieldSpans(this.operation.span, call);
    this.#others ??= [];
    this.#others.push(other);
    return other;
  }

  /** The field at a path. Beyond the limit of spans, its operation. */
  at(path: Path, description: Description): TracedField {
    const key = keyOf(path);
    const known = this.#byPath.get(key);
    if (known) return known;
    if (this.#byPath.size >= MAX_SPANS) return this.operation;
    const field = new TracedField(this.#above(path).span.child(description), this.#base);
    this.#byPath.set(key, field);
    return field;
  }

  #above({ prev }: Path): TracedField {
    for (let path = prev; path; path = path.prev) {
      const above = typeof path.key === 'string' ? this.#byPath.get(keyOf(path)) : undefined;
      if (above) return above;
    }
    return this.operation;
  }

  /** Loaders of a feature are shared by fields. Their statements belong to the field that has used them last. */
  callOfLoaders(feature: number, { span }: TracedField): Call {
    this.#loaders ??= [];
    const known = this.#loaders[feature];
    if (known) {
      known.owner.span = span;
      return known.call;
    }
    const owner = new LoaderOwner(span);
    const call = withSpan(this.#base, owner);
    this.#loaders[feature] = { owner, call };
    return call;
  }

  /** Ends all spans. `at` is the end of those whose field has not ended. */
  end(at: number): void {
    for (const other of this.#others ?? []) other.end(at);
    for (const { span, ended, hasFailed } of this.#byPath.values()) span.end(hasFailed, ended || at);
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
  if (!path.prev) return path.key as string; // the field of a root, whose key needs no new text
  let key = '';
  for (let at: Path | undefined = path; at; at = at.prev) if (typeof at.key === 'string') key = `${at.key}.${key}`;
  return key;
}
