/** Queues load jobs for resources, in the transaction that writes them. */
import { isKeptFile } from '../../catalog/document/project.ts';
import { enqueueAll } from '../../jobs/queue.service.ts';
import type { Call } from '../../kernel/call.ts';
import { type Loadable, laneOf, mayDiffer, whyNot } from './ask.rules.ts';

/** Kind of load jobs. */
export const LOAD = 'load';

type Written = Loadable & { readonly datasetId: string; readonly state: string };

/** Queues jobs for resources whose files may have changed. Call it inside the transaction. */
export async function followFiles(call: Call, before: readonly Written[], after: readonly Written[]): Promise<void> {
  const stored = new Map(before.map((row) => [row.id, row]));
  const requested = after.filter((row) => {
    const old = stored.get(row.id);
    return old !== row && row.state === 'active' && mayDiffer(old, row) && whyNot(row, call.settings) === null;
  });
  await enqueueAll(
    call,
    requested.map((row) => ({
      ...loadRequest(row.id, row.datasetId),
      delay: isKeptFile(row) ? 0 : call.settings['catalog.loading.link_delay'],
    })),
  );
}

/** Request for a job that loads a resource. With `again`, it loads an unchanged file too. */
export const loadRequest = (resourceId: string, datasetId: string, again = false) => ({
  kind: LOAD,
  subjectType: 'resource',
  subjectId: resource.id,
  datasetId: resource.datasetId,
  key: `${LOAD}:${resource.id}`,
  ...laneOf(resource),
  payload: { again },
});
