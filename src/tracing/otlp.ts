/** Writes spans as OTLP, the protocol of OpenTelemetry, in protobuf (opentelemetry/proto/trace/v1, version 1). */
import type { Description, Span, SpanContext } from '../kernel/trace.ts';

/** Maximum bytes of a span without its description: ids, times, state, status. */
const FIXED = 10 + 18 + 10 + 10 + 9 + 9 + 4 + 516;
/** Bytes of a link. */
const LINK = 2 + 18 + 10;
/** Maximum links of a span. */
export const MAX_LINKS = 32;
/** Maximum characters of a name or an attribute. */
const MAX_TEXT = 300;

/** Upper bound of the bytes of a span. */
export const maxSize = ({ description, links }: Span): number =>
  FIXED + encodedOf(description).length + links.length * LINK;

/** Writes a span, as an element of ScopeSpans.spans, and returns the end. The buffer must have room for `maxSize`. */
export function writeSpan(buffer: Buffer, start: number, span: Span): number {
  const { trace, parentHigh, parentLow, description, links, hasFailed } = span;
  const described = encodedOf(description);
  const { state } = trace;
  let size = 18 + 10 + 9 + 9 + described.length;
  const hasParent = parentHigh !== 0 || parentLow !== 0;
  if (hasParent) size += 10;
  if (state !== '') size += 1 + varintSize(state.length) + state.length;
  if (hasFailed) size += 4;
  size += links.length * LINK;
  let at = varint(buffer, start, 0x12);
  at = varint(buffer, at, size);
  at = traceId(buffer, at, trace.id);
  at = spanId(buffer, at, 0x12, span.high, span.low);
  if (state !== '') {
    at = varint(buffer, at, 0x1a);
    at = varint(buffer, at, state.length);
    at += buffer.write(state, at, 'latin1');
  }
  if (hasParent) at = spanId(buffer, at, 0x22, parentHigh, parentLow);
  buffer.set(described, at);
  at += described.length;
  at = time(buffer, at, 0x39, trace.epoch + span.start);
  at = time(buffer, at, 0x41, trace.epoch + span.ended);
  for (const link of links) at = writeLink(buffer, at, link);
  if (hasFailed) at += buffer.write('\x7a\x02\x18\x02', at, 'latin1'); // status { code: ERROR }
  return at;
}

/** The request before its spans: resource and scope. `size` is the size of the spans in bytes. */
export function requestHead(resource: Readonly<Record<string, string>>, scope: string, size: number): Buffer {
  const scoped = message(0x0a, text(0x0a, scope));
  const scopeSpans = Buffer.concat([lengthOf(0x12, scoped.length + size), scoped]);
  const attributes = message(0x0a, ...Object.entries(resource).map(([key, value]) => attribute(0x0a, key, value)));
  return Buffer.concat([lengthOf(0x0a, attributes.length + scopeSpans.length + size), attributes, scopeSpans]);
}

/** Name, kind and attributes of a span. */
function encodedOf(description: Description): Buffer {
  description.encoded ??= Buffer.concat([
    text(0x2a, description.name),
    Buffer.from([0x30, description.kind]),
    ...Object.entries(description.attributes).map(([key, value]) => attribute(0x4a, key, value)),
  ]);
  return description.encoded;
}

function writeLink(buffer: Buffer, start: number, { traceId: id, high, low }: SpanContext): number {
  buffer[start] = 0x6a;
  buffer[start + 1] = 28;
  return spanId(buffer, traceId(buffer, start + 2, id), 0x12, high, low);
}

function traceId(buffer: Buffer, start: number, id: readonly number[]): number {
  buffer[start] = 0x0a;
  buffer[start + 1] = 16;
  let at = start + 2;
  for (let part = 0; part < 4; part += 1) at = number(buffer, at, id[part]!);
  return at;
}

function spanId(buffer: Buffer, at: number, tag: number, high: number, low: number): number {
  buffer[at] = tag;
  buffer[at + 1] = 8;
  return number(buffer, number(buffer, at + 2, high), low);
}

/** 32 bits, the highest first. Faster than the methods of Buffer, which check their arguments. */
function number(buffer: Buffer, at: number, value: number): number {
  buffer[at] = value >>> 24;
  buffer[at + 1] = value >>> 16;
  buffer[at + 2] = value >>> 8;
  buffer[at + 3] = value;
  return at + 4;
}

function numberBackwards(buffer: Buffer, at: number, value: number): void {
  buffer[at] = value;
  buffer[at + 1] = value >>> 8;
  buffer[at + 2] = value >>> 16;
  buffer[at + 3] = value >>> 24;
}

/** A time in ns as fixed64. A number holds it with a precision of 256 ns. */
function time(buffer: Buffer, at: number, tag: number, milliseconds: number): number {
  const nanoseconds = milliseconds * 1e6;
  const high = Math.floor(nanoseconds / 2 ** 32);
  buffer[at] = tag;
  numberBackwards(buffer, at + 1, nanoseconds - high * 2 ** 32);
  numberBackwards(buffer, at + 5, high);
  return at + 9;
}

function varint(buffer: Buffer, at: number, value: number): number {
  let rest = value;
  let end = at;
  while (rest > 0x7f) {
    buffer[end++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  buffer[end++] = rest;
  return end;
}

const varintSize = (value: number): number => (value > 0x1fffff ? 4 : value > 0x3fff ? 3 : value > 0x7f ? 2 : 1);

function lengthOf(tag: number, size: number): Buffer {
  const buffer = Buffer.alloc(6);
  return buffer.subarray(0, varint(buffer, varint(buffer, 0, tag), size));
}

function message(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([lengthOf(tag, body.length), body]);
}

const text = (tag: number, value: string): Buffer => message(tag, Buffer.from(value.slice(0, MAX_TEXT)));

/** KeyValue { key, value: AnyValue }. */
function attribute(tag: number, key: string, value: string | number): Buffer {
  const number = Buffer.alloc(6);
  const any =
    typeof value === 'string' ? text(0x0a, value) : number.subarray(0, varint(number, varint(number, 0, 0x18), value));
  return message(tag, text(0x0a, key), message(0x12, any));
}
