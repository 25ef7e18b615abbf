/** Invitations: a pending user with a role, and a mail with a link to choose a password. */

import { groupShow } from '../../catalog/group/group.service.ts';
import { memberSetRole } from '../../catalog/group/member.service.ts';
import { isMailAddress } from '../../infra/mail.ts';
import { type Call, inTransaction } from '../../kernel/call.ts';
import { notAuthorized } from '../../kernel/errors.ts';
import { once } from '../../kernel/idempotency.ts';
import { newResetLink } from '../recovery/recovery.service.ts';
import { type UserRecord, userInvited, userNodes } from '../user/user.service.ts';
import { invitationMail } from './invitation.mail.ts';

export interface InvitationRecord {
  readonly user: UserRecord;
  readonly mailed: boolean;
}

export interface InviteUserInput {
  readonly email: string;
  readonly group: string;
  readonly capacity: string;
  readonly idempotencyKey?: string | null;
}

interface Invited {
  readonly id: string;
  readonly user: UserRecord;
  readonly link: string;
  /** Of the group or organization. */
  readonly title: string;
}

const invite = once<InviteUserInput, Invited | UserRecord>(
  'inviteUser',
  (call, input) =>
    inTransaction(call, async (call) => {
      const user = await userInvited(call, input.email);
      const { groupId } = await memberSetRole(call, { group: input.group, user: user.id, capacity: input.capacity });
      const { title, name } = await groupShow(call, groupId, null);
      return { id: user.id, user, link: (await newResetLink(call, user.id)).url, title: title || name };
    }),
  userNodes,
);

/**
 * Invites a person to a group or organization. Repeated with the same idempotency key, it returns the same user and
 * sends no second mail. @throws CatalogError NOT_AUTHORIZED, VALIDATION (unknown group or capacity).
 */
export async function userInvite(call: Call, input: InviteUserInput): Promise<InvitationRecord> {
  if (call.actor.userId === null) throw notAuthorized('You must be logged in to invite users');
  const made = await invite(call, input);
  if (!('link' in made)) return { user: made, mailed: false };
  const { user, link, title } = made;
  // Account and role are stored. If the mail fails, a password reset sends another one.
  const mailed =
    isMailAddress(input.email) &&
    (await call.process.mail.offer(invitationMail(call.settings, { user, link, title, inviter: call.actor.name })));
  return { user, mailed };
}
