/** Who may have e-mails sent. */
import type { Actor } from '../../kernel/call.ts';

/** It is work for a clock of the operator's. */
export const maySendDigests = (actor: Actor): string | null =>
  actor.sysadmin ? null : 'only system administrators may send e-mails to users';
