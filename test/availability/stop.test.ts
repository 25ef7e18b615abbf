/** Shutdown of a server: requests in progress, closed connections and duration. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import WebSocket from 'ws';
import { createDatabase, type TestDatabase } from '../helpers/database.ts';
import { childrenOf, signal } from '../helpers/processes.ts';
import { startServer, type TestServer } from '../helpers/server.ts';
import { until } from '../helpers/until.ts';

let database: TestDatabase;
let dataDir: string;
let server: TestServer;
let key: string | undefined;

beforeAll(async () => {
  database = await createDatabase();
  dataDir = mkdtempSync(join(tmpdir(), 'catalog-stop-'));
});

beforeEach(async () => {
  server = await startServer(
    { CATALOG__DATABASE_URL: database.url, CATALOG__DATA_DIR: dataDir, CATALOG__LOG_LEVEL: 'info' },
    key ? { key } : {},
  );
  key = server.key;
});

afterAll(async () => {
  await server?.stop('SIGKILL');
  await database.end();
  rmSync(dataDir, { recursive: true, force: true });
});

/** ms from the signal to the exit of the process. */
async function timeToStop(): Promise<number> {
  const began = performance.now();
  await server.stop();
  return performance.now() - began;
}

const portOf = () => Number(new URL(server.base).port);

async function socket(): Promise<Socket> {
  const made = connect(portOf(), '127.0.0.1');
  await once(made, 'connect');
  return made;
}

it('stops quickly with idle and unused connections', async () => {
  const sockets = await Promise.all(Array.from({ length: 20 }, socket));
  for (const used of sockets.slice(0, 10)) {
    used.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const [chunk] = await once(used, 'data');
    expect(String(chunk)).toContain('200 OK');
  }
  sockets.push(...(await Promise.all(Array.from({ length: 200 }, socket)))); // most are not accepted yet
  const ended = Promise.all(sockets.map((one) => once(one.resume(), 'end'))); // closed, not reset
  expect(await timeToStop()).toBeLessThan(10_000); // 5 s, and a margin for a busy machine
  await ended;
  expect(server.process.exitCode).toBe(0);
});

it('ends streams and long polls so that their clients reconnect', async () => {
  const headers = { accept: 'text/event-stream' };
  const events = await fetch(`${server.base}/changes`, { headers });
  const graph = await fetch(`${server.base}/graphql`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'subscription { changes { cursor } }' }),
  });
  expect([events.status, graph.status]).toEqual([200, 200]);
  const peer = new WebSocket(`${server.base.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  await once(peer, 'open');
  peer.send(JSON.stringify({ type: 'connection_init' }));
  await once(peer, 'message');
  peer.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query: 'subscription { changes { cursor } }' } }));
  const { next } = (await lastLine(await fetch(`${server.base}/changes`))) as { next: string };
  const waiting = fetch(`${server.base}/changes?wait=30&after=${encodeURIComponent(next)}`);
  await until(async () => (await fetch(`${server.base}/livez`)).ok);
  const closed = once(peer, 'close');
  const whole = Promise.all([events.text(), graph.text()]);
  expect(await timeToStop()).toBeLessThan(10_000);
  expect((await closed)[0]).toBe(1012);
  expect((await whole).every((text) => text.length > 0)).toBe(true);
  expect([200, 503]).toContain((await waiting).status);
  expect(server.process.exitCode).toBe(0);
});

const lastLine = async (answer: Response) => JSON.parse((await answer.text()).trim().split('\n').at(-1)!);

it('answers an upload in progress, and refuses new connections', () =>
  // Sends the signal twice, because a terminal and npm both send it.
  stopDuringUpload(() => [1, 2].map(() => server.process.kill('SIGTERM'))));

it('also ends worker processes when a terminal sends the signal to all of them', async () => {
  await server.stop();
  server = await startServer(
    { CATALOG__DATABASE_URL: database.url, CATALOG__DATA_DIR: dataDir, CATALOG__LOG_LEVEL: 'info' },
    { key: key!, args: ['--workers', '2'] },
  );
  await stopDuringUpload(() => {
    signal([...childrenOf(server.process.pid!), server.process.pid!], 'SIGINT');
  });
});

async function stopDuringUpload(stop: () => void): Promise<void> {
  const { id: dataset } = await server.call('package_create', { name: `uploads-${Date.now()}` });
  const request = http.request(`${server.base}/api/3/action/resource_create`, {
    method: 'POST',
    headers: { authorization: key!, 'content-type': 'multipart/form-data; boundary=x' },
  });
  const part = (name: string, value: string) =>
    `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  request.write(part('package_id', dataset) + part('name', 'slow'));
  request.write('--x\r\nContent-Disposition: form-data; name="upload"; filename="a.bin"\r\n\r\nfirst half, ');
  const answered = once(request, 'response');
  await until(async () => (await fetch(`${server.base}/livez`)).ok);
  stop();
  const refused = await until(() =>
    socket().then(
      (made) => {
        made.destroy();
        return null;
      },
      (failure: NodeJS.ErrnoException) => failure.code,
    ),
  );
  expect(refused).toBe('ECONNREFUSED');
  request.end('second half\r\n--x--\r\n');
  const [response] = (await answered) as [http.IncomingMessage];
  let text = '';
  for await (const chunk of response) text += chunk;
  expect(JSON.parse(text)).toMatchObject({ success: true, result: { url_type: 'upload' } });
  expect(response.headers.connection).toBe('close');
  await until(() => server.process.exitCode !== null);
  expect(server.process.exitCode).toBe(0);
}
