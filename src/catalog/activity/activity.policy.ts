/** Who may do what with streams. Reading one is reading its object; what is in it is asked of each object by the store. */

import type { Actor } from '../../kernel/call.ts';
import { notAllowedTo } from '../../kernel/errors.ts';

type Reason = string | null;

/** Activities that are no changes are written by programs of the operator. */
export const mayNoteActivity = (actor: Actor): Reason =>
  actor.sysadmin ? null : notAllowedTo(actor, 'create activities');

/** A dashboard is its user's alone. `asked` is an id or name; null stands for the caller's. */
export function mayReadDashboard(actor: Actor, asked: string | null): Reason {
  if (actor.userId === null) return 'You must be logged in to access your dashboard.';
  return asked === null || asked === actor.userId || asked === actor.name
    ? null
    : 'You may only access your own dashboard.';
}
