/** Visibility of groups and organizations. */
import type { Call } from '../../kernel/call.ts';
import { inOrder } from '../../kernel/node.ts';
import { mayReadGroup } from './group.policy.ts';
import { type GroupRecord, groupsByIds } from './group.store.ts';

/** Groups or organizations in the order of the ids; null for a missing one or one that the caller may not read. */
export async function groupNodes(
  call: Call,
  ids: readonly string[],
  isOrganization: boolean,
): Promise<(GroupRecord | null)[]> {
  const rows = (await groupsByIds(call.sql, ids)).filter(
    (group) =>
      group.isOrganization === isOrganization &&
      mayReadGroup(call.actor, group, call.actor.capacities.get(group.id) ?? null) === null,
  );
  return inOrder(ids, rows, (group) => group.id);
}
