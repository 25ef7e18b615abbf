/** Policy of sending digests. */
import type { Actor } from '../../kernel/call.ts';

/** The operator's scheduler sends them. */
export const maySendDigests = (actor: Actor): string | null =>
  actor.sysadmin ? null : 'only system administrators may send e-mails to users';
