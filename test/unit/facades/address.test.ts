import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { addressReader } from '../../../facades/shared/address.ts';

const from = (remoteAddress: string | undefined, forwarded?: string): IncomingMessage =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage;

describe('the address of a request', () => {
  const read = addressReader(['loopback', '10.1.0.0/16', '2001:db8:1::/48']);

  it.each([
    ['203.0.113.9', undefined, '203.0.113.9'],
    ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['127.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['::ffff:127.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['::1', 'made-up, 6.6.6.6, 198.51.100.1, 10.1.2.3', '198.51.100.1'],
    ['10.1.2.3', '198.51.100.1:4711', '198.51.100.1'],
    ['10.1.2.3', '[2001:db8:2::5]:4711', '2001:db8:2::5'],
    ['2001:db8:1::5', '2001:db8:2::5', '2001:db8:2::5'],
    ['10.2.2.3', '198.51.100.1', '10.2.2.3'],
    ['127.0.0.1', undefined, '127.0.0.1'],
    ['127.0.0.1', '', '127.0.0.1'],
    ['127.0.0.1', 'nonsense', '127.0.0.1'],
    ['127.0.0.1', '10.1.0.1, 10.1.0.2', '10.1.0.1'],
    ['fe80::1%eth0', undefined, 'fe80::1'],
    [undefined, '198.51.100.1', 'unknown'],
  ])('of %s for %s is %s', (remote, forwarded, expected) => {
    expect(read(from(remote, forwarded))).toBe(expected);
  });

  it('trusts X-Forwarded-For only from configured proxies', () => {
    expect(addressReader([])(from('127.0.0.1', '198.51.100.1'))).toBe('127.0.0.1');
    expect(addressReader(['private'])(from('192.168.7.1', '198.51.100.1'))).toBe('198.51.100.1');
  });

  it.each(['proxy', '10.0.0.0/33', '10.0.0.0/x', '10.0.0', '::/129'])('refuses the invalid network %s', (network) => {
    expect(() => addressReader([network])).toThrow('catalog.trusted_proxies');
  });
});
