/** Export of spans: memory is bounded, and no collector can block the server. */
import http, { type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { Description, Span, Trace } from '../../../src/kernel/trace.ts';
import { BUFFER_BYTES, createExporter } from '../../../src/tracing/exporter.ts';
import { until } from '../../helpers/until.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function createSink(answer: (res: ServerResponse) => void) {
  const sizes: number[] = [];
  const server = http.createServer((req, res) => {
    let size = 0;
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
    });
    req.on('end', () => {
      sizes.push(size);
      answer(res);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { sizes, url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`) };
}

function exporterFor(url: URL) {
  const counts = { sent: 0, dropped: 0, limited: 0 };
  const exporter = createExporter({
    url,
    headers: {},
    resource: { 'service.name': 'test' },
    scope: 'test',
    meter: {
      add(_name, [result], by = 1) {
        counts[result as keyof typeof counts] += by;
      },
      observe() {},
    },
    log: pino({ level: 'silent' }),
    times: { interval: 20, timeout: 200, pause: 50, last: 300 },
  });
  return { counts, exporter };
}

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');
/** Bytes of buffers in use, after garbage collection. */
function bytesInUse(): number {
  collect();
  return process.memoryUsage().arrayBuffers;
}

const DESCRIPTION = new Description('statement', 'client', { 'db.system.name': 'postgresql' });
let next = 1;
const newTrace = (sink: ConstructorParameters<typeof Trace>[2]) =>
  new Trace([1, 2, 3, 4], () => next++, sink, { state: '', epoch: performance.timeOrigin });

describe('a collector', () => {
  const FAULTS: Record<string, (res: ServerResponse) => void> = {
    'that never answers': () => {},
    'that hangs in its answer': (res) => void res.writeHead(200).write('a'),
    'that answers without end': (res) => {
      res.writeHead(200);
      const timer = setInterval(() => res.write('a'.repeat(10_000)), 1);
      res.on('close', () => clearInterval(timer));
    },
    'that refuses': (res) => void res.writeHead(500).end('no'),
    'that redirects': (res) => void res.writeHead(307, { location: 'http://127.0.0.1:9/' }).end(),
    'that closes the connection': (res) => void res.destroy(),
  };
  for (const [name, answer] of Object.entries(FAULTS))
    it(`${name} gets bounded requests, and every span is counted once`, async () => {
      const { sizes, url } = await createSink(answer);
      const { counts, exporter } = exporterFor(url);
      const spans = 80_000;
      const before = bytesInUse();
      for (let n = 0; n < spans; n++) {
        new Span(newTrace(exporter), 0, 0, DESCRIPTION).end();
        if (n % 20_000 === 0) await new Promise((resolve) => setTimeout(resolve, 30));
      }
      expect(bytesInUse() - before).toBeLessThan(6 * BUFFER_BYTES);
      await until(() => sizes.length > 0);
      const start = performance.now();
      await exporter.close();
      expect(performance.now() - start).toBeLessThan(5_000);
      await until(() => counts.sent + counts.dropped === spans);
      for (const size of sizes) expect(size).toBeLessThan(BUFFER_BYTES + 1_000);
      if (name !== 'that answers without end') expect(counts.sent).toBe(0);
    });

  const BROKEN: readonly (readonly [string, number, (res: ServerResponse) => void])[] = [
    ['closes each connection without an answer', 2, (res) => void res.destroy()],
    ['breaks off its answer', 1, (res) => void res.writeHead(500).write('a', () => res.destroy())],
  ];
  for (const [name, requests, answer] of BROKEN)
    it(`that ${name} gets the spans in ${requests} requests`, async () => {
      const { sizes, url } = await createSink(answer);
      const { counts, exporter } = exporterFor(url);
      ends.push(() => exporter.close());
      new Span(newTrace(exporter), 0, 0, DESCRIPTION).end();
      await until(() => counts.dropped === 1);
      expect(sizes).toHaveLength(requests);
    });

  it('that closes an idle connection at the moment of a request loses no span', async () => {
    const used = new WeakSet<object>();
    const { sizes, url } = await createSink((res) => {
      const socket = res.socket!;
      if (used.has(socket)) return void socket.destroy();
      used.add(socket);
      res.writeHead(200).end();
    });
    const { counts, exporter } = exporterFor(url);
    ends.push(() => exporter.close());
    for (let sent = 1; sent <= 3; sent++) {
      new Span(newTrace(exporter), 0, 0, DESCRIPTION).end();
      await until(() => counts.sent + counts.dropped === sent);
    }
    expect(counts).toEqual({ sent: 3, dropped: 0, limited: 0 });
    expect(sizes.length).toBeGreaterThan(3); // at least one request was retried
  });

  it('that recovers gets spans again', async () => {
    let isDown = true;
    const { url } = await createSink((res) => void res.writeHead(isDown ? 503 : 200).end());
    const { counts, exporter } = exporterFor(url);
    ends.push(() => exporter.close());
    new Span(newTrace(exporter), 0, 0, DESCRIPTION).end();
    await until(() => counts.dropped === 1);
    isDown = false;
    new Span(newTrace(exporter), 0, 0, DESCRIPTION).end();
    await until(() => counts.sent === 1);
  });

  it('gets the longest possible span', async () => {
    const { sizes, url } = await createSink((res) => void res.writeHead(200).end());
    const { counts, exporter } = exporterFor(url);
    ends.push(() => exporter.close());
    const long = 'x'.repeat(100_000);
    const attributes = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`${long}${n}`, long]));
    const span = new Span(
      new Trace([1, 2, 3, 4], () => 1, exporter, { state: 'a=b', epoch: 0 }),
      1,
      2,
      new Description(long, 'client', attributes),
    );
    span.links = Array.from({ length: 32 }, () => ({
      traceId: [1, 2, 3, 4],
      high: 5,
      low: 6,
      isSampled: true,
    }));
    span.end(true);
    await until(() => counts.sent === 1);
    expect(sizes[0]).toBeLessThan(20_000);
  });
});
