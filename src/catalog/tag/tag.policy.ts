/** Who may change controlled tags. Reading tags is open to all. */
import type { Actor } from '../../kernel/call.ts';

/** Why the actor may not add tags to vocabularies or take tags away; null when they may: sysadmins only. */
export const mayChangeTags = (actor: Actor): string | null =>
  actor.sysadmin ? null : 'only system administrators may change tags of vocabularies';
