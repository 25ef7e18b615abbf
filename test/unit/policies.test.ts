/** Policies that depend only on the role of the caller. Policies with more conditions have their own files. */
import { describe, expect, it } from '@jest/globals';
import { maySendDigests } from '../../src/accounts/dashboard/digest.policy.ts';
import { mayMakePasswordLink } from '../../src/accounts/recovery/recovery.policy.ts';
import { mustProvePasswordForToken } from '../../src/accounts/token/token.policy.ts';
import {
  countsEverythingOf,
  mayActAsSite,
  mayCreateUser,
  mayDeleteUser,
  mayLeaveOutCredentials,
  mayListDeletedUsers,
  setsPrivileges,
} from '../../src/accounts/user/user.policy.ts';
import { editsSomewhere, mayChangeInBulk } from '../../src/catalog/dataset/dataset.policy.ts';
import { capacitiesGranting, grants } from '../../src/catalog/group/group.policy.ts';
import { mayChangeTags } from '../../src/catalog/tag/tag.policy.ts';
import { mayChangeVocabularies } from '../../src/catalog/vocabulary/vocabulary.policy.ts';
import { type Actor, anonymous, type Capacity } from '../../src/kernel/call.ts';
import { settingsForTests } from '../../src/kernel/config.ts';

const nobody = anonymous('192.0.2.1');
const signedIn = (name: string, capacity?: Capacity): Actor => ({
  ...nobody,
  userId: `${name}-id`,
  name,
  capacities: new Map(capacity ? [['office', capacity]] : []),
});
const boss: Actor = { ...signedIn('boss'), sysadmin: true };
const CAST = {
  nobody,
  other: signedIn('other'),
  member: signedIn('member', 'member'),
  editor: signedIn('editor', 'editor'),
  orgadmin: signedIn('orgadmin', 'admin'),
  boss,
  'boss on the web': { ...boss, sessionId: 'session' },
  operator: { ...nobody, sysadmin: true },
} satisfies Record<string, Actor>;
type Role = keyof typeof CAST;
const SYSADMINS: readonly Role[] = ['boss', 'boss on the web', 'operator'];
const EVERYBODY = Object.keys(CAST) as Role[];

/** Roles that a policy allows. A policy returns a reason that can be shown, or null. */
function passing(policy: (actor: Actor) => string | null): Role[] {
  return EVERYBODY.filter((role) => {
    const reason = policy(CAST[role]);
    if (reason !== null) expect(reason).toMatch(/\w/);
    return reason === null;
  });
}

const byApi = settingsForTests({ 'catalog.auth.create_user_via_api': true });

describe('roles that may', () => {
  it.each<[string, (actor: Actor) => string | null, readonly Role[]]>([
    ['have e-mails sent', maySendDigests, SYSADMINS],
    ['change tags of vocabularies', mayChangeTags, SYSADMINS],
    ['change vocabularies', mayChangeVocabularies, SYSADMINS],
    ['act as the site', mayActAsSite, SYSADMINS],
    ['delete users', mayDeleteUser, SYSADMINS],
    ['list deleted users', mayListDeletedUsers, SYSADMINS],
    ['create users', (actor) => mayCreateUser(actor, settingsForTests()), SYSADMINS],
    ['create users where the API is open', (actor) => mayCreateUser(actor, byApi), EVERYBODY],
    [
      'change the datasets of their organization',
      (actor) => mayChangeInBulk(actor, 'office'),
      ['orgadmin', ...SYSADMINS],
    ],
    ['change those of another one', (actor) => mayChangeInBulk(actor, 'elsewhere'), SYSADMINS],
    ['change those of none', (actor) => mayChangeInBulk(actor, null), SYSADMINS],
    ['make a link to choose a password', (actor) => mayMakePasswordLink(actor), SYSADMINS],
    ['make one for another user', (actor) => mayMakePasswordLink(actor, 'other-id'), SYSADMINS],
    ['make one for the boss', (actor) => mayMakePasswordLink(actor, 'boss-id'), ['boss', 'operator']],
  ])('%s', (_, policy, expected) => {
    expect(passing(policy)).toEqual(expected);
  });
});

describe('the role', () => {
  it.each<[string, (actor: Actor) => boolean, readonly Role[]]>([
    ['may set ids, keys, states and sysadmin flags', setsPrivileges, SYSADMINS],
    ['may make users without an e-mail address and a password', mayLeaveOutCredentials, ['operator']],
    ['may edit something because of a capacity', editsSomewhere, ['editor', 'orgadmin', ...SYSADMINS]],
    ['must give the password for a new token', mustProvePasswordForToken, ['boss on the web']],
  ])('%s', (_, fact, expected) => {
    expect(EVERYBODY.filter((role) => fact(CAST[role]))).toEqual(expected);
  });
});

it('denies administrator actions to tokens with a narrow scope', () => {
  const narrow: Actor = { ...signedIn('boss'), limitedTo: 'write' };
  for (const policy of [maySendDigests, mayChangeTags, mayChangeVocabularies, mayDeleteUser, mayMakePasswordLink])
    expect(policy(narrow)).not.toBeNull();
});

it('counts all private datasets for system administrators, and only their own for other users', () => {
  expect(EVERYBODY.map((role) => countsEverythingOf(CAST[role]))).toEqual([
    [],
    ['other-id'],
    ['member-id'],
    ['editor-id'],
    ['orgadmin-id'],
    null,
    null,
    null,
  ]);
});

describe('capacitiesGranting', () => {
  it.each([
    ['READ', ['admin', 'editor', 'member']],
    ['MANAGE', ['admin', 'editor', 'member']],
    ['CREATE_DATASET', ['admin', 'editor']],
    ['UPDATE_DATASET', ['admin', 'editor']],
    ['DELETE_DATASET', ['admin', 'editor']],
    ['ADMIN', ['admin']],
  ] as const)('%s: %j', (permission, expected) => {
    expect(capacitiesGranting(permission)).toEqual(expected);
    for (const capacity of ['admin', 'editor', 'member', 'owner', '', null])
      expect(grants(capacity, permission)).toBe((expected as readonly unknown[]).includes(capacity));
  });
});
