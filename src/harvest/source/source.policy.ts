/** Who may copy from elsewhere. Pure: facts in, a reason or null (allowed) out. */

import type { Actor } from '../../kernel/call.ts';
import { notAllowedTo } from '../../kernel/errors.ts';

/** Sysadmins; the admins of an organization for what it will own. */
export const mayManageSource = (actor: Actor, organizationId: string | null): string | null =>
  actor.sysadmin || (organizationId !== null && actor.capacities.get(organizationId) === 'admin')
    ? null
    : notAllowedTo(actor, organizationId === null ? 'harvest' : 'harvest for this organization');

/**
 * The same to make or change one, but by no narrow token: a source writes as whoever changed it last, with all that their account may do,
 * long after the token has ended.
 */
export const mayChangeSource = (actor: Actor, organizationId: string | null): string | null =>
  actor.limitedTo
    ? 'only a token with the scope admin may create or change harvest sources'
    : mayManageSource(actor, organizationId);
