/** Slow readers, with a real server and real connections. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cutSlow } from '../../../facades/action/pace.ts';
import { until } from '../../helpers/until.ts';

const CHUNK = Buffer.alloc(64 * 1024);
const CHUNKS = 2_000;

describe('cutSlow', () => {
  let server: http.Server;
  beforeAll(async () => {
    server = http.createServer((_req, res) => {
      cutSlow(res, { period: 500, least: 1_000 });
      Readable.from(endless()).pipe(res);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  function* endless() {
    for (let n = 0; n < CHUNKS; n += 1) yield CHUNK;
  }
  const ask = async (): Promise<http.IncomingMessage> => {
    const request = http.get({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, agent: false });
    request.on('error', () => {});
    return (await once(request, 'response'))[0];
  };

  it('disconnects a client that reads nothing', async () => {
    const answer = await ask();
    answer.on('error', () => {}); // the server disconnects
    await until(async () => (await connections()) === 0);
    answer.destroy();
  });

  it('sends everything to a client that reads it', async () => {
    let size = 0;
    for await (const chunk of await ask()) size += chunk.length;
    expect(size).toBe(CHUNK.length * CHUNKS);
  });

  const connections = () =>
    new Promise<number>((resolve) => server.getConnections((_failure, found) => resolve(found)));
});
