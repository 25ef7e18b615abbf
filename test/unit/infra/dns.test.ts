/** DNS lookups occupy no thread and time out. A real DNS server answers on demand. */
import { createSocket, type RemoteInfo } from 'node:dgram';
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import type { LookupFunction } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { boundedLookup, servedLookup } from '../../../src/infra/http/dns.ts';
import { until } from '../../helpers/until.ts';

const dns = createSocket('udp4');
const questions: { question: Buffer; from: RemoteInfo }[] = [];
const hosts = join(tmpdir(), `hosts-${process.pid}`);
let server: string;
beforeAll(async () => {
  dns.on('message', (question, from) => questions.push({ question, from }));
  dns.bind(0, '127.0.0.1');
  await once(dns, 'listening');
  server = `127.0.0.1:${dns.address().port}`;
  await writeFile(
    hosts,
    '127.0.0.1 localhost\n192.0.2.7  Known.test other.test # here\n::1 six.test b\n# 192.0.2.1 six.test\nnonsense six.test\n',
  );
});
beforeEach(() => {
  questions.length = 0;
});
afterAll(async () => {
  dns.close();
  await rm(hosts);
});

/** Answers an A question with an address, and an AAAA question with none. */
function answer({ question, from }: { question: Buffer; from: RemoteInfo }): void {
  const end = question.indexOf(0, 12) + 5;
  const isOfFour = question.readUInt16BE(end - 4) === 1;
  const head = Buffer.from(question.subarray(0, end));
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(isOfFour ? 1 : 0, 6);
  head.writeUInt32BE(0, 8); // no other sections
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1]);
  dns.send(isOfFour ? Buffer.concat([head, record]) : head, from.port, from.address);
}

const ask = (lookUp: LookupFunction, name: string, options = { all: true }) =>
  new Promise<string | LookupAddress[]>((resolve, reject) =>
    lookUp(name, options, (failure, found) => (failure ? reject(failure) : resolve(found))),
  );

describe('names from untrusted input', () => {
  it('occupy no thread while their servers do not answer', async () => {
    const lookUp = servedLookup({ servers: [server], hosts, timeout: 60_000, tries: 1 });
    const names = Array.from({ length: 32 }, (_, n) => `slow-${n}.test`);
    const asked = names.map((name) => ask(lookUp, name));
    await until(() => questions.length >= 2 * names.length);
    await readFile(hosts); // with a thread for each name this read would never end
    for (const question of questions) answer(question);
    for (const found of await Promise.all(asked)) expect(found).toEqual([{ address: '192.0.2.1', family: 4 }]);
  });

  it('time out when their servers do not answer', async () => {
    const lookUp = servedLookup({ servers: [server], hosts, timeout: 50, tries: 1 });
    await expect(ask(lookUp, 'silent.test')).rejects.toMatchObject({ code: 'ETIMEOUT' });
  });

  it('are looked up in the hosts file first', async () => {
    const lookUp = servedLookup({ servers: [server], hosts });
    expect(await ask(lookUp, 'known.test.')).toEqual([{ address: '192.0.2.7', family: 4 }]);
    expect(await ask(lookUp, 'OTHER.test', { all: false })).toBe('192.0.2.7');
    expect(await ask(lookUp, 'six.test')).toEqual([{ address: '::1', family: 6 }]);
    expect(questions).toEqual([]);
  });
});

it('limits concurrent system lookups, and queues the others', async () => {
  const open: (() => void)[] = [];
  const lookUp = boundedLookup(2, (name, _options, done) => open.push(() => done(null, name)));
  const asked = ['a', 'b', 'c', 'd'].map((name) => ask(lookUp, name));
  expect(open).toHaveLength(2);
  open.shift()!();
  expect(await asked[0]).toBe('a');
  expect(open).toHaveLength(2);
  while (open.length > 0) open.shift()!();
  expect(await Promise.all(asked)).toEqual(['a', 'b', 'c', 'd']);
});
