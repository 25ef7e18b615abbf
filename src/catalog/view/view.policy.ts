/** Policies of views. Readers of a dataset may read its views. Pure: facts in, a reason or null (allowed) out. */
import type { Actor } from '../../kernel/call.ts';
import { notAllowedTo } from '../../kernel/errors.ts';
import type { Settings } from '../../kernel/settings.ts';
import { mayUpdateDataset } from '../dataset/dataset.policy.ts';
import type { DatasetFacts } from '../document/record.ts';

type Reason = string | null;

/** Signed-in users who may change the dataset; `what` completes "not authorized to …". */
export function mayChangeViews(actor: Actor, dataset: DatasetFacts, settings: Settings, what: string): Reason {
  if (actor.userId === null && !actor.sysadmin) return 'sign in to change views';
  return mayUpdateDataset(actor, dataset, settings) === null ? null : notAllowedTo(actor, what);
}

/** Only sysadmins delete views of the whole site. */
export const mayClearViews = (actor: Actor): Reason =>
  actor.sysadmin ? null : notAllowedTo(actor, 'clear resource views');
