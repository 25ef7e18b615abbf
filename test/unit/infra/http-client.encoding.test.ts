/** Unknown content encodings of other servers must not end this process. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import { request } from '../../../src/infra/http/client.ts';

it.each(['constructor', 'toString', '__proto__', 'unheard-of', ''])(
  'reads a response with the content encoding "%s" unchanged',
  async (encoding) => {
    const server = createServer((_req, res) => res.writeHead(200, { 'content-encoding': encoding }).end('plain'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      const { body } = await request(url, {
        mayReachPrivate: true,
        timeout: 10_000,
        signal: AbortSignal.timeout(20_000),
      });
      expect(await text(body)).toBe('plain');
    } finally {
      server.closeAllConnections();
      server.close();
    }
  },
);
