/** Policies of task statuses. Reading follows the entity if it is an object of the catalog. Pure. */

import type { Actor } from '../../kernel/call.ts';
import { notAllowedTo } from '../../kernel/errors.ts';

export const mayWriteTasks = (actor: Actor): string | null =>
  actor.sysadmin ? null : notAllowedTo(actor, 'update task_status table');
