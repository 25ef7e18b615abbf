/** Policies of ratings. Pure: facts in, a reason or null (allowed) out. */
import type { Actor } from '../../kernel/call.ts';

/** Every signed-in user. The dataset's policy applies as well. */
export const mayRate = (actor: Actor): string | null =>
  actor.userId === null ? 'You must be logged in to rate a dataset.' : null;
