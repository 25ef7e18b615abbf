/** Policies of tokens. Pure: facts in, a reason or null (allowed) out. */

import type { Actor } from '../../kernel/call.ts';
import { notAllowedTo } from '../../kernel/errors.ts';

/** Whether the caller must repeat their password: a token outlives the session that requests it, and may have more rights. */
export const mustProvePasswordForToken = (actor: Actor): boolean => actor.sessionId !== undefined;

/** The user and sysadmins. A token needs the scope `ADMIN`, because it could otherwise create one with more rights. */
export const mayManageTokens = (actor: Actor, userId: string): string | null =>
  actor.limitedTo
    ? 'only a token with the scope ADMIN may see or change tokens'
    : actor.sysadmin || (actor.userId !== null && actor.userId === userId)
      ? null
      : notAllowedTo(actor, 'see or change the tokens of user');
