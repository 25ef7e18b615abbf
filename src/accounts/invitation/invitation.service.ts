/** Invitations: a pending user with a role, and a mail with a link to choose a password. */

import { groupShow } from '../../catalog/group/group.service.ts';
import { memberSetRole } from '../../catalog/group/member.service.ts';
import { type Call, inTransaction } from '../../kernel/call.ts';
import { notAuthorized } from '../../kernel/errors.ts';
import { isMailAddress } from '../../kernel/mail.ts';
import { newResetLink } from '../recovery/recovery.service.ts';
import { type UserRecord, userInvited } from '../user/user.service.ts';
import { invitationMail } from './invitation.mail.ts';

export interface InvitationRecord {
  readonly user: UserRecord;
  readonly mailed: boolean;
}

export interface InviteUserInput {
  readonly email: string;
  readonly group: string;
  readonly role: string;
}

/** Invites somebody into a group or organization. @throws CatalogError NOT_AUTHORIZED, VALIDATION (unknown group or role). */
export async function userInvite(call: Call, input: InviteUserInput): Promise<InvitationRecord> {
  if (call.actor.userId === null) throw notAuthorized('Have to be logged in to invite users');
  const { user, link, title } = await inTransaction(call, async (call) => {
    const user = await userInvited(call, input.email);
    const { groupId } = await memberSetRole(call, { group: input.group, user: user.id, role: input.role });
    const { title, name } = await groupShow(call, groupId, null);
    return { user, link: (await newResetLink(call, user.id)).url, title: title || name };
  });
  // The account and the role stand; where the mail does not go out, a password reset sends another one.
  const mailed =
    isMailAddress(input.email) &&
    (await call.mail.offer(invitationMail(call.settings, { user, link, title, inviter: call.actor.name })));
  return { user, mailed };
}
