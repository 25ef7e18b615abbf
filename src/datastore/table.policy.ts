/** Who may read and change tables. Pure: facts in, a reason or null (allowed) out. */
import { mayReadDataset, mayUpdateDataset } from '../catalog/dataset/dataset.policy.ts';
import type { Actor } from '../kernel/call.ts';
import type { Settings } from '../kernel/config.ts';
import type { TableOwner } from './owner.store.ts';

type Reason = string | null;

/**
 * Whoever may read the dataset. A table made private is its members' even when the dataset is public. Ruling 14: with
 * `catalog.datastore.hide_private` off, tables of private datasets are not hidden, as the contract says; drafts and deleted ones are.
 */
export function mayReadTable(actor: Actor, { resourceId, dataset, hidden }: TableOwner, settings: Settings): Reason {
  const isPrivate = hidden || (dataset.private && settings['catalog.datastore.hide_private']);
  return mayReadDataset(actor, { ...dataset, private: isPrivate }, settings) === null
    ? null
    : `User ${actor.name ?? ''} not authorized to read resource ${resourceId}`;
}

/** Whoever may change the dataset and is signed in. */
export function mayWriteTable(actor: Actor, { resourceId, dataset }: TableOwner, settings: Settings): Reason {
  if (actor.userId === null && !actor.sysadmin) return 'Sign in to change tables';
  return mayUpdateDataset(actor, dataset, settings) === null
    ? null
    : `User ${actor.name ?? ''} not authorized to edit resource ${resourceId}`;
}
