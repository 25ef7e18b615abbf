/** Policies of translations. Everyone may read translations. */

import type { Actor } from '../../kernel/call.ts';
import { notAllowedTo } from '../../kernel/errors.ts';

/** Why the actor may not change translations; null for sysadmins, who may. */
export const mayTranslate = (actor: Actor): string | null =>
  actor.sysadmin ? null : notAllowedTo(actor, 'update term_translation table');
