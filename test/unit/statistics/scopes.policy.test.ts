import { expect, it } from '@jest/globals';
import { type Actor, anonymous, type Capacity } from '../../../src/kernel/call.ts';
import { scopeListOf, scopesOf } from '../../../src/statistics/scopes.policy.ts';

const actor = (parts: Partial<Actor>): Actor => ({ ...anonymous('test'), ...parts });
const capacities = new Map<string, Capacity>([
  ['a', 'member'],
  ['b', 'editor'],
  ['c', 'admin'],
]);

it('visitors count public objects only', () => {
  expect(scopesOf(actor({}))).toEqual({ base: 'public', hidden: [] });
});

it('users also count their own objects, and objects that their capacity in an organization may read', () => {
  expect(scopesOf(actor({ userId: 'u' }))).toEqual({ base: 'public', hidden: ['creator:u'] });
  const hidden = ['member:a', 'member:b', 'editor:b', 'member:c', 'editor:c', 'creator:u'];
  expect(scopesOf(actor({ userId: 'u', capacities }))).toEqual({ base: 'public', hidden });
});

it('sysadmins count everything in one scope', () => {
  expect(scopesOf(actor({ userId: 'u', sysadmin: true, capacities }))).toEqual({ base: 'all', hidden: [] });
});

it('scopes are also one list, the base first', () => {
  expect(scopeListOf(actor({ userId: 'u' }))).toEqual(['public', 'creator:u']);
  expect(scopeListOf(actor({ sysadmin: true }))).toEqual(['all']);
});
