/** Policies of activity streams. Reading a stream requires reading its object; the store checks each activity's own object. */

import type { Actor } from '../../kernel/call.ts';
import { notAllowedTo } from '../../kernel/errors.ts';

type Reason = string | null;

/** Only the operator's programs write activities that are not changes. */
export const mayNoteActivity = (actor: Actor): Reason =>
  actor.sysadmin ? null : notAllowedTo(actor, 'create activities');

/** Only the user reads their dashboard. `requested` is an id or name; null means the caller. */
export function mayReadDashboard(actor: Actor, requested: string | null): Reason {
  if (actor.userId === null) return 'You must be logged in to access your dashboard.';
  return requested === null || requested === actor.userId || requested === actor.name
    ? null
    : 'You may only access your own dashboard.';
}
