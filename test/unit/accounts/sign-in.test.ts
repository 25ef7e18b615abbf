/** Policies and rules for sign-in, tokens and the counting of attempts. */
import { describe, expect, it } from '@jest/globals';
import { accountKey, maxAttempts, tooOften } from '../../../src/accounts/attempt/attempt.rules.ts';
import { mayChangePassword } from '../../../src/accounts/recovery/recovery.policy.ts';
import { mayEndSessions, mayRegister } from '../../../src/accounts/session/session.policy.ts';
import { mayManageTokens } from '../../../src/accounts/token/token.policy.ts';
import { checkToken, MAX_TOKENS } from '../../../src/accounts/token/token.rules.ts';
import {
  mayChangeAccounts,
  mayUpdateUser,
  mustProvePassword,
  seesAccount,
} from '../../../src/accounts/user/user.policy.ts';
import { nameFromEmail } from '../../../src/accounts/user/user.rules.ts';
import { type Actor, anonymous } from '../../../src/kernel/call.ts';
import { settingsForTests } from '../../../src/kernel/config.ts';

const nobody = anonymous('::1');
const ann: Actor = { ...nobody, userId: 'ann-id', name: 'ann' };
const admin: Actor = { ...nobody, userId: 'admin-id', name: 'admin', sysadmin: true };
const reader: Actor = { ...ann, limitedTo: 'read' };
const writer: Actor = { ...ann, limitedTo: 'write' };
const visitor: Actor = { ...ann, sessionId: 's' };

describe('policy', () => {
  it('denies narrow-scope tokens access to their own account', () => {
    for (const actor of [reader, writer]) {
      expect(seesAccount(actor, 'ann-id')).toBe(false);
      expect(mayChangeAccounts(actor)).toContain('scope ADMIN');
      expect(mayUpdateUser(actor, 'ann-id', 'ann')).toContain('scope ADMIN');
      expect(mayChangePassword(actor)).toContain('scope ADMIN');
      expect(mayManageTokens(actor, 'ann-id')).toContain('scope ADMIN');
      expect(mayEndSessions(actor)).not.toBeNull();
    }
    expect([seesAccount(ann, 'ann-id'), mayUpdateUser(ann, 'ann-id', 'ann'), mayChangePassword(ann)]).toEqual([
      true,
      null,
      null,
    ]);
  });

  it('lets only the user and system administrators manage tokens', () => {
    expect([mayManageTokens(ann, 'ann-id'), mayManageTokens(admin, 'ann-id')]).toEqual([null, null]);
    expect(mayManageTokens(ann, 'admin-id')).toContain('not authorized');
    expect(mayManageTokens(nobody, 'ann-id')).toContain('not authorized');
  });

  it('requires the current password from cookie-authenticated users, only for their own account', () => {
    expect([mustProvePassword(visitor, 'ann-id'), mustProvePassword(ann, 'ann-id')]).toEqual([true, false]);
    expect(mustProvePassword({ ...admin, sessionId: 's' }, 'ann-id')).toBe(false);
  });

  it('allows registration by setting, and lets signed-in users end their sessions', () => {
    expect(mayRegister(settingsForTests())).toBeNull();
    expect(mayRegister(settingsForTests({ 'catalog.auth.create_user_via_web': false }))).not.toBeNull();
    expect([mayEndSessions(visitor), mayEndSessions(ann)]).toEqual([null, null]);
    expect([mayEndSessions(nobody), mayChangePassword(nobody)]).not.toContain(null);
  });
});

describe('attempt counting', () => {
  it('counts spellings of one account name together', () => {
    expect(new Set([' Ann ', 'ann', 'ANN', 'ａｎｎ'].map(accountKey))).toEqual(new Set(['ann']));
    expect(accountKey('x'.repeat(5_000))).toHaveLength(300);
  });

  it('allows 3 reset mails per account, and the configured number of attempts otherwise', () => {
    const settings = settingsForTests({ 'catalog.auth.login_attempts': 7 });
    expect(maxAttempts('reset', ['account', 'ann'], settings)).toBe(3);
    expect(maxAttempts('reset', ['address', '::1'], settings)).toBe(7);
    expect(maxAttempts('password', ['account', 'ann'], settings)).toBe(7);
    expect([tooOften(1), tooOften(900)]).toEqual([
      expect.stringContaining('1 second '),
      expect.stringContaining('15 minutes'),
    ]);
  });
});

describe('rules', () => {
  it('report all problems of a token at once', () => {
    expect(checkToken({ name: 'script', expiresIn: null }, MAX_TOKENS - 1)).toEqual([]);
    expect(checkToken({ name: ' ', expiresIn: 0 }, MAX_TOKENS).map(({ path }) => path)).toEqual([
      ['name'],
      ['expiresIn'],
      [],
    ]);
  });

  it.each([
    ['Jo.Doe+x@example.org', 'jo-doe-x-7'],
    ['@', 'user-7'],
    ['ÄÖ@x', 'user-7'],
    [`${'a'.repeat(200)}@x`, `${'a'.repeat(90)}-7`],
    ['under_score', 'under_score-7'],
  ])('turn %s into the name %s', (email, name) => {
    expect(nameFromEmail(email, 7)).toBe(name);
  });
});
