/** Who may change views. Views are read by whoever may read the dataset. Pure: facts in, a reason or null (allowed) out. */

import type { Actor } from '../../kernel/call.ts';
import type { Settings } from '../../kernel/config.ts';
import { notAllowedTo } from '../../kernel/errors.ts';
import { mayUpdateDataset } from '../dataset/dataset.policy.ts';
import type { DatasetFacts } from '../document/record.ts';

type Reason = string | null;

/** Whoever may change the dataset and is signed in; `what` completes "not authorized to …". */
export function mayChangeViews(actor: Actor, dataset: DatasetFacts, settings: Settings, what: string): Reason {
  if (actor.userId === null && !actor.sysadmin) return 'Sign in to change views';
  return mayUpdateDataset(actor, dataset, settings) === null ? null : notAllowedTo(actor, what);
}

/** Views of the whole site at once are the sysadmins'. */
export const mayClearViews = (actor: Actor): Reason =>
  actor.sysadmin ? null : notAllowedTo(actor, 'clear resource views');
