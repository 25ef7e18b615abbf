/** Who sees, makes and revokes tokens. Pure: facts in, a reason or null (allowed) out. */

import type { Actor } from '../../kernel/call.ts';
import { notAllowedTo } from '../../kernel/errors.ts';

/** Whether the caller must say their password again: a token outlives the session by which all others are known, and may do more. */
export const mustProvePasswordForToken = (actor: Actor): boolean => actor.sessionId !== undefined;

/** The user and system administrators; a token only with the scope `admin`, or it could make one that does more. */
export const mayManageTokens = (actor: Actor, userId: string): string | null =>
  actor.limitedTo
    ? 'only a token with the scope admin may see or change tokens'
    : actor.sysadmin || (actor.userId !== null && actor.userId === userId)
      ? null
      : notAllowedTo(actor, 'see or change the tokens of user');
