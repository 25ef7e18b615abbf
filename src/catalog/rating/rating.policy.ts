/** Who may rate. Pure: facts in, a reason or null (allowed) out. */
import type { Actor } from '../../kernel/call.ts';

/** Everybody who is signed in; what may not be read is refused besides. */
export const mayRate = (actor: Actor): string | null =>
  actor.userId === null ? 'You must be logged in to rate a dataset.' : null;
