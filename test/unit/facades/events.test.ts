/** Event streams for readers who have gone, with a real server and real connections. */
import { once } from 'node:events';
import http from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it } from '@jest/globals';
import { sendEvents } from '../../../facades/shared/events.ts';

it('ends at once for a reader who went while the first event was worked out', async () => {
  const server = http.createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => {});
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const [, res] = (await once(server, 'request')) as [http.IncomingMessage, http.ServerResponse];
  client.destroy();
  await once(res, 'close');
  let stops = 0;
  let isAsked = false;
  async function* texts() {
    isAsked = true;
    yield 'data: late\n\n';
  }
  await sendEvents(res, { texts: texts(), beat: () => ':\n\n', stop: () => (stops += 1), end: () => '' });
  expect({ stops, isAsked }).toEqual({ stops: 1, isAsked: false });
  await new Promise((resolve) => server.close(resolve));
});
