/** Policy of site options: sysadmins only. Pure. */
import type { Actor } from '../../kernel/call.ts';

/** The recorded refusal gives no reason. */
export const mayUseOptions = (actor: Actor): string | null => (actor.sysadmin ? null : '');
