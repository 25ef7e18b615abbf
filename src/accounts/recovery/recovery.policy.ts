/** Who may change a password. Pure: facts in, a reason or null (allowed) out. */
import type { Actor } from '../../kernel/call.ts';

/** Whoever has the link has the account: only system administrators, who may set passwords anyway, may make one for somebody. */
export const mayMakePasswordLink = (actor: Actor): string | null =>
  actor.sysadmin ? null : 'only system administrators may make links to choose a password';

export const mayChangePassword = (actor: Actor): string | null =>
  actor.userId === null
    ? 'Have to be logged in to change a password'
    : actor.limitedTo
      ? 'only a token with the scope admin may change accounts'
      : null;
