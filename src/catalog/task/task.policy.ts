/** Who writes what jobs say of their work. Reading follows the entity, where it is one of ours. Pure. */

import type { Actor } from '../../kernel/call.ts';
import { notAllowedTo } from '../../kernel/errors.ts';

export const mayWriteTasks = (actor: Actor): string | null =>
  actor.sysadmin ? null : notAllowedTo(actor, 'update task_status table');
