import { describe, expect, it } from '@jest/globals';
import { parseExactly } from '../../../src/harvest/ckan/table.ts';
import { retiring } from '../../../src/harvest/run/retire.rules.ts';
import { mayChangeSource, mayManageSource } from '../../../src/harvest/source/source.policy.ts';
import { catalogAddress, checkSource, nameOf } from '../../../src/harvest/source/source.rules.ts';
import { type Actor, anonymous, type Capacity } from '../../../src/kernel/call.ts';

const actor = (more: Partial<Actor>): Actor => ({ ...anonymous('test'), ...more });
const member = (capacity: Capacity) => actor({ userId: 'u', name: 'ann', capacities: new Map([['o', capacity]]) });

it('lets system administrators manage all sources, and admins those of their organization', () => {
  expect(mayManageSource(actor({ sysadmin: true }), null)).toBeNull();
  expect(mayManageSource(member('admin'), 'o')).toBeNull();
  expect(mayManageSource(member('admin'), null)).toMatch('not authorized');
  expect(mayManageSource(member('admin'), 'p')).toMatch('not authorized');
  expect(mayManageSource(member('editor'), 'o')).toMatch('not authorized');
  expect(mayManageSource(anonymous('test'), 'o')).toMatch('not authorized');
});

it('refuses source changes by narrow tokens, because harvesting uses all permissions of the user', () => {
  expect(mayChangeSource(actor({ sysadmin: true }), null)).toBeNull();
  expect(mayChangeSource(member('admin'), 'o')).toBeNull();
  expect(mayChangeSource(member('editor'), 'o')).toMatch('not authorized');
  for (const limitedTo of ['read', 'write'] as const)
    expect(mayChangeSource({ ...member('admin'), limitedTo }, 'o')).toMatch('scope ADMIN');
});

describe('datasets missing at the source', () => {
  it('are retired in small numbers, but never all of them', () => {
    expect(retiring(0, 0, 20)).toBeNull();
    expect(retiring(1, 2, 20)).toBeNull();
    expect(retiring(20, 100, 20)).toBeNull();
    expect(retiring(21, 100, 20)).toMatch('21 of its 100');
    expect(retiring(1, 1, 20)).toMatch('none of its 1');
    expect(retiring(50, 100, 50)).toBeNull();
    expect(retiring(100, 100, 100)).toMatch('none of its 100');
  });
});

describe('a source', () => {
  const good = { name: 'a-b', title: 'A', url: 'https://a.example', every: null, perSecond: null, goneAtMost: null };

  it('is checked for all problems at once', () => {
    expect(checkSource(good)).toEqual([]);
    const bad = { name: 'A', title: '', url: 'ftp://a.example', every: 1, perSecond: 0, goneAtMost: 101 };
    expect(checkSource(bad).map(({ path }) => path[0])).toEqual(['name', 'url', 'every', 'perSecond', 'goneAtMost']);
    expect(checkSource({ ...good, url: 'https://user:password@a.example' })).toMatchObject([{ path: ['url'] }]);
    expect(checkSource({ ...good, url: 'javascript:alert(1)' })).toMatchObject([{ path: ['url'] }]);
  });

  it('is found by its API URL too, and gets its name from the host', () => {
    for (const url of [
      'https://a.example/x',
      'https://a.example/x/',
      'https://a.example/x/api/3/action/package_list?a=b',
    ])
      expect(catalogAddress(url)).toBe('https://a.example/x');
    expect(nameOf('https://Data.Example.org:8080/x')).toBe('data-example-org-8080');
  });

  it('parses long invalid addresses in linear time', () => {
    const text = `${'/'.repeat(400_000)}x`;
    expect(catalogAddress(text)).toBe(text);
    expect(nameOf(`a${'-'.repeat(400_000)}b`)).toMatch(/^a/);
    expect(nameOf(`https://a${'-'.repeat(400_000)}b/`)).toMatch(/^a/);
  });
});

it('reads long JSON numbers as strings, and refuses broken JSON in linear time', () => {
  const text = '{"a": 12345678901234567890, "b": "c \\" 12345678901234567890", "d": [1.5, -0.1234567890123456789]}';
  expect(parseExactly(text)).toEqual({
    a: '12345678901234567890',
    b: 'c " 12345678901234567890',
    d: [1.5, '-0.1234567890123456789'],
  });
  for (const broken of ['"\\', '"a', '\\"', '"\\\n'])
    expect(() => parseExactly(`"${broken.repeat(1_000_001)}`)).toThrow(SyntaxError); // hours if each quote starts a search
});
