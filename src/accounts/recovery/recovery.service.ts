/**
 * Password changes, with the current password or a mailed key. Requesting a mail does not reveal whether an account
 * exists: the answer is sent before any look-up.
 */

import { isMailAddress } from '../../infra/mail.ts';
import { type Call, inTransaction } from '../../kernel/call.ts';
import { allow, CatalogError, notFound, orNull, refuse } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { byAccount, byAddress, countAttempt, forgiveAttempt } from '../attempt/attempt.service.ts';
import { newSecret, PASSWORD_KEY_PREFIX } from '../identity/secrets.ts';
import { hashPassword } from '../password/password.ts';
import { checkOwnPassword } from '../session/session.service.ts';
import {
  passwordProblems,
  passwordSet,
  type UserRecord,
  userIdsByLogin,
  userNodes,
  userShow,
} from '../user/user.service.ts';
import { resetLink, resetMail } from './recovery.mail.ts';
import { mayChangePassword, mayMakePasswordLink } from './recovery.policy.ts';
import { findPasswordKey, insertPasswordKey, sweepPasswordKeys, usePasswordKey } from './recovery.store.ts';

/** A valid key and its purpose. */
export interface PasswordResetRecord {
  readonly user: UserRecord;
  readonly invitation: boolean;
  readonly expiresAt: Date;
}

/** The backing type of PasswordLink. */
export interface PasswordLinkRecord {
  readonly url: string;
  readonly expiresAt: Date;
}

/** Maximum number of accounts that get a mail for a shared e-mail address. */
const MAX_ACCOUNTS = 5;

/** Mails a key to the accounts with that name or e-mail address. Always true. @throws CatalogError UNAVAILABLE, LIMIT. */
export async function passwordResetRequest(call: Call, { user: login }: { user: string }): Promise<boolean> {
  checkMail(call);
  await countAttempt(call, 'reset', [byAccount(login), byAddress(call)]);
  call.process.background.start('password reset', () => mailKeys(call, login.trim()));
  return true;
}

/** Checks that the site can send mail. @throws CatalogError UNAVAILABLE. */
export function checkMail({ process: { mail } }: Call): void {
  if (mail.available) return;
  throw new CatalogError('UNAVAILABLE', 'This site sends no mail (smtp.server). Contact an administrator.');
}

async function mailKeys(call: Call, login: string): Promise<void> {
  await sweepPasswordKeys(call.db, call.request.now);
  const ids = await userIdsByLogin(call, { login, byId: true, states: ['active', 'pending'] }, MAX_ACCOUNTS);
  const found = (await userNodes(call, ids)).flatMap((user) => user ?? []);
  const meant = found.filter(({ id, name }) => id === login || name === login); // a user name identifies one account
  for (const { id, email, ...names } of meant.length > 0 ? meant : found) {
    if (email === null || !isMailAddress(email)) continue;
    const { url } = await newResetLink(call, id);
    await call.process.mail.offer(resetMail(call.settings, { ...names, email }, url));
  }
}

/** Creates a link for choosing a password, for callers who deliver it themselves. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED. */
export async function passwordLinkCreate(
  call: Call,
  { user: idOrName }: { user: string },
): Promise<PasswordLinkRecord> {
  allow(mayMakePasswordLink(call.actor));
  const user = await orNull(userShow(call, idOrName));
  if (user === null || user.state === 'deleted') throw notFound('no user has this id or name');
  allow(mayMakePasswordLink(call.actor, user.id));
  await sweepPasswordKeys(call.db, call.request.now);
  return newResetLink(call, user.id);
}

/** A link with a new one-time key. */
export async function newResetLink(call: Call, userId: string): Promise<PasswordLinkRecord> {
  const key = newSecret(PASSWORD_KEY_PREFIX);
  const expiresAt = new Date(call.request.now.getTime() + call.settings['catalog.auth.reset_key_lifetime'] * 1_000);
  await insertPasswordKey(call.db, {
    id: newId(),
    userId,
    keyHash: call.secrets.secretBox.hash(key),
    createdAt: call.request.now,
    expiresAt,
  });
  return { url: resetLink(call.settings, userId, key), expiresAt };
}

/** The purpose of a key; null when it is invalid or expired. */
export async function passwordResetOf(call: Call, key: string): Promise<PasswordResetRecord | null> {
  const found = await findPasswordKey(call.db, call.secrets.secretBox.hash(key), call.request.now);
  if (!found) return null;
  const user = await userShow(call, found.userId);
  return { user, invitation: user.state === 'pending', expiresAt: found.expiresAt };
}

/**
 * Sets a password by a mailed key, which becomes invalid. All earlier credentials of the account are revoked
 * (passwordSet). @throws CatalogError NOT_FOUND (key), VALIDATION, LIMIT.
 */
export async function passwordReset(
  call: Call,
  { key, password }: { key: string; password: string },
): Promise<UserRecord> {
  const hash = call.secrets.secretBox.hash(key);
  if (!(await findPasswordKey(call.db, hash, call.request.now))) throw noSuchKey(); // before the expensive hashing
  refuse(passwordProblems(password, 'password'));
  const passwordHash = await hashPassword(call.secrets.argon, password); // it may wait in a queue: not while a transaction is open
  const user = await inTransaction(call, async (call) => {
    const used = await usePasswordKey(call.db, hash, call.request.now);
    if (!used) throw noSuchKey();
    return passwordSet(call, used.userId, passwordHash, true); // another person may have used the account
  });
  // Guessing by others must not lock out the owner.
  const logins = [user.name, user.email].filter((it) => it !== null);
  await forgiveAttempt(call, 'password', logins.map(byAccount));
  return user;
}

/**
 * Sets a password by the current one; ends the caller's other sessions, keeps tokens. @throws CatalogError
 * NOT_AUTHORIZED, VALIDATION, LIMIT.
 */
export async function passwordChange(
  call: Call,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
): Promise<UserRecord> {
  allow(mayChangePassword(call.actor));
  await checkOwnPassword(call, currentPassword);
  refuse(passwordProblems(newPassword, 'newPassword'));
  return passwordSet(call, call.actor.userId!, await hashPassword(call.secrets.argon, newPassword));
}

const noSuchKey = () => notFound('This link is no longer valid. Request a new one.');
