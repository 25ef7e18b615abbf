import DataLoader from 'dataloader';
import type { Call } from '../../kernel/call.ts';
import { listViewsOf, type ViewRecord } from './view.store.ts';

interface ResourceOfViews {
  readonly id: string;
  readonly datasetId: string;
}

export const viewLoaders = ({ sql }: Call) => ({
  /** The views of a resource, by position, if the caller may read them. */
  viewsByResource: new DataLoader<ResourceOfViews, ViewRecord[], string>(
    async (resources) => {
      const byResource = new Map<string, ViewRecord[]>(resources.map(({ id }) => [id, []]));
      for (const view of await listViewsOf(sql, resources)) byResource.get(view.resourceId)!.push(view);
      return resources.map(({ id }) => byResource.get(id)!);
    },
    { cacheKeyFn: ({ id }) => id },
  ),
});
