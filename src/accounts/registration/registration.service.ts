/** Registration: an account at its user's own request, at once or after its e-mail address is confirmed. */
import type { Call } from '../../kernel/call.ts';
import { allow } from '../../kernel/errors.ts';
import type { PayloadError } from '../../kernel/mutation.ts';
import { attempt, byAddress } from '../attempt/attempt.service.ts';
import { checkMail, newResetLink } from '../recovery/recovery.service.ts';
import { mayRegister } from '../session/session.policy.ts';
import { type SignedInRecord, startSession } from '../session/session.service.ts';
import type { RegisterInput } from '../user/input.ts';
import { userRegister } from '../user/user.service.ts';
import { confirmationMail } from './registration.mail.ts';

/** The result of a registration. */
export interface RegistrationRecord {
  /** Null if the e-mail address must be confirmed first. */
  readonly session: SignedInRecord | null;
  /** Whether a link was mailed. Null if none is needed. */
  readonly mailed: boolean | null;
}

/** The backing type of RegisterPayload. */
export interface RegisterPayloadRecord {
  readonly registration: RegistrationRecord | null;
  readonly errors: PayloadError[];
}

/**
 * Creates the caller's account, and signs them in. With `catalog.auth.confirm_email` the account is pending until its user
 * chooses a password by the mailed link; a password reset mails another one. @throws CatalogError NOT_AUTHORIZED,
 * VALIDATION, CONFLICT, LIMIT, UNAVAILABLE (the site sends no mail).
 */
export async function register(call: Call, input: RegisterInput): Promise<RegistrationRecord> {
  allow(mayRegister(call.settings));
  const confirm = call.settings['catalog.auth.confirm_email'];
  if (confirm) checkMail(call);
  const user = await attempt(call, 'registration', [byAddress(call)], () => userRegister(call, input));
  if (!confirm) return { session: await startSession(call, user.id), mailed: null };
  const { url } = await newResetLink(call, user.id);
  const recipient = { name: user.name, displayName: user.displayName, email: input.email };
  return { session: null, mailed: await call.process.mail.offer(confirmationMail(call.settings, recipient, url)) };
}
