import DataLoader from 'dataloader';
import type { Call } from '../../kernel/call.ts';
import { type RatingSummary, ratingSummaries, ratingsOfUser } from './rating.store.ts';

const UNRATED: RatingSummary = { count: 0, average: null };

export const ratingLoaders = ({ db, actor }: Call) => ({
  /** Number and mean of a dataset's ratings. */
  ratingsByDataset: new DataLoader<string, RatingSummary>(async (ids) => {
    const found = await ratingSummaries(db, ids);
    return ids.map((id) => found.get(id) ?? UNRATED);
  }),
  /** The caller's rating of a dataset; null without one. */
  ratingOfCaller: new DataLoader<string, number | null>(async (ids) => {
    const found = actor.userId === null ? new Map<string, number>() : await ratingsOfUser(db, actor.userId, ids);
    return ids.map((id) => found.get(id) ?? null);
  }),
});
