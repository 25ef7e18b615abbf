/** Checks early whether the caller may create or edit anything, before much of the request is read. */
import type { Call } from '../../kernel/call.ts';
import { allow } from '../../kernel/errors.ts';
import { mayWrite } from '../../kernel/mutation.ts';
import { editsSomewhere, mayCreateDataset } from '../dataset/dataset.policy.ts';
import { mayCreateGroup } from '../group/group.policy.ts';
import { hasUnowned } from './sender.store.ts';

/**
 * Passes users who may create datasets, groups or organizations, who edit some by a capacity, or who have created a
 * dataset without an organization. @throws CatalogError NOT_AUTHORIZED for all others, and for read-only tokens
 */
export async function checkEditsAnything(call: Call): Promise<void> {
  const { actor, settings } = call;
  allow(mayWrite(actor));
  const refused = `User ${actor.name ?? ''} is not authorized to create or edit anything`.replace('  ', ' ');
  if (actor.userId === null) return allow(actor.sysadmin ? null : 'not signed in');
  const may =
    editsSomewhere(actor) ||
    mayCreateDataset(actor, settings) === null ||
    [true, false].some((isOrganization) => mayCreateGroup(actor, isOrganization, settings) === null) ||
    (await hasUnowned(call.db, actor.userId));
  allow(may ? null : refused);
}
