/** Decides who may harvest. Pure: takes facts, returns a reason or null (allowed). */

import type { Actor } from '../../kernel/call.ts';
import { notAllowedTo } from '../../kernel/errors.ts';

/** Sysadmins, and admins of the organization that will own the datasets. */
export const mayManageSource = (actor: Actor, organizationId: string | null): string | null =>
  actor.sysadmin || (organizationId !== null && actor.capacities.get(organizationId) === 'admin')
    ? null
    : notAllowedTo(actor, organizationId === null ? 'harvest' : 'harvest for this organization');

/**
 * The same to create or change a source, but not with a restricted token: a source writes with all permissions of the user who last changed
 * it, long after the token has expired.
 */
export const mayChangeSource = (actor: Actor, organizationId: string | null): string | null =>
  actor.limitedTo
    ? 'only a token with the scope ADMIN may create or change harvest sources'
    : mayManageSource(actor, organizationId);
