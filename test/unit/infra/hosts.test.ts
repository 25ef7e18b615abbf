import { describe, expect, it } from '@jest/globals';
import { fits, isAddress, readAddress } from '../../../src/infra/postgres/hosts.ts';

describe('an address with several hosts', () => {
  it.each([
    [
      'postgresql://me:a%40b@one:5433,two/db',
      [
        ['one', 5433],
        ['two', 5432],
      ],
      'any',
      'postgresql://me:a%40b@one:5433/db',
    ],
    [
      'postgres://one,two:6000,[::1]:7000/db?sslmode=disable',
      [
        ['one', 5432],
        ['two', 6000],
        ['::1', 7000],
      ],
      'any',
      'postgres://one:5432/db?sslmode=disable',
    ],
    [
      'postgresql://me@/db?host=one,two&port=1,2&target_session_attrs=read-write',
      [
        ['one', 1],
        ['two', 2],
      ],
      'read-write',
      'postgresql://me@one:1/db',
    ],
    [
      'postgresql://me@localhost/db?host=%2Ftmp%2Fa,%2Ftmp%2Fb&port=5',
      [
        ['/tmp/a', 5],
        ['/tmp/b', 5],
      ],
      'any',
      'postgresql://me@localhost:5/db?host=%2Ftmp%2Fa',
    ],
    ['postgresql://one/db?target_session_attrs=primary', [['one', 5432]], 'primary', 'postgresql://one:5432/db'],
  ] as const)('%s', (text, hosts, target, url) => {
    expect(readAddress(text)).toEqual({ hosts: hosts.map(([host, port]) => ({ host, port })), target, url });
  });

  it('keeps an address with one host unchanged', () => {
    const url = 'postgresql://catalog_owner@localhost:5432/catalog?host=%2Ftmp%2Fdir&sslmode=disable';
    expect(readAddress(url).url).toBe(url);
  });

  it.each([
    'mysql://a/b',
    'postgresql://a:0,b/db',
    'postgresql://a:99999/db',
    'postgresql://a b,c/db',
    'postgresql://a,b/db?target_session_attrs=best',
    'nonsense',
    '',
  ])('refuses %j', (text) => expect(isAddress(text)).toBe(false));
});

it('selects sessions by target_session_attrs', () => {
  const primary = { isStandby: false, isReadOnly: false };
  const standby = { isStandby: true, isReadOnly: true };
  const locked = { isStandby: false, isReadOnly: true };
  const wanted = (target: Parameters<typeof fits>[0]) => [primary, standby, locked].map((state) => fits(target, state));
  expect(wanted('any')).toEqual([true, true, true]);
  expect(wanted('read-write')).toEqual([true, false, false]);
  expect(wanted('read-only')).toEqual([false, true, true]);
  expect(wanted('primary')).toEqual([true, false, true]);
  expect(wanted('standby')).toEqual([false, true, false]);
});
