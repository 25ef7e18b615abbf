/** Who may follow, and who sees who follows whom. Pure: facts in, a reason or null (allowed) out; in the words that clients know. */
import type { Actor } from '../../kernel/call.ts';

type Reason = string | null;
export type FollowKind = 'USER' | 'DATASET' | 'GROUP';

const SIGN_IN: Readonly<Record<FollowKind, string>> = {
  USER: 'You must be logged in to follow users',
  DATASET: 'You must be logged in to follow a dataset.',
  GROUP: 'You must be logged in to follow a group.',
};

/** Everybody who is signed in; what may not be read is refused besides. */
export const mayFollow = (actor: Actor, kind: FollowKind): Reason => (actor.userId === null ? SIGN_IN[kind] : null);

export const mayUnfollow = (actor: Actor): Reason =>
  actor.userId === null ? 'You must be logged in to unfollow something.' : null;

/** The question is about the caller, so there must be one. The recorded refusal gives no reason. */
export const mayAskWhetherFollowing = (actor: Actor): Reason => (actor.userId === null ? '' : null);

/** How many follow an object is public; who they are is for system administrators. */
export const mayListFollowers = (actor: Actor): Reason => (actor.sysadmin ? null : 'Not authorized');

/** What a user follows is for the user and system administrators; `userId` null stands for nobody's. */
export const mayListFollowees = (actor: Actor, userId: string | null): Reason =>
  actor.sysadmin || (actor.userId !== null && actor.userId === userId) ? null : 'Not authorized';
