/** Policies of password changes. Pure: facts in, a reason or null (allowed) out. */
import type { Actor } from '../../kernel/call.ts';

/**
 * A link gives access to the account. Therefore only sysadmins, who may set passwords anyway, create one for other
 * users. `userId` is null while the user is unknown. A session changes its own user's password only with the current
 * password, so it is refused here.
 */
export const mayMakePasswordLink = (actor: Actor, userId: string | null = null): string | null =>
  !actor.sysadmin
    ? 'only system administrators may create links for choosing a password'
    : actor.sessionId !== undefined && actor.userId === userId
      ? 'in a session, change your own password with changePassword and the current password'
      : null;

export const mayChangePassword = (actor: Actor): string | null =>
  actor.userId === null
    ? 'You must be logged in to change a password'
    : actor.limitedTo
      ? 'only a token with the scope ADMIN may change accounts'
      : null;
