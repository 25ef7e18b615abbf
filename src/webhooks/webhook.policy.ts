/** Who sees and changes webhooks. Pure: facts in, a reason or null (allowed) out. What a webhook tells is the feed's policy, asked for its owner. */

import type { Actor } from '../kernel/call.ts';
import { notAllowedTo } from '../kernel/errors.ts';

/** Who may have webhooks at all. A narrow token may not: a webhook outlives it, and tells all that its user may read. */
export function mayUseWebhooks(actor: Actor): string | null {
  if (actor.limitedTo) return 'only a token with the scope admin may see or change webhooks';
  return actor.userId === null && !actor.sysadmin ? 'Have to be logged in to use webhooks' : null;
}

/** The owner and system administrators. */
export const mayManageWebhook = (actor: Actor, ownerId: string): string | null =>
  mayUseWebhooks(actor) ??
  (actor.sysadmin || actor.userId === ownerId ? null : notAllowedTo(actor, 'see or change webhooks of user'));

/** Users and system administrators alike must be somebody: a webhook has an owner. */
export const mayCreateWebhook = (actor: Actor): string | null =>
  mayUseWebhooks(actor) ?? (actor.userId === null ? 'Have to be logged in to create a webhook' : null);
