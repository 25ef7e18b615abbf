/** Task statuses as the wire has them. */
import type { ActionTaskStatusFragment } from '../../../src/generated/operations.ts';
import { wireTime } from '../../shared/wire/time.ts';

export const taskDict = ({ last_updated, ...task }: ActionTaskStatusFragment) => ({
  ...task,
  // As recorded: whole seconds are written without a fraction.
  last_updated: last_updated && wireTime(String(last_updated)).replace(/\.0+$/, ''),
});

/** An entry of resource_status_show. What the queue of older versions told (`status`, `date_done`, `traceback`) is never known. */
export const resourceStatus = (task: ActionTaskStatusFragment) => ({
  ...taskDict(task),
  status: null,
  date_done: null,
  traceback: null,
  task_status: taskDict(task),
});
