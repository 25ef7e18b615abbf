import DataLoader from 'dataloader';
import type { Call } from '../../kernel/call.ts';
import { inOrder } from '../../kernel/node.ts';
import { counts } from '../../kernel/pages.ts';
import { countsEverythingOf } from './user.policy.ts';
import { datasetsOfUsers, editsOfUsers } from './user.sql.ts';
import { type UserRecord, usersByIds } from './user.store.ts';

export const userLoaders = ({ sql, actor }: Call) => ({
  /** A user by id, in any state; null for an unknown id. */
  userById: new DataLoader<string, UserRecord | null>(async (ids) =>
    inOrder(ids, await usersByIds(sql, ids), (user) => user.id),
  ),
  /** Number of revisions by a user, except those that created or changed an account. */
  editsByUser: counts((ids) => editsOfUsers(sql, ids)),
  /** Number of datasets that a user created and the caller may count. */
  datasetCountByUser: counts((ids) => datasetsOfUsers(sql, ids, countsEverythingOf(actor))),
});
