/** Who may change a password. Pure: facts in, a reason or null (allowed) out. */
import type { Actor } from '../../kernel/call.ts';

/**
 * Whoever has the link has the account: only system administrators, who may set passwords anyway, may make one for somebody. `userId` is
 * null as long as nobody knows whom it is for. A session changes its own user's password with the current one only, so it is refused here.
 */
export const mayMakePasswordLink = (actor: Actor, userId: string | null = null): string | null =>
  !actor.sysadmin
    ? 'only system administrators may create links for choosing a password'
    : actor.sessionId !== undefined && actor.userId === userId
      ? 'in a session, change your own password with changePassword and the current password'
      : null;

export const mayChangePassword = (actor: Actor): string | null =>
  actor.userId === null
    ? 'Have to be logged in to change a password'
    : actor.limitedTo
      ? 'only a token with the scope admin may change accounts'
      : null;
