import type { Resolvers } from '../../generated/graph.ts';
import { asId, toGlobalId } from '../../kernel/ids.ts';
import { payload } from '../../kernel/mutation.ts';
import { taskDelete, taskList, taskShow, tasksUpdate, taskUpdate } from './task.service.ts';

export const taskResolvers: Resolvers = {
  Query: {
    taskStatus: (_root, args, { call }) => taskShow(call, args),
    taskStatuses: (_root, args, { call }) => taskList(call, args),
  },
  Mutation: {
    updateTaskStatus: payload('status', (call, { input }) => taskUpdate(call, input)),
    updateTaskStatuses: payload('statuses', (call, { input }) => tasksUpdate(call, input)),
    deleteTaskStatus: payload('deletedId', (call, { input }) => asId('TaskStatus', taskDelete(call, input))),
  },
  TaskStatus: { id: (task) => toGlobalId('TaskStatus', task.id), databaseId: (task) => task.id },
};
