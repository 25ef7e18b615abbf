/** W3C Trace Context headers from untrusted callers. */
import { expect, it } from '@jest/globals';
import { Description, MAX_SPANS, readTraceparent, readTracestate, Span, Trace } from '../../../src/kernel/trace.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

it('reads a valid traceparent only', () => {
  expect(readTraceparent(`00-${TRACE}-${SPAN}-01`)).toEqual({
    traceId: [0x0af76519, 0x16cd43dd, 0x8448eb21 | 0, 0x1c80319c],
    high: 0xb7ad6b71 | 0,
    low: 0x69203331,
    isSampled: true,
  });
  expect(readTraceparent(`00-${TRACE}-${SPAN}-02`)).toMatchObject({ isSampled: false });
  expect(readTraceparent(`01-${TRACE}-${SPAN}-03-later`)).toMatchObject({ isSampled: true });
  for (const text of [
    undefined,
    [`00-${TRACE}-${SPAN}-01`],
    '',
    `00-${TRACE}-${SPAN}-1`,
    `00-${TRACE}-${SPAN}-01-more`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE.replace('f', 'g')}-${SPAN}-01`,
    ` 00-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01\n`,
    `01-${TRACE}-${SPAN}-01-${'x'.repeat(1_000)}`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
  ])
    expect([text, readTraceparent(text)]).toEqual([text, null]);
});

it('reads a valid tracestate only', () => {
  expect(readTracestate('a=1, b@c=2 ,')).toBe('a=1,b@c=2');
  expect(readTracestate(Array.from({ length: 32 }, (_, n) => `k${n}=v`).join())).toMatch(/^k0=v,.*k31=v$/);
  for (const text of [
    undefined,
    'a',
    'A=1',
    'a=é',
    'a=b=c',
    `a=${'x'.repeat(600)}`,
    Array.from({ length: 33 }, (_, n) => `k${n}=v`).join(),
  ])
    expect([text, readTracestate(text)]).toEqual([text, '']);
});

it('writes the received trace id with its own span as parent', () => {
  const sink = { add() {}, limited() {} };
  const { traceId, high, low } = readTraceparent(`00-${TRACE}-${SPAN}-01`)!;
  const span = new Span(new Trace(traceId, () => 5, sink, { state: '', epoch: 0 }), high, low, new Description('a'));
  expect(span.traceparent()).toBe(`00-${TRACE}-0000000500000005-01`);
  expect([span.parentHigh, span.parentLow]).toEqual([high, low]);
});

it('sends the first MAX_SPANS spans of a trace, and counts the others', () => {
  const sent: Span[] = [];
  let beyond = 0;
  const sink = { add: (span: Span) => void sent.push(span), limited: () => void (beyond += 1) };
  const first = new Span(new Trace([1, 1, 1, 1], () => 1, sink, { state: '', epoch: 0 }), 0, 0, new Description('a'));
  for (let n = 0; n < MAX_SPANS + 10; n++) first.child(new Description('b')).end();
  first.end();
  expect(sent).toHaveLength(MAX_SPANS);
  expect(sent).toContain(first);
  expect(beyond).toBe(11);
});
