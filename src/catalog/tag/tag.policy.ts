/** Policies of controlled tags. Everyone may read tags. */
import type { Actor } from '../../kernel/call.ts';

/** Why the actor may not change the tags of vocabularies; null for sysadmins, who may. */
export const mayChangeTags = (actor: Actor): string | null =>
  actor.sysadmin ? null : 'only system administrators may change tags of vocabularies';
