/** Who may change vocabularies. Reading them is open to all. */
import type { Actor } from '../../kernel/call.ts';

/** Why the actor may not make, change or delete vocabularies; null when they may: sysadmins only. */
export const mayChangeVocabularies = (actor: Actor): string | null =>
  actor.sysadmin ? null : 'only system administrators may change vocabularies';
