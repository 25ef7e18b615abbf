import DataLoader from 'dataloader';
import type { Call } from '../kernel/call.ts';
import { type LinkEvent, type LinkRecord, linkEvents, linksByIds } from './link.store.ts';

export const linkLoaders = ({ db, sql }: Call) => ({
  /** The link of an already authorized resource; null for one without. */
  linkByResource: new DataLoader<string, LinkRecord | null>(async (ids) => {
    const found = new Map((await linksByIds(sql, ids)).map((link) => [link.resourceId, link]));
    return ids.map((id) => found.get(id) ?? null);
  }),
  /** Changes of the result, newest first. */
  linkEventsByResource: new DataLoader<string, LinkEvent[]>(async (ids) => {
    const events = await linkEvents(db, ids);
    return ids.map((id) => events.filter(({ resourceId }) => resourceId === id));
  }),
});
