/**
 * Policies of webhooks. Pure: facts in, a reason or null (allowed) out. The feed's policy, applied to the owner,
 * decides on the changes in messages.
 */

import type { Actor } from '../kernel/call.ts';
import { notAllowedTo } from '../kernel/errors.ts';

/** Users who may have webhooks. A token with a narrow scope may not: a webhook outlives it, and sends everything that its user may read. */
export function mayUseWebhooks(actor: Actor): string | null {
  if (actor.limitedTo) return 'only a token with the scope ADMIN may see or change webhooks';
  return actor.userId === null && !actor.sysadmin ? 'You must be logged in to use webhooks' : null;
}

/** The owner and sysadmins. */
export const mayManageWebhook = (actor: Actor, ownerId: string): string | null =>
  mayUseWebhooks(actor) ??
  (actor.sysadmin || actor.userId === ownerId ? null : notAllowedTo(actor, 'see or change webhooks of user'));

/** Every signed-in user, because a webhook has an owner. */
export const mayCreateWebhook = (actor: Actor): string | null =>
  mayUseWebhooks(actor) ?? (actor.userId === null ? 'You must be logged in to create a webhook' : null);
