/** Options of the site are for system administrators. Pure. */
import type { Actor } from '../../kernel/call.ts';

/** The recorded refusal gives no reason. */
export const mayUseOptions = (actor: Actor): string | null => (actor.sysadmin ? null : '');
