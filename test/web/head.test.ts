/** Requests with duplicate headers, over a raw connection, since client libraries refuse to send them. */
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.end());

/** The status line and the whole response. The connection must end. */
function raw(lines: readonly string[], body = ''): Promise<{ status: string; text: string }> {
  return new Promise((resolve, reject) => {
    const connection = connect(Number(new URL(world.base).port), '127.0.0.1');
    let text = '';
    connection.on('data', (chunk) => {
      text += chunk;
    });
    connection.once('error', reject);
    connection.once('close', () => resolve({ status: text.split('\r\n', 1)[0]!, text }));
    connection.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
  });
}
const get = (path: string, ...headers: string[]) => raw([`GET ${path} HTTP/1.1`, 'Connection: close', ...headers]);
const BAD = 'HTTP/1.1 400 Bad Request';
const PATHS = [
  '/',
  '/api/3/action/site_read',
  '/api/2/rest/tag',
  '/graphql?query={site{title}}',
  '/catalog.ttl',
  '/changes',
];

it.each(PATHS)('two Host headers are refused: %s', async (path) => {
  for (const second of ['Host: evil.test', 'host: catalog.test', 'HOST:']) {
    const { status, text } = await get(path, 'Host: catalog.test', second);
    expect([status, text]).toEqual([BAD, expect.stringContaining('more than one Host header')]);
  }
  expect((await get(path, 'Host: catalog.test')).status).toBe('HTTP/1.1 200 OK');
});

it('two Host headers are refused in upgrade requests', async () => {
  const upgrade = [
    'GET /graphql HTTP/1.1',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
    'Sec-WebSocket-Protocol: graphql-transport-ws',
  ];
  const { status, text } = await raw([...upgrade, 'Host: catalog.test', 'Host: evil.test']);
  expect([status, text]).toEqual([BAD, expect.stringContaining('more than one Host header')]);
  const h2c = ['GET / HTTP/1.1', 'Connection: Upgrade', 'Upgrade: h2c', 'Host: a.test', 'Host: b.test'];
  expect((await raw(h2c)).status).toBe(BAD);
});

it('a request without a Host header, or with two lengths, is refused', async () => {
  expect((await get('/')).status).toBe(BAD);
  const post = ['POST /api/3/action/site_read HTTP/1.1', 'Host: a.test', 'Connection: close'];
  expect((await raw([...post, 'Content-Length: 2', 'Content-Length: 3'], '{}')).status).toBe(BAD);
  expect((await raw([...post, 'Content-Length: 2', 'Transfer-Encoding: chunked'], '{}')).status).toBe(BAD);
});

it('two different keys are refused, a repeated key is accepted', async () => {
  const path = '/api/3/action/site_read';
  const host = 'Host: catalog.test';
  const twice = await get(path, host, 'Authorization: one', 'authorization: two');
  expect([twice.status, twice.text]).toEqual([BAD, expect.stringContaining('different Authorization headers')]);
  expect((await get(path, host, 'Authorization: one', 'Authorization: one')).status).toBe('HTTP/1.1 200 OK');
});
