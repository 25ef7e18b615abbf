import DataLoader from 'dataloader';
import type { Call } from '../../kernel/call.ts';
import { findSeen } from './dashboard.store.ts';

export const dashboardLoaders = ({ db }: Call) => ({
  /** The place in the log until which a user has seen activities. Only the caller is ever asked for. */
  seenByUser: new DataLoader<string, number>((ids) =>
    Promise.all(ids.map(async (id) => (await findSeen(db, id))?.seen ?? 0)),
  ),
});
