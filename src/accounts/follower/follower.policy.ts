/** Policies of following and of lists of followers. Pure: facts in, a reason or null (allowed) out, in the texts that clients know. */
import type { Actor } from '../../kernel/call.ts';

type Reason = string | null;
export type FollowKind = 'USER' | 'DATASET' | 'GROUP';

const SIGN_IN: Readonly<Record<FollowKind, string>> = {
  USER: 'You must be logged in to follow users',
  DATASET: 'You must be logged in to follow a dataset.',
  GROUP: 'You must be logged in to follow a group.',
};

/** Every signed-in user. The object's policy applies as well. */
export const mayFollow = (actor: Actor, kind: FollowKind): Reason => (actor.userId === null ? SIGN_IN[kind] : null);

export const mayUnfollow = (actor: Actor): Reason =>
  actor.userId === null ? 'You must be logged in to unfollow something.' : null;

/** The question is about the caller, so they must be signed in. The recorded refusal gives no reason. */
export const mayAskWhetherFollowing = (actor: Actor): Reason => (actor.userId === null ? '' : null);

/** The number of an object's followers is public; only sysadmins see the list. */
export const mayListFollowers = (actor: Actor): Reason => (actor.sysadmin ? null : 'Not authorized');

/** Only the user and sysadmins see what a user follows; `userId` null means an unknown user. */
export const mayListFollowees = (actor: Actor, userId: string | null): Reason =>
  actor.sysadmin || (actor.userId !== null && actor.userId === userId) ? null : 'Not authorized';
