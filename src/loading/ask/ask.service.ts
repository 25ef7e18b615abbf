/** Asks for resources to be loaded into their tables, in the transaction that writes them. */
import { isStoredFile } from '../../catalog/document/project.ts';
import { enqueueAll } from '../../jobs/queue.service.ts';
import type { Call } from '../../kernel/call.ts';
import { type Loadable, laneOf, mayDiffer, whyNot } from './ask.rules.ts';

/** The kind of these jobs. */
export const LOAD = 'load';

type Written = Loadable & { readonly datasetId: string; readonly state: string };

/** Has resources loaded whose files may be others than before. Call it inside the transaction. */
export async function followFiles(call: Call, before: readonly Written[], after: readonly Written[]): Promise<void> {
  const stored = new Map(before.map((row) => [row.id, row]));
  const toLoad = after.filter((row) => {
    const old = stored.get(row.id);
    return old !== row && row.state === 'active' && mayDiffer(old, row) && whyNot(row, call.settings) === null;
  });
  await enqueueAll(
    call,
    toLoad.map((row) => ({
      ...loadRequest(row),
      delay: isStoredFile(row) ? 0 : call.settings['catalog.loading.link_delay'],
    })),
  );
}

/** The job that loads a resource; `again` also when nothing has changed since. */
export const loadRequest = (resource: Loadable & { readonly datasetId: string }, again = false) => ({
  kind: LOAD,
  subjectType: 'resource',
  subjectId: resource.id,
  datasetId: resource.datasetId,
  key: `${LOAD}:${resource.id}`,
  ...laneOf(resource),
  payload: { again },
});
