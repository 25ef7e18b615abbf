import type { Actor, Call, Capacity } from '../../kernel/call.ts';
import { findIdentity } from './identity.store.ts';

const RANK: Readonly<Record<string, number>> = { member: 1, editor: 2, admin: 3 };

/** The actor of an API key; a key that nobody has means anonymous, as clients know it. */
export async function identify(call: Call, key: string): Promise<Actor> {
  const found = await findIdentity(
    call.sql,
    call.vault.hash(key),
    call.settings['catalog.auth.roles_that_cascade_to_sub_groups'],
  );
  if (!found) return call.actor;
  const capacities = new Map<string, Capacity>();
  for (const [groupId, capacity] of found.capacities ?? []) {
    if (!RANK[capacity]) continue; // a word that is no capacity of ours grants nothing
    const before = capacities.get(groupId);
    if (!before || RANK[capacity]! > RANK[before]!) capacities.set(groupId, capacity as Capacity);
  }
  return { userId: found.id, name: found.name, sysadmin: found.sysadmin, address: call.actor.address, capacities };
}
