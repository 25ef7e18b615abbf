import DataLoader from 'dataloader';
import type { Call } from '../../kernel/call.ts';
import { findSeen } from './dashboard.store.ts';

export const dashboardLoaders = ({ db }: Call) => ({
  /** The log position up to which a user has seen activities. Only used for the caller. */
  seenByUser: new DataLoader<string, number>((ids) =>
    Promise.all(ids.map(async (id) => (await findSeen(db, id))?.seen ?? 0)),
  ),
});
