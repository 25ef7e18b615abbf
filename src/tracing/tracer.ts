/** Begins traces of requests, jobs and deliveries: ids, the caller's trace, and sampling. */
import { randomFillSync, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from '../infra/log/log.ts';
import type { Meter } from '../kernel/meter.ts';
import type { Settings } from '../kernel/settings.ts';
import {
  Description,
  descriptions,
  readTraceparent,
  readTracestate,
  Span,
  type SpanContext,
  type SpanSink,
  Trace,
} from '../kernel/trace.ts';
import { version } from '../kernel/version.ts';
import { createExporter, type ExporterOptions } from './exporter.ts';
import { MAX_LINKS } from './otlp.ts';

export interface Tracer {
  /** The span of an HTTP request; null if it is neither sampled nor timed. */
  request(headers: Readonly<Record<string, string | string[] | undefined>>, epoch: number): Span | null;
  /** The span of work that the requests of these spans have caused; null if it is not sampled. */
  work(description: Description, causes: readonly (string | null)[]): Span | null;
  close(): Promise<void>;
}

export interface TracerOptions {
  readonly settings: Settings;
  readonly meter: Meter;
  readonly log: Logger;
  readonly times?: ExporterOptions['times'];
}

/** The tracer of the settings. Null if they need none: then nothing is created and measured. */
export function createTracer({ settings, meter, log, times }: TracerOptions): Tracer | null {
  const endpoint = settings['catalog.tracing.endpoint'];
  const isTimed = settings['catalog.server_timing'];
  if (endpoint === null && !isTimed) return null;
  const exporter =
    endpoint === null
      ? null
      : createExporter({
          url: new URL(`${endpoint.replace(/\/+$/, '')}/v1/traces`),
          headers: headersOf(settings['catalog.tracing.headers']),
          resource: {
            'service.name': settings['catalog.tracing.service'],
            'service.version': version,
            'service.instance.id': randomUUID(),
            'host.name': hostname(),
            'process.pid': String(process.pid),
            'telemetry.sdk.name': 'catalog-gateway',
            'telemetry.sdk.language': 'nodejs',
            'telemetry.sdk.version': version,
          },
          scope: 'catalog-gateway',
          meter,
          log,
          ...(times && { times }),
        });
  const follows = settings['catalog.tracing.callers'] === 'follow';
  const isChosen = chooser(Number(settings['catalog.tracing.ratio']));
  const sinkFor = (isSampled: boolean): SpanSink | null => (isSampled ? exporter : null);
  return {
    request(headers, epoch) {
      const remote = headers.traceparent === undefined ? null : readTraceparent(headers.traceparent);
      const sink = exporter && sinkFor(remote && follows ? remote.isSampled : isChosen());
      if (!sink && !isTimed) return null;
      if (!sink || !remote)
        return new Span(new Trace(sink ? newTraceId() : NO_ID, random, sink, { state: '', epoch }), 0, 0, REQUEST);
      const state = readTracestate(headers.tracestate);
      return new Span(new Trace(remote.traceId, random, sink, { state, epoch }), remote.high, remote.low, REQUEST);
    },
    work(description, causes) {
      const links = causes
        .slice(0, MAX_LINKS)
        .map(readTraceparent)
        .filter((link): link is SpanContext => link !== null);
      const sink = exporter && sinkFor(links.some(({ isSampled }) => isSampled) || isChosen());
      const epoch = Date.now() - performance.now();
      if (!sink) return null;
      const span = new Span(new Trace(newTraceId(), random, sink, { state: '', epoch }), 0, 0, description);
      span.links = links;
      return span;
    },
    close: async () => exporter?.close(),
  };
}

/** Replaced when the request ends. */
const REQUEST = new Description('request', 'server');

/** Facts about a request that ended. */
export interface EndedFacts {
  readonly method: string;
  readonly route: string;
  readonly facade: string;
  /** Name of the action or trusted operation, or the route. */
  readonly label: string;
  readonly status: number;
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

class RequestDescription extends Description {
  readonly facts: EndedFacts;
  constructor(facts: EndedFacts) {
    const { method, route, facade, label, status } = facts;
    super(`${method} ${route}`, 'server', {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      'catalog.facade': facade,
      ...(label !== route && { 'catalog.operation': label }),
    });
    this.facts = facts;
  }
}

/** By label: a text of all facts as the key would cost more than the span. */
const requestsOf = descriptions<RequestDescription[]>(() => []);

function describeRequest(method: string, { route, facade, label, status }: EndedFacts): Description {
  const known = requestsOf(label);
  for (const it of known) {
    const { facts } = it;
    if (facts.status === status && facts.method === method && facts.route === route && facts.facade === facade)
      return it;
  }
  const made = new RequestDescription({ method, route, facade, label, status });
  known.push(made);
  return made;
}

/** Ends the span of a request. Names and attributes are patterns and names of the catalog, never texts of the caller. */
export function endRequest(span: Span, facts: EndedFacts): void {
  if (!span.trace.sink) return;
  span.description = describeRequest(METHODS.has(facts.method) ? facts.method : '_OTHER', facts);
  span.end(facts.status >= 500);
}

/** `key=value` pairs, as in OTEL_EXPORTER_OTLP_HEADERS: separated by commas, values percent-encoded. */
export function headersOf(text: string | null): Record<string, string> {
  const pairs = (text ?? '').split(',').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at).trim().toLowerCase(), decodeURIComponent(pair.slice(at + 1).trim())];
    }),
  );
}

/** Chooses this share of all traces. The choice is random: callers cannot choose a trace id that is sampled. */
function chooser(ratio: number): () => boolean {
  return () => ratio >= 1 || (ratio > 0 && Math.random() < ratio);
}

/** Random numbers of 32 bits for ids. With a sign, V8 keeps them without an object for each. */
const POOL = new Int32Array(2_048);
let taken = POOL.length;

function random(): number {
  if (taken === POOL.length) {
    randomFillSync(POOL);
    taken = 0;
  }
  return POOL[taken++]!;
}

const NO_ID = [0, 0, 0, 0];
const newTraceId = (): number[] => [random(), random(), random(), random()];
