import DataLoader from 'dataloader';
import type { Call } from '../../kernel/call.ts';
import { listViews, type ViewRecord } from './view.store.ts';

export const viewLoaders = ({ sql }: Call) => ({
  /** The views of a resource, by position, if the caller may read them. */
  viewsByResource: new DataLoader<string, ViewRecord[]>(async (ids) => {
    const byResource = new Map<string, ViewRecord[]>(ids.map((id) => [id, []]));
    for (const view of await listViews(sql, ids)) byResource.get(view.resourceId)!.push(view);
    return ids.map((id) => byResource.get(id)!);
  }),
});
