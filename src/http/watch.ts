/** Records requests: route, status, and the time until the headers of the response. */
import { type IncomingMessage, ServerResponse } from 'node:http';
import { facadeOf, knownOperationOf, operationOf } from '../../facades/shared/operation.ts';
import { costOf, noteSpan, requestIdOf, spanOfRequest, userIdOf } from '../kernel/request.ts';
import type { Span } from '../kernel/trace.ts';
import type { EndedRequest, Recorder } from '../operations/recorder.ts';
import { endRequest, type Tracer } from '../tracing/tracer.ts';

/** Routes of endpoints before Express, by their URL. */
const ENDPOINTS: readonly (readonly [RegExp, string])[] = [
  [/^\/api\/(?:\d\/)?action\//, '/api/action/:name'],
  [/^\/graphql(?:$|\?)/, '/graphql'],
  [/^\/graphiql(?:$|\?)/, '/graphiql'],
  [/^\/static\//, '/static'],
  [/^\/changes(?:$|\?)/, '/changes'],
  [/^\/livez(?:$|\?)/, '/livez'],
  [/^\/readyz(?:$|\?)/, '/readyz'],
  [/^\/metrics(?:$|\?)/, '/metrics'],
];
/** Long polling takes as long as the client wants. */
const WAITS = /^\/changes(?:$|\?)/;

/** Properties that Express adds to a request. */
interface Routed {
  readonly baseUrl?: string;
  readonly route?: { readonly path: unknown };
}

function routeOf(req: IncomingMessage & Routed): string {
  if (req.route) return `${req.baseUrl ?? ''}${[req.route.path].flat()[0]}`;
  const { url = '' } = req;
  for (const [pattern, route] of ENDPOINTS) if (pattern.test(url)) return route;
  return 'other';
}

/** Facades with one route for all operations: an unknown name must not become a label. */
const NAMED: ReadonlySet<string> = new Set(['action', 'graphql']);

const isStream = ({ headers: { accept } }: IncomingMessage): boolean => accept?.includes('text/event-stream') ?? false;

const { writeHead } = ServerResponse.prototype;
/** When the headers of a response were sent, in ms of performance.now(). */
const ANSWERED = Symbol('answered');

/** Whether a response of any status has its request id. */
const IS_NAMED = Symbol('is named');

/** When the request began, of responses with `Server-Timing`. */
const BEGUN = Symbol('begun');

interface Timed extends ServerResponse {
  [BEGUN]?: number;
  [IS_NAMED]?: boolean;
  [ANSWERED]?: number;
}

/** One function for all responses: a closure per response costs more than the rest of the record. */
function timedWriteHead(this: Timed, ...parts: Parameters<typeof writeHead>): ServerResponse {
  this[ANSWERED] = performance.now();
  if (parts[0] >= 400 || this[IS_NAMED]) this.setHeader('x-request-id', requestIdOf(this.req));
  if (this[BEGUN] !== undefined) this.setHeader('server-timing', timing(this[ANSWERED] - this[BEGUN], this.req));
  return writeHead.apply(this, parts);
}

/** `Server-Timing`: times in ms, without names and ids. Times of statements that run at once are added. */
function timing(total: number, req: IncomingMessage): string {
  const { graphTime = 0, statements = 0, statementTime = 0 } = spanOfRequest(req)?.trace ?? {};
  const parts = [
    `total;dur=${total.toFixed(1)}`,
    ...(graphTime > 0 ? [`graph;dur=${graphTime.toFixed(1)}`] : []),
    `sql;dur=${statementTime.toFixed(1)};desc="${statements}"`,
  ];
  return parts.join(', ');
}

/** Status of requests whose client left before the response, as nginx logs it. */
const CLIENT_LEFT = 499;

/** A request that ended. Its names are read only if an observer needs them. */
class Ended implements EndedRequest {
  readonly at: number;
  readonly status: number;
  readonly milliseconds: number;
  readonly isTimed: boolean;
  readonly #req: IncomingMessage;
  constructor(req: IncomingMessage, at: number, status: number, milliseconds: number, isTimed: boolean) {
    this.#req = req;
    this.at = at;
    this.status = status;
    this.milliseconds = milliseconds;
    this.isTimed = isTimed;
  }
  get method(): string {
    return this.#req.method ?? '';
  }
  get route(): string {
    return routeOf(this.#req);
  }
  get operation(): string | null {
    return operationOf(this.#req);
  }
  get facade(): string {
    return facadeOf(this.#req);
  }
  get requestId(): string {
    return requestIdOf(this.#req);
  }
  get userId(): string | null {
    return userIdOf(this.#req);
  }
  get cost(): number | null {
    return costOf(this.#req);
  }
  get label(): string {
    const known = knownOperationOf(this.#req);
    if (known !== null) return known;
    return NAMED.has(this.facade) ? 'other' : this.route;
  }
}

export interface WatchOptions {
  readonly recorder: Recorder;
  /** The response then has its id, as the log has. */
  readonly isLogged: boolean;
  /** Null without traces and `Server-Timing`. */
  readonly tracer: Tracer | null;
  readonly hasTiming: boolean;
}

/** Requests of monitoring have no trace. */
const MONITORING = /^\/(?:livez|readyz|metrics)(?:$|\?)/;

/** Records a request when it ends. */
export function watch(
  { recorder, isLogged, tracer, hasTiming }: WatchOptions,
  req: IncomingMessage,
  res: ServerResponse,
): void {
  const isTimed = !WAITS.test(req.url ?? '') && !isStream(req);
  const at = Date.now();
  const start = performance.now();
  recorder.begin();
  res.writeHead = timedWriteHead as typeof writeHead;
  if (isLogged || req.headers['x-request-id'] !== undefined) (res as Timed)[IS_NAMED] = true;
  const span = tracer && traced(tracer, req, at - start);
  if (hasTiming) (res as Timed)[BEGUN] = start;
  res.on('close', () => {
    const answered = (res as Timed)[ANSWERED];
    const time = (answered ?? performance.now()) - start;
    const ended =
      answered === undefined
        ? new Ended(req, at, CLIENT_LEFT, time, false)
        : new Ended(req, at, res.statusCode, time, isTimed);
    recorder.end(ended);
    if (span) endRequest(span, ended);
  });
}

function traced(tracer: Tracer, req: IncomingMessage, epoch: number): Span | null {
  if (MONITORING.test(req.url ?? '')) return null;
  const span = tracer.request(req.headers, epoch);
  if (span) noteSpan(req, span);
  return span;
}
