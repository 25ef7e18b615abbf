/** Policies of related items. Pure: facts in, a reason or null (allowed) out, in the texts that clients know. */
import type { Actor } from '../../kernel/call.ts';

type Reason = string | null;
type Facts = { readonly ownerId: string | null };

const owns = (actor: Actor, { ownerId }: Facts): boolean => actor.userId !== null && actor.userId === ownerId;

/** Every signed-in user; only sysadmins feature items. */
export function mayCreateRelated(actor: Actor, featured: boolean): Reason {
  if (actor.sysadmin) return null;
  if (actor.userId === null) return 'You must be logged in to add a related item';
  return featured ? 'You must be a sysadmin to create a featured related item' : null;
}

/** Its owner and sysadmins. */
export const mayUpdateRelated = (actor: Actor, item: Facts): Reason =>
  actor.sysadmin || owns(actor, item) ? null : 'Only the owner can update a related item';

/** Featuring an item, or ending it. */
export const mayFeatureRelated = (actor: Actor): Reason =>
  actor.sysadmin ? null : "You must be a sysadmin to change a related item's featured field.";

/** Its owner, sysadmins, and users who may change its dataset. */
export const mayDeleteRelated = (actor: Actor, item: Facts, changesDataset: boolean): Reason =>
  actor.sysadmin || owns(actor, item) || (changesDataset && actor.userId !== null)
    ? null
    : 'Only the owner can delete a related item';
