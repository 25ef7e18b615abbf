/** Misbehaving HTTP servers, over real connections. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from '@jest/globals';
import { request } from '../../../src/infra/http/client.ts';

it.each([
  ['would speak another protocol', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'],
  ['closes the connection', ''],
])('rejects the request to a server that %s', async (_what, answer) => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => (answer === '' ? socket.end() : socket.write(answer)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const signal = new AbortController().signal;
  const asked = request(url, { method: 'POST', body: '{}', signal, mayReachPrivate: true, timeout: 60_000 });
  await expect(asked).rejects.toThrow();
  await new Promise((resolve) => server.close(resolve));
});
