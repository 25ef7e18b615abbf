/** Who may translate terms. Reading translations is open to all. */

import type { Actor } from '../../kernel/call.ts';
import { notAllowedTo } from '../../kernel/errors.ts';

/** Why the actor may not add or change translations; null when they may: sysadmins only. */
export const mayTranslate = (actor: Actor): string | null =>
  actor.sysadmin ? null : notAllowedTo(actor, 'update term_translation table');
