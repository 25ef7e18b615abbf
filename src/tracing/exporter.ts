/**
 * Sends spans to a collector (OTLP over HTTP). Spans are written into one of two buffers while the other is sent, so memory
 * is bounded: spans without room are dropped and counted. No request waits for the collector.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from '../infra/http/client.ts';
import type { Logger } from '../infra/log/log.ts';
import type { Meter } from '../kernel/meter.ts';
import type { SpanSink } from '../kernel/trace.ts';
import { maxSize, requestHead, writeSpan } from './otlp.ts';

interface Target {
  /** Address that takes spans: …/v1/traces. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

export interface ExporterOptions extends Target {
  /** Attributes of this process. */
  readonly resource: Readonly<Record<string, string>>;
  readonly scope: string;
  readonly meter: Meter;
  readonly log: Logger;
  /** Replaces TIMES in tests. */
  readonly times?: Partial<typeof TIMES>;
}

export interface Exporter extends SpanSink {
  /** Sends what is there, for at most a few seconds. */
  close(): Promise<void>;
}

/** Bytes of each of the two buffers, which hold about 10,000 spans. Few large requests cost less than many small ones. */
export const BUFFER_BYTES = 2 * 1024 * 1024;
/** Bytes at which spans are sent before the next interval. */
const ENOUGH = (BUFFER_BYTES * 3) / 4;
/** Maximum bytes of a response that are read, so that its connection can be reused. */
const MAX_ANSWER_BYTES = 16 * 1024;
/** In ms: between two requests, timeout of a request, pause after a failed one, and timeout of the last one. */
const TIMES = { interval: 1_000, timeout: 10_000, pause: 5_000, last: 2_000 };

/** Codes of a connection that the collector has closed. */
const CLOSED: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

/** Writes a head directly before the spans, which begin at `spansStart`: a copy of all spans would cost more. */
function withHead(buffer: Buffer, spansStart: number, head: Buffer): Buffer {
  head.copy(buffer, spansStart - head.length);
  return buffer.subarray(spansStart - head.length);
}

async function post({ url, headers }: Target, body: Buffer, timeout: number): Promise<void> {
  const options = {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-protobuf' },
    body,
    signal: AbortSignal.timeout(timeout),
    mayReachPrivate: true,
    timeout,
  };
  // A collector may close an idle connection at the moment of a request, which is sent once more then.
  const { status, body: answer } = await request(url, options).catch((failure: NodeJS.ErrnoException) => {
    if (CLOSED.has(failure.code ?? '')) return request(url, options);
    throw failure;
  });
  let size = 0;
  answer.on('error', () => {}); // reading it throws the same error
  for await (const chunk of answer) if ((size += (chunk as Buffer).length) > MAX_ANSWER_BYTES) break;
  if (status < 200 || status > 299) throw new Error(`the collector responded with ${status}`);
}

export function createExporter({ url, headers, resource, scope, meter, log, ...options }: ExporterOptions): Exporter {
  const times = { ...TIMES, ...options.times };
  const headFor = (size: number): Buffer => requestHead(resource, scope, size);
  /** Position of the first span in a buffer. The head of a request is before it. */
  const spansStart = headFor(BUFFER_BYTES).length;
  let buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  let spare = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  let used = spansStart;
  let spans = 0;
  let dropped = 0;
  let beyond = 0;
  let sending: Promise<void> | null = null;
  let pausedUntil = 0;
  let isFailing = false;

  function count(): void {
    if (dropped > 0) meter.add('catalog_trace_spans_total', ['dropped'], dropped);
    if (beyond > 0) meter.add('catalog_trace_spans_total', ['limited'], beyond);
    dropped = 0;
    beyond = 0;
  }

  /** Sends the filled buffer, unless another one is on its way. */
  function flush(timeout = times.timeout): void {
    count();
    if (sending || spans === 0 || performance.now() < pausedUntil) return;
    const [full, size, number] = [buffer, used, spans];
    [buffer, spare] = [spare, full];
    used = spansStart;
    spans = 0;
    sending = post({ url, headers }, withHead(full.subarray(0, size), spansStart, headFor(size - spansStart)), timeout)
      .then(
        () => {
          meter.add('catalog_trace_spans_total', ['sent'], number);
          if (isFailing) log.info('the collector of traces works again');
          isFailing = false;
        },
        (failure: Error) => {
          dropped += number;
          count(); // nothing else counts them after close()
          pausedUntil = performance.now() + times.pause;
          if (!isFailing) log.warn({ err: failure }, 'sending traces failed; spans are dropped until it works again');
          isFailing = true;
        },
      )
      .finally(() => {
        sending = null;
      });
  }

  const timer = setInterval(() => flush(), times.interval);
  timer.unref();
  return {
    add(span) {
      if (used + maxSize(span) > BUFFER_BYTES) {
        dropped += 1;
        return;
      }
      used = writeSpan(buffer, used, span);
      spans += 1;
      if (used > ENOUGH && sending === null) flush();
    },
    limited() {
      beyond += 1;
    },
    async close() {
      clearInterval(timer);
      const last = async () => {
        await sending;
        flush(times.last);
        await sending;
      };
      await Promise.race([last(), sleep(times.last, undefined, { ref: false })]);
      dropped += spans;
      spans = 0;
      count();
    },
  };
}
