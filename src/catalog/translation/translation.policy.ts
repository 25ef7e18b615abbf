/** Who may translate terms. Reading translations is open to all. */
import type { Actor } from '../../kernel/call.ts';

/** Why the actor may not add or change translations; null when they may: sysadmins only. */
export const mayTranslate = (actor: Actor): string | null =>
  actor.sysadmin ? null : `User ${actor.name ?? ''} not authorized to update term_translation table`;
