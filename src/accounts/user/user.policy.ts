/** Who may do what with users. Pure: facts in, a reason or null (allowed) out. */

import type { Actor } from '../../kernel/call.ts';
import type { Settings } from '../../kernel/config.ts';
import { notAllowedTo } from '../../kernel/errors.ts';

type Reason = string | null;

const NARROW_TOKEN = 'only a token with the scope admin may change accounts';

const isSelf = (actor: Actor, userId: string): boolean => actor.userId !== null && actor.userId === userId;

/** System administrators; anybody where catalog.auth.create_user_via_api is set. */
export const mayCreateUser = (actor: Actor, settings: Settings): Reason =>
  actor.sysadmin || settings['catalog.auth.create_user_via_api']
    ? null
    : notAllowedTo(actor, 'create users via the API');

/** Whether the caller may change any user at all; asked before anybody learns whether a user exists. */
export const mayChangeAccounts = (actor: Actor): Reason =>
  actor.limitedTo ? NARROW_TOKEN : actor.sysadmin || actor.userId !== null ? null : 'Have to be logged in to edit user';

/** The user and system administrators. The same for a new API key. `sent` is the user as the caller named them. */
export const mayUpdateUser = (actor: Actor, userId: string, sent: string): Reason =>
  actor.limitedTo
    ? NARROW_TOKEN
    : actor.sysadmin || isSelf(actor, userId)
      ? null
      : notAllowedTo(actor, `edit user ${sent}`);

export const mayDeleteUser = (actor: Actor): Reason =>
  actor.sysadmin ? null : 'only system administrators may delete users';

export const mayActAsSite = (actor: Actor): Reason =>
  actor.sysadmin ? null : 'only system administrators may act as the site';

/** Whether the caller sees e-mail address and API key, in lists too. A narrow token must not lead to the key, which is not. */
export const seesAccount = (actor: Actor, userId: string): boolean =>
  actor.sysadmin || (isSelf(actor, userId) && actor.limitedTo === undefined);

/** Whether a new password needs the old one: where all that is known of the caller is a cookie. */
export const mustProvePassword = (actor: Actor, userId: string): boolean =>
  actor.sessionId !== undefined && isSelf(actor, userId);

/** Whether ids, keys, states and the sysadmin flag are the caller's to set. */
export const setsPrivileges = (actor: Actor): boolean => actor.sysadmin;

/** The operator at the command line is nobody's account, and makes users without e-mail address and password. */
export const mayLeaveOutCredentials = (actor: Actor): boolean => actor.sysadmin && actor.userId === null;

/** Whose datasets are counted with private ones and drafts: null stands for everybody's. */
export const countsEverythingOf = (actor: Actor): readonly string[] | null =>
  actor.sysadmin ? null : actor.userId === null ? [] : [actor.userId];
