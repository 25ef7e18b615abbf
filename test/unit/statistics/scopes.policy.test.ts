import { expect, it } from '@jest/globals';
import { type Actor, anonymous, type Capacity } from '../../../src/kernel/call.ts';
import { hiddenScopes, scopesOf } from '../../../src/statistics/scopes.policy.ts';

const actor = (parts: Partial<Actor>): Actor => ({ ...anonymous('test'), ...parts });
const capacities = new Map<string, Capacity>([
  ['a', 'member'],
  ['b', 'editor'],
  ['c', 'admin'],
]);

it('visitors count public objects only', () => {
  expect(hiddenScopes(actor({}))).toEqual([]);
  expect(scopesOf(actor({}))).toEqual(['public']);
});

it('users count what they created, and what their organizations show to their capacity', () => {
  expect(scopesOf(actor({ userId: 'u' }))).toEqual(['public', 'creator:u']);
  const scopes = ['member:a', 'member:b', 'editor:b', 'member:c', 'editor:c', 'creator:u'];
  expect(hiddenScopes(actor({ userId: 'u', capacities }))).toEqual(scopes);
});

it('sysadmins count everything in two scopes', () => {
  expect(scopesOf(actor({ userId: 'u', sysadmin: true, capacities }))).toEqual(['public', 'hidden']);
});
