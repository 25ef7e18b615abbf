/** Who may read and change tables. Pure: facts in, a reason or null (allowed) out. */

import { mayReadDataset, mayUpdateDataset } from '../../catalog/dataset/dataset.policy.ts';
import type { Actor } from '../../kernel/call.ts';
import type { Settings } from '../../kernel/config.ts';
import { notAllowedTo } from '../../kernel/errors.ts';
import type { TableOwner } from './owner.sql.ts';

type Reason = string | null;

/**
 * Whoever may read the dataset. A table made private is its members' even when the dataset is public. Ruling 14: with
 * `catalog.datastore.hide_private` off, tables of private datasets are not hidden, as the contract says; drafts and deleted ones are.
 */
export function mayReadTable(actor: Actor, { dataset, hidden }: TableOwner, settings: Settings): Reason {
  const isPrivate = hidden || (dataset.private && settings['catalog.datastore.hide_private']);
  return mayReadDataset(actor, { ...dataset, private: isPrivate }, settings) === null
    ? null
    : notAllowedTo(actor, 'read resource');
}

/** Whoever may change the dataset and is signed in. Writes name a table by the id of its resource, so a refusal repeats what was sent. */
export function mayWriteTable(actor: Actor, { resourceId, dataset }: TableOwner, settings: Settings): Reason {
  if (actor.userId === null && !actor.sysadmin) return 'Sign in to change tables';
  return mayUpdateDataset(actor, dataset, settings) === null
    ? null
    : notAllowedTo(actor, `edit resource ${resourceId}`);
}
