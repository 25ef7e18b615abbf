/** Who may see, stop and repeat a job: those who may change its dataset. Work on anything else is the sysadmins'. Pure. */
import { mayUpdateDataset } from '../catalog/dataset/dataset.policy.ts';
import type { DatasetFacts } from '../catalog/document/record.ts';
import type { Actor } from '../kernel/call.ts';
import type { Settings } from '../kernel/config.ts';

/** `dataset` is null for a job that belongs to none. */
export const mayManageJobs = (actor: Actor, dataset: DatasetFacts | null, settings: Settings): string | null =>
  actor.sysadmin || (dataset !== null && mayUpdateDataset(actor, dataset, settings) === null)
    ? null
    : `User ${actor.name ?? ''} not authorized to manage ${dataset ? `jobs of dataset ${dataset.id}` : 'jobs'}`;
