/** Policies of signing in and out. Pure: facts in, a reason or null (allowed) out. */
import type { Actor } from '../../kernel/call.ts';
import type { Settings } from '../../kernel/settings.ts';

type Reason = string | null;

/** Everyone, if catalog.auth.create_user_via_web is set. */
export const mayRegister = (settings: Settings): Reason =>
  settings['catalog.auth.create_user_via_web'] ? null : 'registration is disabled on this site';

export const mayEndSessions = (actor: Actor): Reason =>
  actor.userId === null ? 'not signed in' : actor.limitedTo ? 'this token may not end sessions' : null;
