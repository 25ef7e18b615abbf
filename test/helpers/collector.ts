/** A collector of traces: a real server that stores requests, decoded with OpenTelemetry's messages for Python. */
import { spawn } from 'node:child_process';
import http, { type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { installPython } from './python.ts';
import { until } from './until.ts';

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty without a parent. */
  readonly parentId: string;
  readonly state: string;
  readonly name: string;
  /** Such as SPAN_KIND_SERVER. */
  readonly kind: string;
  readonly failed: boolean;
  /** In ms since 1970. */
  readonly start: number;
  readonly end: number;
  readonly attributes: Record<string, string | number>;
  readonly links: readonly { traceId: string; spanId: string }[];
}

/** Reads requests of one line in base64, and prints the request as one line of JSON. */
const PROGRAM = `
import base64, json, sys
from google.protobuf.unknown_fields import UnknownFieldSet
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
def value(v):
    return getattr(v, v.WhichOneof("value"))
def attributes(of):
    return {a.key: value(a.value) for a in of}
for line in sys.stdin:
    request = ExportTraceServiceRequest()
    request.ParseFromString(base64.b64decode(line))
    for r in request.resource_spans:
        for known in [r, r.resource, *r.scope_spans, *(s for c in r.scope_spans for s in c.spans)]:
            assert len(UnknownFieldSet(known)) == 0
    print(json.dumps({
        "resources": [attributes(r.resource.attributes) for r in request.resource_spans],
        "spans": [{
            "traceId": s.trace_id.hex(), "spanId": s.span_id.hex(), "parentId": s.parent_span_id.hex(),
            "state": s.trace_state, "name": s.name, "kind": Span.SpanKind.Name(s.kind), "failed": s.status.code == 2,
            "start": s.start_time_unix_nano / 1e6, "end": s.end_time_unix_nano / 1e6,
            "attributes": attributes(s.attributes),
            "links": [{"traceId": l.trace_id.hex(), "spanId": l.span_id.hex()} for l in s.links],
        } for r in request.resource_spans for c in r.scope_spans for s in c.spans],
    }), flush=True)
`;

export type Collector = Awaited<ReturnType<typeof createCollector>>;

/** `answer` responds to each request; by default with 200. */
export async function createCollector() {
  const bodies: Buffer[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const self = { answer: (res: ServerResponse): void => void res.writeHead(200).end() };
  const server = http.createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      if (req.url === '/v1/traces') {
        bodies.push(Buffer.concat(chunks));
        headers.push(req.headers);
      }
      self.answer(res);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(self, {
    bodies,
    headers,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    end() {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}

/** Decodes the requests that a collector has received. */
export async function createDecoder(collector: Collector) {
  const env = await installPython('opentelemetry-proto', '1.45.2');
  const python = spawn('python', ['-c', PROGRAM], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = new Promise((resolve) => python.on('close', resolve));
  const lines = createInterface({ input: python.stdout })[Symbol.asyncIterator]();
  const spans: ReceivedSpan[] = [];
  const resources: Record<string, string>[] = [];
  let read = 0;

  async function all(): Promise<ReceivedSpan[]> {
    for (; read < collector.bodies.length; read += 1) {
      python.stdin.write(`${collector.bodies[read]!.toString('base64')}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error('not a request of OTLP');
      const decoded = JSON.parse(value);
      spans.push(...decoded.spans);
      resources.push(...decoded.resources);
    }
    return spans;
  }

  return {
    all,
    resources,
    /** The spans of a trace, once its first span has arrived. The first span ends last. */
    trace: (isFirst: (span: ReceivedSpan) => boolean): Promise<{ first: ReceivedSpan; spans: ReceivedSpan[] }> =>
      until(async () => {
        const found = (await all()).find(isFirst);
        return found && { first: found, spans: spans.filter(({ traceId }) => traceId === found.traceId) };
      }),
    async end() {
      python.stdin.end();
      await closed;
    },
  };
}
