/** Policy of the change log. Pure: facts of the log in, a reason or null (allowed) out. */
import { mayReadDataset } from '../catalog/dataset/dataset.policy.ts';
import { mayReadGroup } from '../catalog/group/group.policy.ts';
import type { Actor } from '../kernel/call.ts';
import type { Readers } from '../kernel/feed.ts';
import type { Settings } from '../kernel/settings.ts';

type Reason = string | null;

/** Whether the caller could read an object with these facts: applies its read policies to the log's facts. */
export function mayReadAs(actor: Actor, readers: Readers, settings: Settings): Reason {
  if (actor.sysadmin || readers?.of === 'anybody') return null;
  switch (readers?.of) {
    case 'dataset':
      return mayReadDataset(actor, readers, settings);
    case 'group':
      return mayReadGroup(actor, readers, actor.capacities.get(readers.id) ?? null);
    case 'user':
      return readers.state === 'active' || readers.id === actor.userId ? null : 'the account is no longer active';
    default:
      return 'only system administrators may read this';
  }
}
