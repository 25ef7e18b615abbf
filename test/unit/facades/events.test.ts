/** Event streams for disconnected readers, with a real server and real connections. */
import { once } from 'node:events';
import http from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it } from '@jest/globals';
import { sendEvents, sharedTexts } from '../../../facades/shared/events.ts';

it('ends at once if the reader disconnected before the first event', async () => {
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

it('creates short texts once for all readers, and long ones piece by piece', () => {
  let made = 0;
  const textsOf = sharedTexts<number>((length) => {
    made += 1;
    return 'x'.repeat(length);
  });
  const short = [1, 2, 3];
  const [first] = textsOf(short, 0);
  expect([...textsOf(short, 0)]).toEqual([first]);
  expect(String([...textsOf(short, 2)])).toBe('xxx');
  expect(made).toBe(4);
  const long = [2_000_000, 2_000_000, 5];
  const reading = textsOf(long, 0);
  made = 0;
  expect(reading.next().value).toHaveLength(2_000_000);
  expect(made).toBe(1); // the others wait until the reader has taken it
  expect([...reading].map(({ length }) => length)).toEqual([2_000_000, 5]);
});
