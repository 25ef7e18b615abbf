/**
 * Traces: spans of one request, job or delivery. A span has ids, a time and a description, never a value of a caller. The
 * call carries the active span (`call.request.span`); src/tracing sends spans.
 */

/** Values of OTLP's enum of span kinds. */
export const KIND = { internal: 1, server: 2, client: 3, consumer: 5 } as const;

/** Name and attributes of a kind of span. Made once, so that a span costs little; exporters keep its encoded form. */
export class Description {
  readonly name: string;
  readonly kind: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  encoded: Buffer | undefined;

  constructor(
    name: string,
    kind: keyof typeof KIND = 'internal',
    attributes: Readonly<Record<string, string | number>> = {},
  ) {
    this.name = name;
    this.kind = KIND[kind];
    this.attributes = attributes;
  }
}

/** Maximum entries of one table: names are those of the catalog, so this many never occur. */
const MAX_DESCRIPTIONS = 5_000;

/** A table of descriptions, or of lists of them, by key. */
export function descriptions<Entry = Description>(make: (key: string) => Entry): (key: string) => Entry {
  const known = new Map<string, Entry>();
  return (key) => {
    let entry = known.get(key);
    if (!entry) {
      entry = make(key);
      if (known.size < MAX_DESCRIPTIONS) known.set(key, entry);
    }
    return entry;
  };
}

/** Identifies a span of another process or trace. */
export interface SpanContext {
  /** Four signed numbers of 32 bits. */
  readonly traceId: readonly number[];
  /** The two halves of the span's id. */
  readonly high: number;
  readonly low: number;
  readonly isSampled: boolean;
}

/** Takes ended spans. Never throws and never waits. */
export interface SpanSink {
  add(span: Span): void;
  /** Counts a span beyond MAX_SPANS. */
  limited(): void;
}

/** Maximum recorded spans of a trace in this process. */
export const MAX_SPANS = 500;

/** The part that spans of one request or job share. Ids are numbers of 32 bits, which are cheaper to write than digits. */
export class Trace {
  /** Four numbers. */
  readonly id: readonly number[];
  /** A random number. */
  readonly random: () => number;
  /** Null: nothing is sent, but times are measured for `Server-Timing`. */
  readonly sink: SpanSink | null;
  /** `tracestate` of the caller; empty for none. */
  readonly state: string;
  /** Difference of ms since 1970 and performance.now(). */
  readonly epoch: number;
  spans = 0;
  /** For `Server-Timing`, in ms. */
  statements = 0;
  statementTime = 0;
  graphTime = 0;

  constructor(
    id: readonly number[],
    random: () => number,
    sink: SpanSink | null,
    { state, epoch }: { readonly state: string; readonly epoch: number },
  ) {
    this.id = id;
    this.random = random;
    this.sink = sink;
    this.state = state;
    this.epoch = epoch;
  }
}

/** The parent of what a call does next. */
export interface ActiveSpan {
  readonly trace: Trace;
  child(description: Description): Span;
  /** The header that other servers and jobs get; null if the trace is not recorded. */
  traceparent(): string | null;
}

const NO_LINKS: readonly SpanContext[] = [];

export class Span implements ActiveSpan {
  readonly trace: Trace;
  /** The id, and that of the parent, which is 0 without one. */
  readonly high: number;
  readonly low: number;
  readonly parentHigh: number;
  readonly parentLow: number;
  description: Description;
  links = NO_LINKS;
  /** In ms of performance.now(), as `ended`. */
  readonly start: number;
  ended = 0;
  hasFailed = false;
  /** False beyond MAX_SPANS. Decided at the start, so that a sent span has its parent. */
  readonly isSent: boolean;

  constructor(trace: Trace, parentHigh: number, parentLow: number, description: Description) {
    const { sink } = trace;
    this.trace = trace;
    this.high = sink ? trace.random() : 0;
    this.low = sink ? trace.random() : 0;
    this.parentHigh = parentHigh;
    this.parentLow = parentLow;
    this.description = description;
    this.isSent = sink !== null && trace.spans++ < MAX_SPANS;
    this.start = performance.now();
  }

  child(description: Description): Span {
    return new Span(this.trace, this.high, this.low, description);
  }

  traceparent(): string | null {
    const { id, sink } = this.trace;
    return sink ? `00-${Array.from(id, digits).join('')}-${digits(this.high)}${digits(this.low)}-01` : null;
  }

  /** Ends the span. Returns its duration in ms. */
  end(hasFailed = false, at = performance.now()): number {
    this.ended = at;
    this.hasFailed = hasFailed;
    if (this.isSent) this.trace.sink?.add(this);
    else this.trace.sink?.limited();
    return at - this.start;
  }
}

const digits = (number: number): string => (number >>> 0).toString(16).padStart(8, '0');

/** Ends a span with a promise, and passes its outcome on. */
export function spanning<T>(span: Span, work: Promise<T>): Promise<T> {
  return work.then(
    (value) => {
      span.end();
      return value;
    },
    (failure: unknown) => {
      span.end(true);
      throw failure;
    },
  );
}

/** The same for a statement. Without a span, only its outcome. */
export function spanningStatement<T>(span: Span | undefined, work: Promise<T>): Promise<T> {
  if (!span) return work;
  return work.then(
    (value) => {
      endStatement(span);
      return value;
    },
    (failure: unknown) => {
      endStatement(span, true);
      throw failure;
    },
  );
}

/** Ends the span of a statement, which counts for `Server-Timing`. */
export function endStatement(span: Span, hasFailed = false): void {
  const { trace } = span;
  trace.statements += 1;
  trace.statementTime += span.end(hasFailed);
}

const PARENT = /^(?!ff)[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(?:-[^\s]*)?$/;
/** Length of a `traceparent` of version 00, which is the first one. */
const PARENT_LENGTH = 55;
/** Maximum length of a `traceparent` of a later version of the standard. */
const MAX_PARENT = 256;

/** Reads a `traceparent` (W3C Trace Context); null for an invalid one. */
export function readTraceparent(text: unknown): SpanContext | null {
  if (typeof text !== 'string' || text.length > MAX_PARENT) return null;
  if (!PARENT.test(text) || (text.length > PARENT_LENGTH && text.startsWith('00'))) return null;
  const traceId = [numberAt(text, 3), numberAt(text, 11), numberAt(text, 19), numberAt(text, 27)];
  const [high, low] = [numberAt(text, 36), numberAt(text, 44)];
  if (traceId.every((part) => part === 0) || (high === 0 && low === 0)) return null;
  return { traceId, high, low, isSampled: (digitAt(text, 54) & 1) === 1 };
}

/** The signed number of 32 bits in eight hexadecimal digits. Number.parseInt of parts of the text takes longer. */
function numberAt(text: string, start: number): number {
  let number = 0;
  for (let at = start; at < start + 8; at += 1) number = (number << 4) | digitAt(text, at);
  return number;
}

/** The value of a digit from 0 to 9 or a to f. */
function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 0x40 ? code - 0x30 : code - 0x57;
}

const MAX_STATE = 512;
const MAX_MEMBERS = 32;
const MEMBER =
  /^(?:[a-z][a-z0-9_\-*/]{0,255}|[a-z0-9][a-z0-9_\-*/]{0,240}@[a-z][a-z0-9_\-*/]{0,13})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/** Reads a `tracestate`; empty for an invalid one, as the standard requires. */
export function readTracestate(text: unknown): string {
  if (typeof text !== 'string' || text.length > MAX_STATE) return '';
  const members = text.split(',').map((member) => member.trim());
  const given = members.filter((member) => member !== '');
  return given.length <= MAX_MEMBERS && given.every((member) => MEMBER.test(member)) ? given.join(',') : '';
}

/** Headers by which another server of the catalog's operator continues the trace. */
export function traceHeaders(span: ActiveSpan | undefined): Record<string, string> {
  const traceparent = span?.traceparent();
  if (!traceparent) return {};
  const { state } = (span as ActiveSpan).trace;
  return { traceparent, ...(state !== '' && { tracestate: state }) };
}
