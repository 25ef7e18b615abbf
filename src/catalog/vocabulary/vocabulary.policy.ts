/** Policies of vocabularies. Everyone may read them. */
import type { Actor } from '../../kernel/call.ts';

/** Why the actor may not create, change or delete vocabularies; null for sysadmins, who may. */
export const mayChangeVocabularies = (actor: Actor): string | null =>
  actor.sysadmin ? null : 'only system administrators may change vocabularies';
