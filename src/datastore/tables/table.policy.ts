/** Decides who may read and change tables. Pure: takes facts, returns a reason or null (allowed). */
import { mayReadDataset, mayUpdateDataset } from '../../catalog/dataset/dataset.policy.ts';
import type { Actor } from '../../kernel/call.ts';
import { notAllowedTo } from '../../kernel/errors.ts';
import type { Settings } from '../../kernel/settings.ts';
import type { TableOwner } from './owner.sql.ts';

type Reason = string | null;

/**
 * Readers of the dataset may read its tables. A hidden table is for members only, even when the dataset is public. Ruling 14: with
 * `catalog.datastore.hide_private` off, tables of private datasets are not hidden, as the contract says, while those of drafts and deleted
 * datasets are.
 */
export function mayReadTable(actor: Actor, { dataset, hidden }: TableOwner, settings: Settings): Reason {
  const isPrivate = hidden || (dataset.private && settings['catalog.datastore.hide_private']);
  return mayReadDataset(actor, { ...dataset, private: isPrivate }, settings) === null
    ? null
    : notAllowedTo(actor, 'read resource');
}

/**
 * Signed-in users who may change the dataset may change its tables. Writes name a table by its resource id, so a refusal repeats the id
 * sent.
 */
export function mayWriteTable(actor: Actor, { resourceId, dataset }: TableOwner, settings: Settings): Reason {
  if (actor.userId === null && !actor.sysadmin) return 'sign in to change tables';
  return mayUpdateDataset(actor, dataset, settings) === null
    ? null
    : notAllowedTo(actor, `edit resource ${resourceId}`);
}
