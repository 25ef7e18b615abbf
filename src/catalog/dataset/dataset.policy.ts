/** Policies of datasets. Pure: facts in, a reason or null (allowed) out. */
import type { Actor } from '../../kernel/call.ts';
import { notAllowedTo } from '../../kernel/errors.ts';
import type { Settings } from '../../kernel/settings.ts';
import type { DatasetFacts } from '../document/record.ts';

type Reason = string | null;

const edits = (actor: Actor, groupId: string): boolean =>
  ['editor', 'admin'].includes(actor.capacities.get(groupId) ?? '');

/**
 * Active public datasets: everyone. Private and deleted ones: members of the owner organization. Drafts: editors.
 * Deleted datasets without an owner: sysadmins only, as recorded; their creator can restore one without seeing it.
 */
export function mayReadDataset(actor: Actor, dataset: DatasetFacts, settings: Settings): Reason {
  const refused = notAllowedTo(actor, 'read dataset');
  if (actor.sysadmin || (dataset.state === 'active' && !dataset.private)) return null;
  if (actor.userId === null) return refused;
  const member = dataset.ownerOrganizationId !== null && actor.capacities.has(dataset.ownerOrganizationId);
  if (dataset.state === 'deleted') return member ? null : refused;
  if (member && dataset.state === 'active') return null;
  return mayUpdateDataset(actor, dataset, settings) === null ? null : refused;
}

/**
 * Sysadmins; editors and admins of the owner organization. Without an owner: the creator, and, if the settings allow
 * unowned datasets, every signed-in user for datasets that everyone may read. Hidden datasets are excluded, because the
 * answer to a change shows the whole dataset.
 */
export function mayUpdateDataset(actor: Actor, dataset: DatasetFacts, settings: Settings): Reason {
  const refused = notAllowedTo(actor, 'edit dataset');
  if (actor.sysadmin) return null;
  if (dataset.ownerOrganizationId !== null) return edits(actor, dataset.ownerOrganizationId) ? null : refused;
  if (actor.userId !== null && actor.userId === dataset.creatorId) return null;
  const isHidden = dataset.private || dataset.state !== 'active';
  const isOpen = settings['catalog.auth.create_unowned_dataset'] && mayCreateDataset(actor, settings) === null;
  return isOpen && !isHidden ? null : refused;
}

/**
 * A relationship shows on both sides and its inverse is equivalent, so the order of the two is irrelevant. Both must be
 * readable and the caller may update one of them, as recorded.
 */
export function mayRelateDatasets(
  actor: Actor,
  ends: readonly [DatasetFacts, DatasetFacts],
  settings: Settings,
): Reason {
  const reads = ends.every((dataset) => mayReadDataset(actor, dataset, settings) === null);
  const updates = ends.some((dataset) => mayUpdateDataset(actor, dataset, settings) === null);
  return reads && updates ? null : notAllowedTo(actor, 'edit these datasets');
}

/** Whether the caller may create datasets at all (ruling 18). */
export function mayCreateDataset(actor: Actor, settings: Settings): Reason {
  if (actor.sysadmin) return null;
  const unowned =
    settings['catalog.auth.create_dataset_if_not_in_organization'] && settings['catalog.auth.create_unowned_dataset'];
  if (actor.userId === null) {
    return settings['catalog.auth.anon_create_dataset'] && unowned ? null : notAllowedTo(actor, 'create datasets');
  }
  if (settings['catalog.auth.create_dataset_if_not_in_organization']) return null;
  return editsSomewhere(actor) ? null : notAllowedTo(actor, 'create datasets');
}

/** Whether a capacity lets the caller edit datasets of an organization, or a group. */
export const editsSomewhere = (actor: Actor): boolean =>
  actor.sysadmin || [...actor.capacities.values()].some((capacity) => capacity !== 'member');

/** Whether the caller may move datasets into this organization. */
export const mayAddToOrganization = (actor: Actor, organizationId: string): Reason =>
  actor.sysadmin || edits(actor, organizationId) ? null : notAllowedTo(actor, 'add dataset to this organization');

/** Sysadmins and admins of the organization may change many datasets at once. null means no organization. */
export const mayChangeInBulk = (actor: Actor, organizationId: string | null): Reason =>
  actor.sysadmin || (organizationId !== null && actor.capacities.get(organizationId) === 'admin')
    ? null
    : notAllowedTo(actor, 'change datasets of this organization');

/** Whether the caller may add datasets to all of these groups. Every member may, with any capacity. */
export const mayFileUnder = (actor: Actor, groupIds: readonly string[]): Reason =>
  actor.sysadmin || groupIds.every((id) => actor.capacities.has(id)) ? null : notAllowedTo(actor, 'edit these groups');

/** Only sysadmins purge datasets. */
export const mayPurgeDataset = (actor: Actor): Reason =>
  actor.sysadmin ? null : notAllowedTo(actor, 'purge datasets');

/** An owner is required, from sysadmins too, unless unowned datasets are allowed. The operator at the command line may omit it. */
export const mayLeaveUnowned = (actor: Actor, settings: Settings): boolean =>
  settings['catalog.auth.create_unowned_dataset'] || (actor.sysadmin && actor.userId === null);

/** Only sysadmins set any organization, or none, by the dedicated mutation, as recorded. */
export const maySetOwner = (actor: Actor): Reason =>
  actor.sysadmin ? null : notAllowedTo(actor, 'change the owner of datasets');
