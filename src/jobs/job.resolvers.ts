import type { CancelJobInput, JobState, Resolvers, RetryJobInput } from '../generated/graph.ts';
import { connectionResolvers } from '../kernel/connection.ts';
import { toGlobalId } from '../kernel/ids.ts';
import { lookUp } from '../kernel/look-up.ts';
import { payload } from '../kernel/mutation.ts';
import type { NodeReaders } from '../kernel/node.ts';
import { jobCancel, jobList, jobNodes, jobRetry, jobShow } from './job.service.ts';

export const jobResolvers: Resolvers = {
  Query: {
    jobs: (_root, args, { call }) => jobList(call, args),
    job: (_root, { id, databaseId }, { call }) => lookUp({ id, databaseId }, (by) => jobShow(call, by)),
  },
  Mutation: {
    cancelJob: payload('job', (call, { input }: { input: CancelJobInput }) => jobCancel(call, input)),
    retryJob: payload('job', (call, { input }: { input: RetryJobInput }) => jobRetry(call, input)),
  },
  Job: {
    id: (job) => toGlobalId('Job', job.id),
    databaseId: (job) => job.id,
    state: (job) => job.state.toUpperCase() as JobState,
    dataset: (job, _args, { loaders }) => (job.datasetId === null ? null : loaders.datasetById.load(job.datasetId)),
  },
  JobConnection: connectionResolvers,
};

export const jobNodeReaders: NodeReaders = { Job: jobNodes };
