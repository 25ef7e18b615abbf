/** Policy of jobs: users who may change a job's dataset may see, cancel and retry it. Other jobs are for sysadmins. Pure. */
import { mayUpdateDataset } from '../catalog/dataset/dataset.policy.ts';
import type { DatasetFacts } from '../catalog/document/record.ts';
import type { Actor } from '../kernel/call.ts';
import { notAllowedTo } from '../kernel/errors.ts';
import type { Settings } from '../kernel/settings.ts';

/** `dataset` is null for a job without one. */
export const mayManageJobs = (actor: Actor, dataset: DatasetFacts | null, settings: Settings): string | null =>
  actor.sysadmin || (dataset !== null && mayUpdateDataset(actor, dataset, settings) === null)
    ? null
    : notAllowedTo(actor, dataset ? 'manage jobs of this dataset' : 'manage jobs');
