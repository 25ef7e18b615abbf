/** Which groups and organizations a caller may read. */
import type { Call } from '../../kernel/call.ts';
import { inOrder } from '../../kernel/node.ts';
import { mayReadGroup } from './group.policy.ts';
import { type GroupRecord, groupsByIds } from './group.store.ts';

/** Groups or organizations by id in the order asked; null where there is none or the caller may not read it. */
export async function groupNodes(
  call: Call,
  ids: readonly string[],
  isOrganization: boolean,
): Promise<(GroupRecord | null)[]> {
  const rows = (await groupsByIds(call.db, ids)).filter(
    (group) =>
      group.isOrganization === isOrganization &&
      mayReadGroup(call.actor, group, call.actor.capacities.get(group.id) ?? null) === null,
  );
  return inOrder(ids, rows, (group) => group.id);
}
