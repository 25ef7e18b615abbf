/** Converts task statuses to the wire format. */
import type { ActionTaskStatusFragment } from '../../../src/generated/operations.ts';
import { wireTime } from '../../../src/records/form/time.ts';

export const taskDict = ({ last_updated, ...task }: ActionTaskStatusFragment) => ({
  ...task,
  // By the contract, whole seconds have no fraction.
  last_updated: last_updated && wireTime(String(last_updated)).replace(/\.0+$/, ''),
});

/** An entry of resource_status_show. The keys of the former task queue (`status`, `date_done`, `traceback`) are always null. */
export const resourceStatus = (task: ActionTaskStatusFragment) => ({
  ...taskDict(task),
  status: null,
  date_done: null,
  traceback: null,
  task_status: taskDict(task),
});
