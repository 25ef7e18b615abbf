/** Policies of users. Pure: facts in, a reason or null (allowed) out. */
import type { Actor } from '../../kernel/call.ts';
import { notAllowedTo } from '../../kernel/errors.ts';
import type { Settings } from '../../kernel/settings.ts';

type Reason = string | null;

const NARROW_TOKEN = 'only a token with the scope ADMIN may change accounts';

const isSelf = (actor: Actor, userId: string): boolean => actor.userId !== null && actor.userId === userId;

/** Sysadmins; everyone if catalog.auth.create_user_via_api is set. */
export const mayCreateUser = (actor: Actor, settings: Settings): Reason =>
  actor.sysadmin || settings['catalog.auth.create_user_via_api']
    ? null
    : notAllowedTo(actor, 'create users via the API');

/** Whether the caller may change users at all; checked before an error reveals whether a user exists. */
export const mayChangeAccounts = (actor: Actor): Reason =>
  actor.limitedTo ? NARROW_TOKEN : actor.sysadmin || actor.userId !== null ? null : 'Have to be logged in to edit user';

/** The user and sysadmins, for a new API key too. `sent` is the user's id or name in the request. */
export const mayUpdateUser = (actor: Actor, userId: string, sent: string): Reason =>
  actor.limitedTo
    ? NARROW_TOKEN
    : actor.sysadmin || isSelf(actor, userId)
      ? null
      : notAllowedTo(actor, `edit user ${sent}`);

export const mayDeleteUser = (actor: Actor): Reason =>
  actor.sysadmin ? null : 'only system administrators may delete users';

/** Lists contain active users; only sysadmins list deleted ones. */
export const mayListDeletedUsers = (actor: Actor): Reason =>
  actor.sysadmin ? null : notAllowedTo(actor, 'list deleted users');

export const mayActAsSite = (actor: Actor): Reason =>
  actor.sysadmin ? null : 'only system administrators may act as the site';

/**
 * Whether the caller sees e-mail address and API key, in lists too. A token with a narrow scope must not reveal the
 * key, which has all rights.
 */
export const seesAccount = (actor: Actor, userId: string): boolean =>
  actor.sysadmin || (isSelf(actor, userId) && actor.limitedTo === undefined);

/** Whether a new password requires the old one: if the caller is authenticated only by a cookie. */
export const mustProvePassword = (actor: Actor, userId: string): boolean =>
  actor.sessionId !== undefined && isSelf(actor, userId);

/** Whether the caller may set ids, keys, states and the sysadmin flag. */
export const setsPrivileges = (actor: Actor): boolean => actor.sysadmin;

/** The operator at the command line has no account and may create users without e-mail address and password. */
export const mayLeaveOutCredentials = (actor: Actor): boolean => actor.sysadmin && actor.userId === null;

/** Users whose private datasets and drafts are counted; null means all users. */
export const countsEverythingOf = (actor: Actor): readonly string[] | null =>
  actor.sysadmin ? null : actor.userId === null ? [] : [actor.userId];
