import {
  ActionResourceStatusShowDocument,
  ActionTaskStatusDeleteDocument,
  ActionTaskStatusShowDocument,
  ActionTaskStatusUpdateDocument,
  ActionTaskStatusUpdateManyDocument,
} from '../../../src/generated/operations.ts';
import { action } from '../define.ts';
import { present, text } from '../params.ts';
import { listOf, NULL, object, ref } from '../schema.ts';
import { taskFields, taskParams, tasks } from './inputs.ts';
import { resourceStatus, taskDict } from './shapes.ts';

const shown =
  'Dictionary: `id`, `entity_id`, `entity_type`, `task_type`, `key`, `value`, `state`, `error` and `last_updated`.';

export const taskActions = {
  task_status_show: action({
    kind: 'read',
    summary: 'Shows the status of a task.',
    returns: shown,
    answers: ref('TaskStatus'),
    document: ActionTaskStatusShowDocument,
    params: {
      id: text('Id of the status. Without it, the other three parameters are required.'),
      entity_id: text('Id of the object of the task.'),
      task_type: text('Type of the task.'),
      key: text('Key of the status within the task.'),
    },
    anyOf: [['id'], ['entity_id', 'task_type', 'key']],
    variables: (p) => ({ id: p.id, entityId: p.entity_id, taskType: p.task_type, key: p.key }),
    result: ({ taskStatus }) => taskDict(taskStatus),
  }),
  resource_status_show: action({
    kind: 'read',
    summary: 'Lists the task statuses of a resource.',
    returns:
      'List of dictionaries: the keys of task_status_show, the same dictionary as `task_status`, and `status`, `date_done` and `traceback`, which are null.',
    answers: listOf(ref('TaskStatus')),
    document: ActionResourceStatusShowDocument,
    params: { id: present(text('Id of the resource.')) },
    variables: (p) => ({ id: p.id }),
    result: ({ taskStatuses }) => taskStatuses.map(resourceStatus),
  }),
  task_status_update: action({
    kind: 'write',
    summary: 'Creates or updates a task status. System administrators only.',
    returns: shown,
    answers: ref('TaskStatus'),
    document: ActionTaskStatusUpdateDocument,
    params: taskParams,
    variables: (p) => ({ input: taskFields(p) }),
    result: ({ updateTaskStatus }) => taskDict(updateTaskStatus.status!),
  }),
  task_status_update_many: action({
    kind: 'write',
    summary: 'Creates or updates task statuses, all or none. System administrators only.',
    returns: 'Dictionary: `results`, a list of dictionaries as task_status_show returns them.',
    answers: object({ results: listOf(ref('TaskStatus')) }),
    document: ActionTaskStatusUpdateManyDocument,
    params: { data: tasks },
    variables: (p) => ({ input: { statuses: p.data } }),
    result: ({ updateTaskStatuses }) => ({ results: updateTaskStatuses.statuses!.map(taskDict) }),
  }),
  task_status_delete: action({
    kind: 'write',
    summary: 'Deletes a task status. System administrators only.',
    returns: 'Null.',
    answers: NULL,
    document: ActionTaskStatusDeleteDocument,
    params: { id: present(text('Id of the status.')) },
    variables: (p) => ({ input: { taskId: p.id } }),
    result: () => null,
  }),
};
