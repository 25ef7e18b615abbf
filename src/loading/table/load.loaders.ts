import DataLoader from 'dataloader';
import { mayManageJobs } from '../../jobs/job.policy.ts';
import { latestJobs } from '../../jobs/job.sql.ts';
import { type JobRecord, listJobDatasets } from '../../jobs/job.store.ts';
import type { Call } from '../../kernel/call.ts';

export const loadLoaders = ({ sql, actor, settings }: Call) => ({
  /** The latest load job of a resource; null when there is none or the caller may not see it. */
  loadingByResource: new DataLoader<string, JobRecord | null>(async (ids) => {
    const jobs = await latestJobs(sql, ids, 'load');
    const datasets = await listJobDatasets(sql, [...new Set(jobs.flatMap(({ datasetId }) => datasetId ?? []))]);
    const byId = new Map(datasets.map((dataset) => [dataset.id, dataset]));
    const seen = jobs.filter((job) => mayManageJobs(actor, byId.get(job.datasetId ?? '') ?? null, settings) === null);
    const bySubject = new Map(seen.map((job) => [job.subjectId, job]));
    return ids.map((id) => bySubject.get(id) ?? null);
  }),
});
