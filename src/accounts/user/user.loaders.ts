import DataLoader from 'dataloader';
import type { Call } from '../../kernel/call.ts';
import { countsEverythingOf } from './user.policy.ts';
import { datasetsOfUsers, editsOfUsers, type UserRecord, usersByIds } from './user.store.ts';

export const userLoaders = ({ sql, actor }: Call) => ({
  /** A user by id, in whatever state; null when there is none. */
  userById: new DataLoader<string, UserRecord | null>(async (ids) => {
    const found = new Map((await usersByIds(sql, ids)).map((user) => [user.id, user]));
    return ids.map((id) => found.get(id) ?? null);
  }),
  /** Revisions that a user made, but for those that made or changed an account. */
  editsByUser: new DataLoader<string, number>(async (ids) => {
    const counts = await editsOfUsers(sql, ids);
    return ids.map((id) => counts.get(id) ?? 0);
  }),
  /** Datasets that a user created, as far as the caller may count them. */
  datasetCountByUser: new DataLoader<string, number>(async (ids) => {
    const counts = await datasetsOfUsers(sql, ids, countsEverythingOf(actor));
    return ids.map((id) => counts.get(id) ?? 0);
  }),
});
