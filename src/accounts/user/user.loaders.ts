import DataLoader from 'dataloader';
import type { Call } from '../../kernel/call.ts';
import { inOrder } from '../../kernel/node.ts';
import { countsEverythingOf } from './user.policy.ts';
import { datasetsOfUsers, editsOfUsers, usersByIds } from './user.sql.ts';
import type { UserRecord } from './user.store.ts';

export const userLoaders = ({ sql, actor }: Call) => ({
  /** A user by id, in any state; null for an unknown id. */
  userById: new DataLoader<string, UserRecord | null>(async (ids) =>
    inOrder(ids, await usersByIds(sql, ids), (user) => user.id),
  ),
  /** Number of revisions by a user, except those that created or changed an account. */
  editsByUser: new DataLoader<string, number>(async (ids) => {
    const counts = await editsOfUsers(sql, ids);
    return ids.map((id) => counts.get(id) ?? 0);
  }),
  /** Number of datasets that a user created and the caller may count. */
  datasetCountByUser: new DataLoader<string, number>(async (ids) => {
    const counts = await datasetsOfUsers(sql, ids, countsEverythingOf(actor));
    return ids.map((id) => counts.get(id) ?? 0);
  }),
});
