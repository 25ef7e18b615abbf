/** Who may change a password. Pure: facts in, a reason or null (allowed) out. */
import type { Actor } from '../../kernel/call.ts';

export const mayChangePassword = (actor: Actor): string | null =>
  actor.userId === null
    ? 'Have to be logged in to change a password'
    : actor.limitedTo
      ? 'only a token with the scope admin may change accounts'
      : null;
