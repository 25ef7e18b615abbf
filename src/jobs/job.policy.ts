/** Who may see, stop and repeat a job: those who may change its dataset. Work on anything else is the sysadmins'. Pure. */

import { mayUpdateDataset } from '../catalog/dataset/dataset.policy.ts';
import type { DatasetFacts } from '../catalog/document/record.ts';
import type { Actor } from '../kernel/call.ts';
import type { Settings } from '../kernel/config.ts';
import { notAllowedTo } from '../kernel/errors.ts';

/** `dataset` is null for a job that belongs to none. */
export const mayManageJobs = (actor: Actor, dataset: DatasetFacts | null, settings: Settings): string | null =>
  actor.sysadmin || (dataset !== null && mayUpdateDataset(actor, dataset, settings) === null)
    ? null
    : notAllowedTo(actor, dataset ? 'manage jobs of this dataset' : 'manage jobs');
